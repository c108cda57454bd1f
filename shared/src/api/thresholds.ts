// What tells where to set the line: how far confidence keeps its word, and what arrived and was decided, to try thresholds on.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { belowReview } from '../enums.ts';
import { endpoint } from './endpoint.ts';

/** Newest arrivals, and newest decisions of people, that a sample holds at most. */
export const SAMPLE_SIZE = 10_000;

/** How items came to where they are. People look at each kind in another way, so kinds are never pooled. */
export const SAMPLE_KINDS = ['queued', 'escalated', 'automatic', 'refused'] as const;

const count = z.number().int().min(0);

/** `limited`: there are more in the window than the sample holds. `since`: the oldest that it holds. */
const extent = z.object({ n: count, limited: z.boolean(), since: timestamp.nullable() });

export const thresholdSample = z
  .object({
    from: timestamp,
    to: timestamp,
    server_time: timestamp,
    settings: z.object({
      auto_threshold: z.number(),
      review_threshold: z.number(),
      below_review: belowReview,
      escalate_flags: z.array(z.string()),
      audit_rate: z.number(),
      settings_version: z.number().int(),
    }),
    /** The flags of the sample and those that escalate now, each once however it is spelled (RT1). */
    flags: z.array(z.object({ flag: z.string(), escalates: z.boolean(), arrived: count })),
    /** Which flags go together on an item, as places in `flags`. */
    flag_sets: z.array(z.array(count)),
    /** Automatic items that were audited at different rates are different kinds. */
    kinds: z.array(z.object({ kind: z.enum(SAMPLE_KINDS), audit_rate: z.number().nullable() })),
    /**
     * One per confidence, flag set and kind, by confidence: `[confidence, flag set, kind, arrived, looked, wrong]`.
     * `looked`: a person approved, edited or rejected it; `wrong`: edited or rejected.
     */
    cells: z.array(z.tuple([z.number(), count, count, count, count, count])),
    /** How much more alike neighbours in time are than chance would have it, 1 or more: of confidences, and of wrong ones. */
    dispersion: z.object({ arrivals: z.number().min(1), wrong: z.number().min(1) }),
    arrivals: extent,
    decisions: extent,
    /** Seconds a person has an item before they decide it: the median of the newest decisions; null when there are none. */
    median: z.object({ n: count, seconds: z.number().nullable() }),
  })
  .meta({ id: 'ThresholdSample' });
export type ThresholdSample = z.infer<typeof thresholdSample>;

const projectParams = z.object({ id: uuid });
const window = z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() });

export const readThresholds = endpoint({
  method: 'GET',
  path: '/api/projects/:id/analytics/thresholds',
  auth: 'session',
  summary:
    'What other thresholds would have done: the newest arrivals and decisions of a window (default: the last 30 days)',
  params: projectParams,
  query: window,
  reply: thresholdSample,
});

/**
 * Decided items whose confidences lie together. `kept`: a person approved the suggestion as it was. `audit`: they were approved
 * automatically, and looked at by chance; the others waited for people.
 */
export const confidenceBin = z.object({
  low: z.number(),
  high: z.number(),
  audit: z.boolean(),
  n: count,
  unchanged: count,
  confidence_sum: z.number(),
});
export type ConfidenceBin = z.infer<typeof confidenceBin>;

export const calibration = z
  .object({
    from: timestamp,
    to: timestamp,
    server_time: timestamp,
    auto_threshold: z.number(),
    /** Of one width, `[low, high)`, the last one closed; empty ones are left out. */
    uniform: z.array(confidenceBin),
    /** Of about as many items each, from the first to the last confidence in them; of the newest decisions. */
    quantile: z.array(confidenceBin),
  })
  .meta({ id: 'Calibration' });
export type Calibration = z.infer<typeof calibration>;

export const readCalibration = endpoint({
  method: 'GET',
  path: '/api/projects/:id/analytics/calibration',
  auth: 'session',
  summary: 'How often people kept a suggestion, by its confidence (default: the last 30 days)',
  params: projectParams,
  query: window,
  reply: calibration,
});
