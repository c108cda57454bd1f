// Parses `Retry-After` (RFC 9110, 10.2.3).

/**
 * The seconds that the header asks for; null when it is absent or unreadable. A date is measured against the `Date` of
 * the response, so that a wrong local clock causes no early retry; without one, against `now` (milliseconds).
 */
export function retryAfterSeconds(value: string | null, date: string | null, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const until = httpDate(text);
  if (until === null) return null;
  return Math.max(0, Math.ceil((until - (httpDate(date ?? '') ?? now)) / 1000));
}

/** All three HTTP date formats start with the name of a day; the oldest omits the zone and means GMT. */
function httpDate(text: string): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : at;
}
