// What the delivery log is searched by: codes (HTTP statuses and their classes) and webhook IDs.

/** Classes of HTTP status, and `none`: attempted without a response. */
const CODE = /^(?:[1-5]\d\d|[2-5]xx|none)$/;
/** The webhook IDs that deliveries have, with room for future formats. */
const EVENT = /^evt_[\w-]{1,100}$/;

/** Whether a text is a valid code filter: a status from 100 to 599, a class such as 5xx, or none. */
export const isCode = (text: string): boolean => CODE.test(text);
/** Whether a text can be a webhook-id. */
export const isEventId = (text: string): boolean => EVENT.test(text);

/** The HTTP statuses that a code matches, both ends inclusive; null for `none`. */
export function statusRange(code: string): readonly [from: number, to: number] | null {
  if (code === 'none') return null;
  if (!code.endsWith('xx')) return [Number(code), Number(code)];
  const first = Number(code.slice(0, 1)) * 100;
  return [first, first + 99];
}
