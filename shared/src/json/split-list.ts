// Takes a list in JSON text apart before any of it is parsed: megabytes are judged piece by piece, and each stays as it was spelt.

/**
 * Yields the text of each value in the list that is the member `name` of an object, and returns the object without them (each
 * replaced by `0`): one after the other, so that whoever asks can rest in between. Not judged yet: every part has to be parsed. It goes by brackets, commas
 * and strings alone; the text is valid JSON exactly when all parts are, because one that is cut wrongly cannot be parsed.
 */
export function* splitList(text: string, name: string): Generator<string, string> {
  const start = findList(text, name);
  if (start === null) return text;
  let count = 0;
  let depth = 1;
  let from = start + 1;
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at) - 1;
    else if (code === COMMA && depth === 1) {
      yield text.slice(from, at);
      count += 1;
      from = at + 1;
    } else depth += stepOf(code);
    if (depth === 0) break;
  }
  const last = text.slice(from, at);
  if (count > 0 || last.trim() !== '') {
    yield last;
    count += 1;
  }
  // The bracket that ends the list stays as it was sent: a brace in its place is for the parser to refuse.
  return `${text.slice(0, start)}[${Array(count).fill(0).join()}${text.slice(at)}`;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** How a character changes the depth. By code, here and below: five million characters are looked at one by one. */
function stepOf(code: number): number {
  if (code === LIST || code === OBJECT) return 1;
  return code === LIST_END || code === OBJECT_END ? -1 : 0;
}

/** Where the list of this member opens, or null. */
function findList(text: string, name: string): number | null {
  let depth = 0;
  let key = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (depth === 1) key = text.slice(at, end);
      at = end - 1;
    } else if (code === LIST && depth === 1 && isKey(key, name)) return at;
    else depth += stepOf(code);
  }
  return null;
}

/** A key may be spelled with escapes. */
function isKey(key: string, name: string): boolean {
  if (!key.includes('\\')) return key === `"${name}"`;
  try {
    return JSON.parse(key) === name;
  } catch {
    return false;
  }
}

/** The index after the closing quote of the string that starts at `start`; beyond the text when there is none. */
export function closingQuote(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    if (at >= text.length) return text.length + 1;
    const character = text[at];
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
}
