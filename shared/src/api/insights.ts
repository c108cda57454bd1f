// Learnings, analytics and the delivery log, CONTRACT section 4.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { json } from '../json.ts';
import { deliveryFilter } from '../delivery-filter.ts';
import { learningFilter } from '../learning-filter.ts';
import { abilitiesTo, deliveryStatus, itemStatus } from '../words.ts';
import { endpoint } from './endpoint.ts';

const projectParams = z.object({ id: uuid });
const page = { after: z.string().max(200).optional(), limit: z.coerce.number().int().min(1).max(100).default(50) };

/** A recorded override: what the pipeline suggested, what a person made of it, and why. `output` is null for a rejection. */
export const learning = z
  .object({
    id: uuid,
    item_id: uuid,
    action: z.enum(['edit', 'reject']),
    preview: z.string(),
    suggestion: json,
    output: json,
    /** How many fields or places of the suggestion the edit changed; null of a rejection, and of a suggestion without fields. */
    changes: z.number().int().nullable(),
    reason: z.string(),
    note: z.string().nullable(),
    confidence: z.number(),
    risk_flags: z.array(z.string()),
    model: z.string().nullable(),
    source: z.string().nullable(),
    reviewer_id: uuid,
    reviewer_name: z.string(),
    settings_version: z.number().int(),
    created_at: timestamp,
  })
  .meta({ id: 'Learning' });
export type Learning = z.infer<typeof learning>;

export const listLearnings = endpoint({
  method: 'GET',
  path: '/api/projects/:id/learnings',
  auth: 'session',
  summary: 'Recorded overrides, newest first; all of them, or what answers a filter, of one cluster',
  params: projectParams,
  query: learningFilter.extend({ ...page, cluster: uuid.optional() }),
  /** `total`: how many answer. */
  reply: z.object({ data: z.array(learning), next_cursor: z.string().nullable(), total: z.number().int() }),
});

const share = z.object({ key: z.string(), decided: z.number().int(), overridden: z.number().int() });

export const analytics = z
  .object({
    from: timestamp,
    to: timestamp,
    bucket: z.enum(['minute', 'hour', 'day']),
    server_time: timestamp,
    waiting: z.object({ queued: z.number().int(), escalated: z.number().int() }),
    reviewing: z.number().int(),
    oldest_at: timestamp.nullable(),
    past_due: z.number().int(),
    /** Items that arrived in the window, by the status they have now. */
    mix: z.record(itemStatus, z.number().int()),
    arrived: z.number().int(),
    decided: z.number().int(),
    overridden: z.number().int(),
    /** Arrivals and people's final decisions per bucket, every bucket of the window in order. */
    flow: z.array(
      z.object({
        at: timestamp,
        arrived: z.number().int(),
        decided: z.number().int(),
        /** How many waited for a person when the bucket, or the window, ended. */
        waiting: z.number().int(),
      }),
    ),
    /** Seconds from arrival to decision, over people's decisions in the window; null when there are none. */
    time_to_decision: z.object({ n: z.number().int(), p50: z.number().nullable(), p90: z.number().nullable() }),
    overrides: z.object({ by_flag: z.array(share), by_model: z.array(share), by_source: z.array(share) }),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.infer<typeof analytics>;

export const readAnalytics = endpoint({
  method: 'GET',
  path: '/api/projects/:id/analytics',
  auth: 'session',
  summary: 'What the queue, the people and the model did in a window (default: the last 24 hours, by hour)',
  params: projectParams,
  query: z.object({
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    bucket: z.enum(['minute', 'hour', 'day']).optional(),
  }),
  reply: analytics,
});

export const delivery = z
  .object({
    id: uuid,
    item_id: uuid,
    webhook_id: z.string(),
    status: deliveryStatus,
    attempt: z.number().int(),
    /** The schedule it is on: how many of its attempts have begun, of how many; sent again, it begins anew (WH1). */
    run: z.object({ attempt: z.number().int(), of: z.number().int() }),
    next_attempt_at: timestamp.nullable(),
    http_status: z.number().int().nullable(),
    error: z.string().nullable(),
    /** Of the last attempt that has ended; null before the first one has. */
    duration_ms: z.number().nullable(),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    abilities: abilitiesTo('replay'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof delivery>;

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/api/projects/:id/deliveries',
  auth: 'session',
  summary: 'The delivery log, newest first; all of it, or what answers a filter',
  params: projectParams,
  query: deliveryFilter.extend(page),
  reply: z.object({ data: z.array(delivery), next_cursor: z.string().nullable() }),
});
