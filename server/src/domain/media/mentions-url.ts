// Whether a URL occurs in the values of an item, so that the media proxy fetches nothing else (MP1).
import { URL_LENGTH } from '@countersign/shared/limits';
import { trimEnd } from '@countersign/shared/trim-end';

/** Where a URL inside a longer text, such as Markdown, may begin and end. */
const IN_TEXT = /https?:\/\/[^\s"'<>()[\]{}\\`|]+/gi;
const TRAILING = '.,;:!?*_~';

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
  return (text.match(IN_TEXT) ?? []).some(
    (found) => spelledUrl(found) === url || spelledUrl(trimEnd(found, TRAILING)) === url,
  );
}
