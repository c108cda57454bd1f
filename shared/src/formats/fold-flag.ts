// Folds a risk flag for comparison, so that spellings of the same flag are equal (RT1).

/**
 * Flags are compared trimmed, in Unicode NFC and without regard to case: `Legal` must match `legal` (RT1). Folding goes through
 * the upper case, because some letters have two lower case forms or an upper case of two letters: `STRASSE` is `straße`.
 */
export function foldFlag(flag: string): string {
  return flag.trim().normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
