// Turns texts that a spreadsheet would take for a formula into plain text, in every CSV that we write (LX7).

/** Characters that some spreadsheets skip at the start of a cell: white space of any kind, and characters without width. */
const SKIPPED = String.raw`[\s\p{Cc}\p{Cf}]*`;
/** First characters of a formula or a command, also in the full width of East Asian keyboards (OWASP, "CSV Injection"). */
const BEGINS = '[=+@|%\\-＝＋－＠｜％]';
/** For some spreadsheets a leading tab or line break is enough. */
const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|${SKIPPED}${BEGINS})`, 'u');

/** The text, with a leading apostrophe where a spreadsheet would compute it. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
