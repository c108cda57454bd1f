// A filter of the delivery log; filters/delivery-filter.ts says which rows match it.
import { z } from 'zod';
import { DELIVERY_STATES } from '../../enums.ts';
import { isCode, isEventId } from '../../formats/delivery-terms.ts';
import { uuid } from './ids.ts';

/**
 * As in a query string. Every field narrows. `code` refers to the last attempt; an event and its item are compared in
 * full.
 */
export const deliveryFilter = z.object({
  status: z.enum(DELIVERY_STATES).optional(),
  code: z.string().refine(isCode, 'Use a status from 100 to 599, a class 2xx, 3xx, 4xx or 5xx, or none.').optional(),
  event: z.string().refine(isEventId, 'A webhook-id starts with evt_.').optional(),
  endpoint: z.guid('An endpoint ID is a UUID.').pipe(uuid).optional(),
  item: z.guid('An item ID is a UUID.').pipe(uuid).optional(),
});
export type DeliveryFilter = z.infer<typeof deliveryFilter>;
