// Whether a URL occurs in the values of an item, so that the media proxy fetches nothing else (MP1).
import { URL_LENGTH } from '@countersign/shared/limits';
import { trimEnd } from '@countersign/shared/trim-end';

/** Where a URL inside a longer text, such as Markdown, may begin and end. */
const IN_TEXT = /https?:\/\/[^\s"'<>()[\]{}\\`|]+/gi;
const TRAILING = '.,;:!?*_~';
/** What follows a URL that has such characters itself. */
const AFTER = /[.,;:!?*_~]*(?:[\s"'<>)\]}`|#]|$)/y;
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
/** A character that Markdown escapes. */
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
const ESCAPE_AT = /^\\[!-/:-@[-`{-~]/;

/** A URL in one spelling, without its fragment; null for anything else, and for one longer than {@link URL_LENGTH}. */
export function spelledUrl(text: string): string | null {
  if (text.length > URL_LENGTH) return null;
  const url = URL.parse(text);
  if (url === null) return null;
  url.hash = '';
  return url.href;
}

/** Whether one of these JSON texts has the URL as a string value, or in a longer one. Takes the spelling of `spelledUrl`. */
export const mentionsUrl = (texts: readonly (string | null)[], url: string): boolean =>
  texts.some((text) => text !== null && mentions(JSON.parse(text) as unknown, url));

/** Without recursion: the depth of a value is its sender's choice. */
function mentions(value: unknown, url: string): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string' && isMentionedIn(next, url)) return true;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) rest.push(member);
  }
  return false;
}

function isMentionedIn(text: string, url: string): boolean {
  if (!/https?:/i.test(text)) return false;
  if (spelledUrl(text.trim()) === url) return true;
  let read = 0;
  for (const { 0: found, index } of text.matchAll(IN_TEXT)) {
    if (spelledUrl(found) === url || spelledUrl(trimEnd(found, TRAILING)) === url) return true;
    // What was read once begins no other mention, so that the time grows with the text only.
    if (index < read) continue;
    read = sameUntil(text, index, url);
    if (isSpelled(text.slice(index, read), url) && isEnd(text, index, read)) return true;
  }
  return false;
}

/** Up to where the text, from `start`, has the characters of the URL, as `spellingAt` reads them. */
function sameUntil(text: string, start: number, url: string): number {
  let [at, matched] = [start, 0];
  while (at < text.length && matched < url.length) {
    const from = text[at] === '\\' && ESCAPE_AT.test(text.slice(at, at + 2)) ? at + 1 : at;
    const character = String.fromCodePoint(text.codePointAt(from) ?? 0);
    const spelling = spellingAt(url, matched, character);
    if (spelling === null) break;
    matched += spelling.length;
    at = from + character.length;
  }
  return at;
}

/** How the URL has a character there: as it is, in lower case, or encoded; null if it has another one. */
function spellingAt(url: string, at: number, character: string): string | null {
  if (url.startsWith(character, at)) return character;
  const others = [character.toLowerCase(), character === "'" ? '%27' : encodeURIComponent(character.toWellFormed())];
  return others.find((one) => url.startsWith(one, at)) ?? null;
}

const isSpelled = (part: string, url: string): boolean => spelledUrl(part.replaceAll(ESCAPE, '$1')) === url;

/** Whether a URL at these positions of a text ends there: a bracket that closes one of its own belongs to it. */
function isEnd(text: string, start: number, end: number): boolean {
  const url = text.slice(start, end);
  if (/["<>]/.test(url)) return false;
  if (/\s/.test(url)) return text[start - 1] === '<' && text[end] === '>';
  AFTER.lastIndex = end;
  if (!AFTER.test(text)) return false;
  const closing = text[end] ?? '';
  const opening = OPENING[closing];
  return opening === undefined || url.split(opening).length <= url.split(closing).length;
}
