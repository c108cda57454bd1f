// What the queue, the people, the model and the webhook did in a window (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { itemStatus } from '../enums.ts';
import { endpoint } from './endpoint.ts';

const count = z.number().int();

/** Both ends belong to it, 0 to 1. */
const interval = z.object({ low: z.number(), high: z.number() });

/** `interval`: Wilson's at 95 % (AN20); null of no decision. */
/** Of items with this flag, model or source; null: without one; empty: all that are counted together (AN27). */
const share = z.object({
  key: z.string().nullable(),
  decided: count,
  overridden: count,
  interval: interval.nullable(),
});

/** Seconds; null when there are none. Off by 4.5 % at most (AN3). */
const times = z.object({
  n: count,
  p50: z.number().nullable(),
  p90: z.number().nullable(),
  p99: z.number().nullable(),
});
export type Times = z.infer<typeof times>;

/** What one person did in the window; `holding` is now. */
const workloadRow = z.object({
  user_id: uuid,
  name: z.string(),
  decided: count,
  overridden: count,
  interval: interval.nullable(),
  /** Escalations and returns. */
  moved: count,
  claimed: count,
  holding: count,
});

const bucket = z.enum(['minute', 'hour', 'day']);

const flow = z.object({
  at: timestamp,
  arrived: count,
  /** What came to wait for a person: of the arrivals what routing did not end, audits, and what was reopened. */
  enqueued: count,
  /** People's decisions, verdicts of audits included. */
  decided: count,
  /** How many waited for a person when the bucket, or the window, ended; `queued` and `escalated` are its parts. */
  waiting: count,
  queued: count,
  escalated: count,
  /** From arrival to decision, of what was decided in it. */
  time: times,
});

export const analytics = z
  .object({
    /** The window in whole minutes: it begins at or before what was asked for and ends at or after it (AN6). */
    from: timestamp,
    to: timestamp,
    bucket,
    /** IANA name of the zone whose hours and days the buckets are. */
    time_zone: z.string(),
    server_time: timestamp,
    /**
     * How far into the ledger the figures reach. Below `head` only while a ledger from before them is being counted. `more`: so much has
     * happened beyond `head` that only the oldest of it is in the figures.
     */
    counted: z.object({ seq: count, head: count, more: z.boolean() }),
    waiting: z.object({ queued: count, escalated: count }),
    reviewing: count,
    oldest_at: timestamp.nullable(),
    /** At most `COUNTED`: so many, or more. */
    past_due: count,
    /** Items that arrived in the window, by the status they have now. */
    mix: z.record(itemStatus, count),
    /** The same items by the status that routing gave them. */
    routing: z.record(z.enum(['auto_approved', 'queued', 'escalated', 'rejected']), count),
    arrived: count,
    /** People's decisions, verdicts of audits included; provisional ones too (AN2). */
    decided: count,
    /** Without the verdicts. */
    by_action: z.record(z.enum(['approve', 'edit', 'reject', 'finalize']), count),
    /** Edits and rejections among `by_action`. */
    overridden: count,
    /** Verdicts of audits, in no rate but this one (AN4). */
    audits: z.object({ decided: count, overridden: count, interval: interval.nullable() }),
    /** Arrivals and people's decisions per bucket, every bucket of the window in order. */
    flow: z.array(flow),
    /** From arrival to decision, over people's decisions in the window. */
    time_to_decision: times,
    /** From arrival to the first claim, over first claims in the window. */
    time_to_claim: times,
    /** At most 20 of each: the ten with most decisions, and of the others those whose interval begins highest. */
    overrides: z.object({ by_flag: z.array(share), by_model: z.array(share), by_source: z.array(share) }),
    /** Everybody who did something in the window, by name: a balance and no race. */
    workload: z.array(workloadRow),
    /** Attempts that ended in the window, by what came of them: `failed` ones are followed by another. */
    webhook: z.object({ succeeded: count, failed: count, dead: count, paused: count, time_to_deliver: times }),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.infer<typeof analytics>;

export const readAnalytics = endpoint({
  method: 'GET',
  path: '/api/projects/:id/analytics',
  auth: 'session',
  summary:
    'What the queue, the people, the model and the webhook did in a window (default: the last 24 hours, by hour)',
  params: z.object({ id: uuid }),
  query: z.object({
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    bucket: bucket.optional(),
  }),
  reply: analytics,
});
