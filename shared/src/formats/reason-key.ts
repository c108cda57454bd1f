// Rule CT1: the key by which two reasons are compared.

/**
 * Words without meaning for a comparison. Those of other languages are not listed, so their reasons are grouped a little less.
 */
const EMPTY = new Set(
  'a an the it its is are was were be been in on of to this that there has have had too also and again so one here very used given'.split(
    ' ',
  ),
);

/** CT4: the maximum length of a key, which limits the cost of a comparison. */
export const KEY_LENGTH = 200;

/**
 * CT1: a reason without punctuation, accents, upper case and stop words, in its original order. A reason of stop words alone
 * keeps them. Reasons with the same key are the same reason. At most `KEY_LENGTH` characters.
 */
export function keyOf(reason: string): string {
  const plain = reason
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/['’]/g, '')
    .toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const telling = words.filter((word) => !EMPTY.has(word));
  // A reason without any letter or digit is compared as it is.
  const key = (telling.length > 0 ? telling : words).join(' ') || reason.trim();
  return Array.from(key).slice(0, KEY_LENGTH).join('').trimEnd();
}
