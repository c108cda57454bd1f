// Reads `Retry-After` (RFC 9110, 10.2.3).

/**
 * The seconds that the header asks for; null when it is absent or cannot be read. A date is measured against the answer's own
 * `Date`, so that a wrong clock on this side makes nobody come back too early; where there is none, against `now` (milliseconds).
 */
export function retryAfterSeconds(value: string | null, date: string | null, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const until = httpDate(text);
  if (until === null) return null;
  return Math.max(0, Math.ceil((until - (httpDate(date ?? '') ?? now)) / 1000));
}

/** The three HTTP date forms all start with a day's name; the oldest of them leaves the zone out, and means GMT. */
function httpDate(text: string): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : at;
}
