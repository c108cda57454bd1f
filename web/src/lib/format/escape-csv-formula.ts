// What a spreadsheet would take for a formula is made plain text, in every CSV that we write (LX7).

/** What some spreadsheets skip at the start of a cell: white space of any kind, and what has no width. */
const SKIPPED = String.raw`[\s\p{Cc}\p{Cf}]*`;
/** What begins a formula or a command, also in the full width of East Asian keyboards (OWASP, "CSV Injection"). */
const BEGINS = '[=+@|%\\-＝＋－＠｜％]';
/** A tab or a line break in front is enough for some. */
const FORMULA = new RegExp(`^(?:[\\t\\r\\n]|${SKIPPED}${BEGINS})`, 'u');

/** The text, with an apostrophe in front where a spreadsheet would compute it. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
