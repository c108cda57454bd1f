// One delivery, whole, and sending it again (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { abilitiesTo } from '../enums.ts';
import { endpoint } from './endpoint.ts';
import { delivery } from './learnings.ts';

/** Where the time of an attempt went, in ms; null for what it did not get to, for connecting where a connection was kept, and for what was not measured then. */
export const timings = z.object({
  dns_ms: z.number().nullable(),
  connect_ms: z.number().nullable(),
  tls_ms: z.number().nullable(),
  /** From the connection to the head of the answer. */
  first_byte_ms: z.number().nullable(),
});
export type Timings = z.infer<typeof timings>;

/** Header names, in lower case, and their values. */
const headers = z.record(z.string(), z.string());

/**
 * One POST as it went. `duration_ms` is the whole attempt; `response_text` the beginning of the answer, whatever it is. Of
 * `request_headers` the signatures are masked; `response_headers` are a few that help, and null where no answer came (W6).
 */
export const attempt = z
  .object({
    n: z.number().int(),
    url: z.string(),
    started_at: timestamp,
    duration_ms: z.number(),
    timings,
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    request_headers: headers,
    response_headers: headers.nullable(),
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

export const sendDeliveryNow = endpoint({
  method: 'POST',
  path: '/api/deliveries/:id/send-now',
  auth: 'session',
  summary: 'Make the next attempt of a waiting delivery now; one that is due already stays so',
  params: z.object({ id: uuid }),
  body: z.strictObject({}).optional(),
  reply: deliveryDetail,
});

/** The statuses of deliveries that can be sent again. */
export const REPLAYABLE = ['succeeded', 'dead'] as const;

/** No delivery is older. */
const moment = z.iso.datetime({ offset: true }).refine((text) => Date.parse(text) >= 0, 'Must not be before 1970.');

export const REPLAY_STATES = ['running', 'done', 'cancelled'] as const;

/**
 * Many deliveries sent again, oldest first, in the background. `total` is how many there were when it began; `to` is where
 * its window ends: what comes later is none of its business.
 */
export const replay = z
  .object({
    id: uuid,
    status: z.enum(REPLAYABLE),
    from: timestamp.nullable(),
    to: timestamp,
    state: z.enum(REPLAY_STATES),
    total: z.number().int(),
    replayed: z.number().int(),
    started_by: z.object({ user_id: uuid.nullable(), name: z.string() }),
    created_at: timestamp,
    ended_at: timestamp.nullable(),
    abilities: abilitiesTo('cancel'),
  })
  .meta({ id: 'Replay' });
export type Replay = z.infer<typeof replay>;

export const replayDeliveries = endpoint({
  method: 'POST',
  path: '/api/projects/:id/deliveries/replay',
  auth: 'session',
  summary: 'Send again what is dead, or what was made in a window of time, oldest first, in the background',
  status: 202,
  params: z.object({ id: uuid }),
  body: z
    .strictObject({ status: z.enum(REPLAYABLE).default('dead'), from: moment.optional(), to: moment.optional() })
    .optional(),
  reply: replay,
});

export const listReplays = endpoint({
  method: 'GET',
  path: '/api/projects/:id/replays',
  auth: 'session',
  summary: 'What was sent again in the background, and how far it is; newest first, the last 20',
  params: z.object({ id: uuid }),
  reply: z.object({ data: z.array(replay), next_cursor: z.string().nullable() }),
});

export const cancelReplay = endpoint({
  method: 'DELETE',
  path: '/api/replays/:id',
  auth: 'session',
  summary: 'Stop sending again: what is on its way stays on its way; one that has ended stays as it is',
  params: z.object({ id: uuid }),
  reply: replay,
});
