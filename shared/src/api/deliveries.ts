// One delivery, whole, and sending it again, CONTRACT section 4.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { endpoint } from './endpoint.ts';
import { delivery } from './insights.ts';

/** One POST as it went. `duration_ms` is the whole attempt; `response_text` the beginning of the answer, whatever it is. */
export const attempt = z
  .object({
    n: z.number().int(),
    url: z.string(),
    started_at: timestamp,
    duration_ms: z.number(),
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    response_text: z.string().nullable(),
  })
  .meta({ id: 'Attempt' });
export type Attempt = z.infer<typeof attempt>;

/** `body` is sent byte for byte, on every attempt; `attempts` come newest first, at most 50. */
export const deliveryDetail = delivery
  .extend({ project_id: uuid, url: z.string().nullable(), body: z.string(), attempts: z.array(attempt) })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

export const readDelivery = endpoint({
  method: 'GET',
  path: '/api/deliveries/:id',
  auth: 'session',
  summary: 'One delivery with its bytes and its attempts',
  params: z.object({ id: uuid }),
  reply: deliveryDetail,
});

export const replayDelivery = endpoint({
  method: 'POST',
  path: '/api/deliveries/:id/replay',
  auth: 'session',
  summary: 'Send a delivery again: the same id and bytes, as the next attempt',
  params: z.object({ id: uuid }),
  body: z.strictObject({}).optional(),
  reply: deliveryDetail,
});

/** The statuses of deliveries that can be sent again. */
export const REPLAYABLE = ['succeeded', 'dead'] as const;

/** No delivery is older. */
const moment = z.iso.datetime({ offset: true }).refine((text) => Date.parse(text) >= 0, 'Must not be before 1970.');

/** How many deliveries one request sends again at most. */
export const REPLAY_MOST = 1000;

export const replayDeliveries = endpoint({
  method: 'POST',
  path: '/api/projects/:id/deliveries/replay',
  auth: 'session',
  summary: 'Send again what is dead, or what was made in a window of time, oldest first',
  params: z.object({ id: uuid }),
  body: z
    .strictObject({
      status: z.enum(REPLAYABLE).default('dead'),
      from: moment.optional(),
      to: moment.optional(),
      /** Where the last answer ended: what it sent again is not sent twice. */
      after: z.string().max(200).optional(),
    })
    .optional(),
  /** `next_cursor`: others match; send it as `after` for the next of them. */
  reply: z.object({ replayed: z.number().int(), next_cursor: z.string().nullable() }),
});
