// Splits a list in JSON text before parsing: megabytes are validated piece by piece, and each piece retains its
// spelling.

/**
 * Yields the text of each value in the list that is the member `name` of an object, and returns the object with each of
 * them replaced by `0`. A generator, so that the caller can yield to the event loop in between. It looks only at
 * brackets, commas and strings and validates nothing: the text is valid JSON exactly when all parts are, because a
 * wrong split cannot be parsed.
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
  // The closing bracket of the list stays as it was sent: the parser must refuse a brace in its place.
  return `${text.slice(0, start)}[${Array(count).fill(0).join()}${text.slice(at)}`;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** How a character changes the nesting depth. Works on character codes, for speed over five million characters. */
function stepOf(code: number): number {
  if (code === LIST || code === OBJECT) return 1;
  return code === LIST_END || code === OBJECT_END ? -1 : 0;
}

/** The index where the list of this member opens, or null. */
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

/** A key may contain escapes. */
function isKey(key: string, name: string): boolean {
  if (!key.includes('\\')) return key === `"${name}"`;
  try {
    return JSON.parse(key) === name;
  } catch {
    return false;
  }
}

/**
 * The index after the closing quote of the string that starts at `start`; beyond the end of the text when there is
 * none.
 */
export function closingQuote(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    if (at >= text.length) return text.length + 1;
    const character = text[at];
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
}
