// A filter of the delivery log: its schema, and whether a row matches it. The database applies the same filter in SQL.
import { z } from 'zod';
import { uuid } from '../ids.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../enums.ts';

/**
 * A status, or `failed`: the last attempt failed, whether another one follows (then it is pending) or not (then it is
 * dead).
 */
export const DELIVERY_STATES = [...DELIVERY_STATUSES, 'failed'] as const;

/** Classes of HTTP status, and `none`: attempted without a response. */
const CODE = /^(?:[1-5]\d\d|[2-5]xx|none)$/;
/** The webhook IDs that deliveries have, with room for future formats. */
const EVENT = /^evt_[\w-]{1,100}$/;

/** Whether a text is a valid code filter: a status from 100 to 599, a class such as 5xx, or none. */
export const isCode = (text: string): boolean => CODE.test(text);
/** Whether a text can be a webhook-id. */
export const isEventId = (text: string): boolean => EVENT.test(text);

/**
 * As in a query string. Every field narrows. `code` refers to the last attempt; an event and its item are compared in
 * full.
 */
export const deliveryFilter = z.object({
  status: z.enum(DELIVERY_STATES).optional(),
  code: z.string().refine(isCode, 'Use a status from 100 to 599, a class 2xx, 3xx, 4xx or 5xx, or none.').optional(),
  event: z.string().refine(isEventId, 'A webhook-id starts with evt_.').optional(),
  item: z.guid('An item ID is a UUID.').pipe(uuid).optional(),
});
export type DeliveryFilter = z.infer<typeof deliveryFilter>;

interface Filtered {
  status: DeliveryStatus;
  http_status: number | null;
  error: string | null;
  webhook_id: string;
  item_id: string;
}

/** Whether a row matches the filter. */
export function answersDelivery({ status, code, event, item }: DeliveryFilter, row: Filtered): boolean {
  return (
    (status === undefined || (status === 'failed' ? row.error !== null : row.status === status)) &&
    (code === undefined || hasCode(row, code)) &&
    (event === undefined || row.webhook_id === event) &&
    (item === undefined || row.item_id === item)
  );
}

/** The HTTP statuses that a code matches, both ends inclusive; null for `none`. */
export function statusRange(code: string): readonly [from: number, to: number] | null {
  if (code === 'none') return null;
  if (!code.endsWith('xx')) return [Number(code), Number(code)];
  const first = Number(code.slice(0, 1)) * 100;
  return [first, first + 99];
}

function hasCode({ http_status, error }: Filtered, code: string): boolean {
  const range = statusRange(code);
  if (range === null) return http_status === null && error !== null;
  return http_status !== null && http_status >= range[0] && http_status <= range[1];
}
