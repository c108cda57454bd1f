// What is kept of an answer's headers: a few that help to find a fault, as text that does nothing, and never much (W6).
import { stripControlCharacters } from './strip-control-characters.ts';

/** In the order they are shown. Cookies and whatever else a receiver says stay out: members of a project may read what is kept. */
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
/** UTF-16 units of all names and values. At most three bytes each, so that what is stored stays small beside the body. */
const MOST = 4_096;

/** Of `headers`, with names in lower case, those that are kept. What is sent twice is joined; what is too long is cut. */
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
