// Takes a batch apart before any of it is parsed, so that five megabytes are judged item by item and never hold the event loop.
import { closingQuote } from './i-json.ts';

/**
 * Yields the text of each item of `{"items":[…]}`, and returns the batch without them (each replaced by `0`): one after the
 * other, so that whoever asks can rest in between. Not judged yet: every part has to be parsed. It goes by brackets, commas
 * and strings alone; the text is valid JSON exactly when all parts are, because one that is cut wrongly cannot be parsed.
 */
export function* splitBatch(text: string): Generator<string, string> {
  const start = findItems(text);
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

/** Where the list of the member `items` opens, or null. */
function findItems(text: string): number | null {
  let depth = 0;
  let key = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (depth === 1) key = text.slice(at, end);
      at = end - 1;
    } else if (code === LIST && depth === 1 && isItems(key)) return at;
    else depth += stepOf(code);
  }
  return null;
}

/** A key may be spelled with escapes. */
function isItems(key: string): boolean {
  if (!key.includes('\\')) return key === '"items"';
  try {
    return JSON.parse(key) === 'items';
  } catch {
    return false;
  }
}
