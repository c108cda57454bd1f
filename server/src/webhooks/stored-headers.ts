// Selects the response headers to store: a few that help to find an error, as harmless text of limited size (W6).
import { stripControlCharacters } from './strip-control-characters.ts';

/** In display order. Cookies and all other headers are not stored: members of a project can read them. */
const STORED_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'server',
  'retry-after',
  'location',
  'x-request-id',
  'cf-ray',
  'traceparent',
  'via',
] as const;
/** UTF-16 units of all names and values. At most three bytes each, so that they stay small next to the body. */
const MOST = 4_096;

/** The stored ones of `headers`, with names in lower case. Repeated ones are joined; long ones are truncated. */
export function storedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const stored: Record<string, string> = {};
  let room = MOST;
  for (const name of STORED_HEADERS) {
    const given = headers[name];
    if (given === undefined || room <= name.length) continue;
    room -= name.length;
    const value = stripControlCharacters([given].flat().join(', ').slice(0, room));
    room -= value.length;
    stored[name] = value;
  }
  return stored;
}
