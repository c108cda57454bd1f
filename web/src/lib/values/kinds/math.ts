// Formulas in a text: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Amounts of money are no formulas.

/** A piece of a text; `tex` is a formula without its signs, `text` is all as written. */
interface MathPiece {
  readonly text: string;
  readonly tex: string | null;
  /** On a line of its own. */
  readonly display: boolean;
}

const FORMULA =
  /\$\$([^$]{1,2000})\$\$|\\\[([\s\S]{1,2000}?)\\\]|\\\(([^\n]{1,1000}?)\\\)|(?<![\\$\w])\$(?! )([^$\n]{1,500}?)(?<![ \\])\$(?![\d$\w])/g;
const SIGN = /\\[A-Za-z]|[\^_=<>]|^[A-Za-z]'?$|[A-Za-z]\(/;
const WORDS = /(?<![\\A-Za-z])[A-Za-z]{4,}/;

/** Between single dollars only what has a sign of a formula and a letter, no words, and no operator at its end. */
function isFormula(tex: string): boolean {
  const named = tex.replace(/\\(?:text|mathrm|operatorname)\{[^}]*\}/g, '');
  return SIGN.test(tex) && /[A-Za-z\\^_]/.test(tex) && !/[-=+*/<>,.]$/.test(tex) && !WORDS.test(named);
}

/** The pieces of a text, in order; joined they are the text. */
export function mathPieces(text: string): MathPiece[] {
  const pieces: MathPiece[] = [];
  let at = 0;
  for (const match of text.matchAll(FORMULA)) {
    const formula = formulaOf(match);
    if (formula === null) continue;
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), tex: null, display: false });
    pieces.push(formula);
    at = match.index + formula.text.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), tex: null, display: false });
  return pieces;
}

const AT_START = new RegExp(FORMULA.source, 'y');

/** The formula that a text begins with, looked for nowhere else; null when there is none. */
export function leadingFormula(text: string): MathPiece | null {
  AT_START.lastIndex = 0;
  const match = AT_START.exec(text);
  return match && formulaOf(match);
}

function formulaOf([whole, block, bracket, inline, dollars]: RegExpExecArray): MathPiece | null {
  const tex = (block ?? bracket ?? inline ?? dollars ?? '').trim();
  if (tex === '' || (dollars !== undefined && !isFormula(dollars))) return null;
  return { text: whole, tex, display: block !== undefined || bracket !== undefined };
}

const LONGEST = 20_000;

export const hasMath = (text: string): boolean =>
  text.length <= LONGEST && /\$|\\[([]/.test(text) && mathPieces(text).some(({ tex }) => tex !== null);
