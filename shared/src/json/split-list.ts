// Splits a list in JSON text before parsing: megabytes are validated piece by piece, and each keeps its spelling.
import { JsonLexer } from './json-lexer.ts';

/**
 * Yields the text of each value in the list that is the member `name` of an object, and returns the object with each of
 * them replaced by `0`. A generator, so that the caller can yield to the event loop in between. It looks only at
 * brackets, commas and strings and validates nothing: the text is valid JSON exactly when all parts are, because a
 * wrong split cannot be parsed. Nothing is split after text that is not a token.
 */
export function* splitList(text: string, name: string): Generator<string, string> {
  const lexer = new JsonLexer(text);
  if (!findList(lexer, name)) return text;
  const start = lexer.from;
  let count = 0;
  let depth = 1;
  let from = lexer.at;
  while (depth > 0) {
    const kind = lexer.next();
    if (kind === 'end' || kind === 'broken') break;
    if (kind === ',' && depth === 1) {
      yield text.slice(from, lexer.from);
      count += 1;
      from = lexer.at;
    } else if (kind === '{' || kind === '[') depth += 1;
    else if (kind === '}' || kind === ']') depth -= 1;
  }
  const end = depth > 0 ? text.length : lexer.from;
  const last = text.slice(from, end);
  if (count > 0 || last.trim() !== '') {
    yield last;
    count += 1;
  }
  // The closing bracket of the list stays as it was sent: the parser must refuse a brace in its place.
  return `${text.slice(0, start)}[${Array(count).fill(0).join()}${text.slice(end)}`;
}

/** Moves to the bracket that opens the list of this member. False when there is none. */
function findList(lexer: JsonLexer, name: string): boolean {
  let depth = 0;
  let key = '';
  for (let kind = lexer.next(); kind !== 'end' && kind !== 'broken'; kind = lexer.next()) {
    if (kind === 'string' && depth === 1) key = lexer.token;
    else if (kind === '[' && depth === 1 && isKey(key, name)) return true;
    else if (kind === '{' || kind === '[') depth += 1;
    else if (kind === '}' || kind === ']') depth -= 1;
  }
  return false;
}

/** Whether the token of a key, in quotes, names this member: it may contain escapes. */
export const isKey = (key: string, name: string): boolean =>
  key.includes('\\') ? JSON.parse(key) === name : key === `"${name}"`;
