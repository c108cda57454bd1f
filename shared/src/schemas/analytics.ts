// What the queue, the reviewers, the model and the webhook did in a time window (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { itemStatus, reviewerDecision } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

const count = z.number().int();

/** Both bounds are inclusive, 0 to 1. */
const interval = z.object({ low: z.number(), high: z.number() });

/** `interval` is Wilson's at 95 % (AN20); null when nothing was decided. */
/**
 * `name` is the flag, model or source; null means items without one. The list is empty where all are counted together
 * (AN27).
 */
const share = z.object({
  key: z.string().nullable(),
  decided: count,
  overridden: count,
  interval: interval.nullable(),
});

/** Seconds; null when there are none. The error is 4.5 % at most (AN3). */
const times = z.object({
  n: count,
  p50: z.number().nullable(),
  p90: z.number().nullable(),
  p99: z.number().nullable(),
});
export type Times = z.infer<typeof times>;

/** What one member did in the window; `holding` is the current number of claims. */
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

/** `n` of `ended` items that left the queue. */
const ofEnded = { n: count, ended: count, interval: interval.nullable() };
const expiredGroup = z.object({ key: z.string().nullable(), ...ofEnded });

const bucket = z.enum(['minute', 'hour', 'day']);

const flow = z.object({
  at: timestamp,
  arrived: count,
  /**
   * Items that came to people: arrivals that routing did not decide, audits, and reopened items, without those that the
   * pipeline withdrew since (AN1).
   */
  enqueued: count,
  /** Human decisions, including audit verdicts. */
  decided: count,
  /** How many items waited for review at the end of the bucket or window; `queued` and `escalated` are its parts. */
  waiting: count,
  queued: count,
  escalated: count,
  /** From arrival to decision, for items decided in the bucket. */
  time: times,
});

export const analytics = z
  .object({
    /**
     * The window in whole minutes: it starts at or before the requested start and ends at or after the requested end
     * (AN6).
     */
    from: timestamp,
    to: timestamp,
    bucket,
    /** IANA name of the time zone that defines the hours and days of the buckets. */
    time_zone: z.string(),
    server_time: timestamp,
    /**
     * How far into the event log the figures reach. `seq` is below `head` only while an older log is still being
     * counted. `more` means that more events follow `head` than the figures include; only the oldest of them are
     * counted.
     */
    counted: z.object({ seq: count, head: count, more: z.boolean() }),
    waiting: z.object({ queued: count, escalated: count }),
    reviewing: count,
    oldest_at: timestamp.nullable(),
    /** Counted up to `COUNTED`; that value means "this many or more". */
    past_due: count,
    /** Items that arrived in the window, by their current status; an unsettled audit counts as `auto_approved` (AN34). */
    mix: z.record(itemStatus, count),
    /** The same items by the status that routing assigned. */
    routing: z.record(z.enum(['auto_approved', 'queued', 'escalated', 'rejected']), count),
    arrived: count,
    /**
     * Items that came to people in the window, as `flow` has them by bucket. Of a time before withdrawals were dated, the
     * buckets may add up to more: only here are its withdrawals taken off (AN1).
     */
    enqueued: count,
    /** Human decisions, including audit verdicts and provisional decisions (AN2). */
    decided: count,
    /** Without audit verdicts. */
    by_action: z.record(reviewerDecision, count),
    /** Edits, rejections and responses among `by_action`, except on items without a suggestion. */
    overridden: count,
    /**
     * Audit verdicts that judged the suggestion; no other rate includes them (AN4). `waiting` counts the arrivals of the window whose audit waits:
     * `mix` has them as `auto_approved`, and `waiting` above includes them.
     */
    audits: z.object({ decided: count, overridden: count, interval: interval.nullable(), waiting: count }),
    /** Arrivals and human decisions per bucket, for every bucket of the window in order. */
    flow: z.array(flow),
    /** From arrival to decision, over the human decisions in the window. */
    time_to_decision: times,
    /** From arrival to the first claim, over the first claims in the window. */
    time_to_claim: times,
    /** At most 20 of each: the ten with the most decisions, then those whose interval has the highest lower bound. */
    overrides: z.object({ by_flag: z.array(share), by_model: z.array(share), by_source: z.array(share) }),
    /**
     * Items whose deadline ended them in the window, out of those and the human decisions (AN32); of each group at most
     * 20, those with most expired items first.
     */
    expired: z.object({ ...ofEnded, by_flag: z.array(expiredGroup), by_model: z.array(expiredGroup) }),
    /**
     * Suggestions that were checked against a schema, among the newest arrivals of the window, and those that did not
     * satisfy it, by model: at most 20, most checked first (AN31).
     */
    invalid: z.array(
      z.object({ key: z.string().nullable(), judged: count, invalid: count, interval: interval.nullable() }),
    ),
    /**
     * `invalid` counts only later arrivals of the window: of earlier ones the content may be deleted by retention, except
     * where a learning quotes it. Null when none of the window is.
     */
    invalid_since: timestamp.nullable(),
    /** Every member who was active in the window, sorted by name, not by output. */
    workload: z.array(workloadRow),
    /**
     * Attempts that ended in the window, by outcome: each `failed` attempt is followed by a retry. `deliveries` counts each
     * delivery once, by its last end, also where it was sent again after an earlier one (WH10). `retrying` deliveries wait
     * now, counted up to `COUNTED`.
     */
    webhook: z.object({
      ...{ succeeded: count, failed: count, dead: count, paused: count, time_to_deliver: times },
      deliveries: z.object({ succeeded: count, dead: count }),
      ...{ retrying: count, oldest_retrying_at: timestamp.nullable() },
    }),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.infer<typeof analytics>;

export const readAnalytics = endpointSchemas({
  auth: 'session',
  summary:
    'What the queue, the reviewers, the model and the webhook did in a window (default: the last 24 hours, by hour)',
  params: z.object({ id: uuid }),
  query: z.object({
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    bucket: bucket.optional(),
  }),
  reply: analytics,
});
