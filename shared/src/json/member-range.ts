// Finds the text of one member of a JSON object before parsing: a large value is validated apart from its envelope.
import { JsonLexer } from './json-lexer.ts';
import { isKey } from './split-list.ts';

/** Indices in UTF-16 units: the value without the white space before and behind it is `text.slice(from, to).trim()`. */
export interface MemberRange {
  from: number;
  to: number;
}

/**
 * Where the value of the member `name` of the object at `at` is; null when there is no such object or member. Of several
 * members with this name, the first. It looks only at brackets, colons, commas and strings and validates nothing: a
 * wrong range cannot be parsed.
 */
export function memberRange(text: string, name: string, at = 0): MemberRange | null {
  const lexer = new JsonLexer(text, at);
  if (lexer.next() !== '{') return null;
  let depth = 1;
  let key = '';
  let from = 0;
  for (let kind = lexer.next(); kind !== 'end' && kind !== 'broken'; kind = lexer.next()) {
    if (kind === '{' || kind === '[') depth += 1;
    else if (depth > 1) depth -= kind === '}' || kind === ']' ? 1 : 0;
    else if (kind === 'string' && key === '') key = lexer.token;
    else if (kind === ':') from = lexer.at;
    else if (kind === ',' || kind === '}' || kind === ']') {
      if (isKey(key, name)) return { from, to: lexer.from };
      if (kind !== ',') return null;
      key = '';
    }
  }
  return null;
}
