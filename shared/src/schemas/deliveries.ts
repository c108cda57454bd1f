// The delivery log, one delivery with its attempts, and replays (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { DELIVERED_EVENTS, REPLAYED_STATUSES, REPLAY_STATES } from '../enums.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { deliveryFilter } from './parts/delivery-filter.ts';
import { abilitiesTo, decisionAction, deliveryStatus, itemStatus } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { dateTime } from './parts/date-time.ts';
import { queryInteger } from './parts/query-number.ts';

const delivery = z
  .object({
    id: uuid,
    /** Where it goes (WH12): the name is its description, or the host of its URL; null once it was removed. */
    endpoint: z.object({ id: uuid, name: z.string().nullable() }),
    item_id: uuid,
    /** The title of the item, or the beginning of its input; empty once its content was deleted (KE2). */
    item_preview: z.string(),
    webhook_id: z.string(),
    /** What it reports: the event, the status of the item, and what the reviewer did; null where the event log no longer has it. */
    reports: z
      .object({ event: z.enum(DELIVERED_EVENTS), status: itemStatus, action: decisionAction.nullable() })
      .nullable(),
    status: deliveryStatus,
    attempt: z.number().int(),
    /** The current schedule: how many of its attempts have begun, out of how many; a replay starts a new one (WH1). */
    run: z.object({ attempt: z.number().int(), of: z.number().int() }),
    next_attempt_at: timestamp.nullable(),
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    /** Of the last finished attempt; null before the first one finishes. */
    duration_ms: z.number().nullable(),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    abilities: abilitiesTo('replay', 'send_now'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof delivery>;

export const listDeliveries = endpointSchemas({
  auth: 'session',
  summary: 'The delivery log, newest first, optionally filtered',
  params: z.object({ id: uuid }),
  query: deliveryFilter.extend({
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 100).prefault(50),
  }),
  reply: z.object({ data: z.array(delivery), next_cursor: z.string().nullable() }),
});

/** A count of at most `COUNT_LIMIT`; one more means that there are more. */
const bounded = z.number().int();

/**
 * The delivery log in figures (WH11). `counts` are by filter of the log; `failed` overlaps with others. `retryable`: pending ones whose
 * next attempt is later than now. `recent`: of the last 24 hours, at most the newest 1,000 deliveries: how many
 * arrived, how many ended without, and the 95th percentile of the duration of their attempts in ms, null without one.
 */
export const deliverySummary = z.object({
  counts: z.object({
    all: bounded,
    succeeded: bounded,
    pending: bounded,
    failed: bounded,
    dead: bounded,
    paused: bounded,
  }),
  retryable: bounded,
  recent: z.object({
    succeeded: z.number().int(),
    dead: z.number().int(),
    /** There are more in the last 24 hours than are counted here. */
    limited: z.boolean(),
    p95_ms: z.number().nullable(),
  }),
  /** What the log can be filtered by, the one of the settings first. */
  endpoints: z.array(z.object({ id: uuid, name: z.string() })),
  abilities: abilitiesTo('retry_all'),
});
export type DeliverySummary = z.infer<typeof deliverySummary>;

export const summarizeDeliveries = endpointSchemas({
  auth: 'session',
  summary: 'How many deliveries are in each state, what share arrived, and how long attempts take',
  params: z.object({ id: uuid }),
  reply: deliverySummary,
});

/**
 * Duration of each phase of an attempt in ms; null for a phase that was not reached or not measured, and for connecting
 * over a reused connection.
 */
export const timings = z.object({
  dns_ms: z.number().nullable(),
  connect_ms: z.number().nullable(),
  tls_ms: z.number().nullable(),
  /** From the established connection to the response headers. */
  first_byte_ms: z.number().nullable(),
});
export type Timings = z.infer<typeof timings>;

/** Header names in lower case, with their values. */
const headers = z.record(z.string(), z.string());

/**
 * One POST as it was sent. `duration_ms` covers the whole attempt; `response_text` is the beginning of the response,
 * regardless of its type. Signatures in `request_headers` are masked; `response_headers` is a useful subset, null without a
 * response (W6).
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

/** `body` is sent byte for byte on every attempt; `attempts` are newest first, at most 50. */
export const deliveryDetail = delivery
  .extend({ project_id: uuid, url: z.string().nullable(), body: z.string(), attempts: z.array(attempt) })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

export const readDelivery = endpointSchemas({
  auth: 'session',
  summary: 'One delivery with its body and its attempts',
  params: z.object({ id: uuid }),
  reply: deliveryDetail,
});

export const replayDelivery = endpointSchemas({
  auth: 'session',
  summary: 'Send a delivery again: the same ID and body, as the next attempt',
  params: z.object({ id: uuid }),
  body: z.strictObject({}).optional(),
  reply: deliveryDetail,
});

export const sendDeliveryNow = endpointSchemas({
  auth: 'session',
  summary: 'Make the next attempt of a pending delivery now; one that is already due is unchanged',
  params: z.object({ id: uuid }),
  body: z.strictObject({}).optional(),
  reply: deliveryDetail,
});

/** No delivery is older than this. */
const notBefore1970 = dateTime.refine((text) => Date.parse(text) >= 0, 'Must not be before 1970.');

/**
 * A replay of many deliveries, oldest first, in the background. One of `pending` deliveries makes those that wait for a later
 * attempt due now, within their schedules (WH8). `total` is the number of deliveries when it began; `to`
 * is the end of its window: later deliveries are not included.
 */
export const replay = z
  .object({
    id: uuid,
    /** Deliveries of this endpoint only; null: of all. */
    endpoint_id: uuid.nullable(),
    status: z.enum(REPLAYED_STATUSES),
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

export const replayDeliveries = endpointSchemas({
  auth: 'session',
  summary: 'Replay dead or delivered deliveries, or retry all pending ones now, oldest first, in the background',
  status: 202,
  params: z.object({ id: uuid }),
  body: z
    .strictObject({
      status: z.enum(REPLAYED_STATUSES).default('dead'),
      endpoint_id: uuid.optional(),
      from: notBefore1970.optional(),
      to: notBefore1970.optional(),
    })
    .optional(),
  reply: replay,
});

export const listReplays = endpointSchemas({
  auth: 'session',
  summary: 'The last 20 replays and their progress, newest first',
  params: z.object({ id: uuid }),
  reply: z.object({ data: z.array(replay), next_cursor: z.string().nullable() }),
});

export const cancelReplay = endpointSchemas({
  auth: 'session',
  summary: 'Stop a replay: deliveries in progress continue; a finished replay is unchanged',
  params: z.object({ id: uuid }),
  reply: replay,
});
