// Data for choosing thresholds: the calibration of confidence, and recent arrivals and decisions to try thresholds on.
import { z } from 'zod';
import { SAMPLE_KINDS } from '../enums.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { belowReview } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

const count = z.number().int().min(0);

/** `limited`: the window contains more than the sample. `since`: the oldest entry of the sample. */
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
    /** The flags of the sample and those that escalate now, each once regardless of spelling (RT1). */
    flags: z.array(z.object({ flag: z.string(), escalates: z.boolean(), arrived: count })),
    /** Which flags occur together on an item, as indexes into `flags`. */
    flag_sets: z.array(z.array(count)),
    /** Automatic items that were audited at different rates are different kinds. */
    kinds: z.array(z.object({ kind: z.enum(SAMPLE_KINDS), audit_rate: z.number().nullable() })),
    /**
     * One per confidence, flag set and kind, sorted by confidence: `[confidence, flag set, kind, arrived, reviewed,
     * wrong]`. `reviewed`: a reviewer approved, edited or rejected it; `wrong`: edited or rejected.
     */
    cells: z.array(z.tuple([z.number(), count, count, count, count, count])),
    /**
     * How much more neighbours in time resemble each other than by chance, 1 or more: for confidences, and for wrong
     * items.
     */
    dispersion: z.object({ arrivals: z.number().min(1), wrong: z.number().min(1) }),
    arrivals: extent,
    decisions: extent,
    /**
     * Seconds that a reviewer holds an item before deciding it: the median of the newest decisions; null without
     * decisions.
     */
    median: z.object({ n: count, seconds: z.number().nullable() }),
  })
  .meta({ id: 'ThresholdSample' });
export type ThresholdSample = z.infer<typeof thresholdSample>;

const projectParams = z.object({ id: uuid });
const window = z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() });

export const readThresholds = endpointSchemas({
  auth: 'session',
  summary:
    'What other thresholds would have done: the newest arrivals and decisions of a window (default: the last 30 days)',
  params: projectParams,
  query: window,
  reply: thresholdSample,
});

/**
 * Decided items with similar confidence. `unchanged`: a reviewer approved the suggestion unchanged. `audit`: auto-approved
 * items that were sampled for an audit; the others waited for review.
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
    /** Bins of equal width, `[low, high)`, the last one closed; empty bins are omitted. */
    uniform: z.array(confidenceBin),
    /** Bins of about equal size, from the first to the last confidence in them; of the newest decisions. */
    quantile: z.array(confidenceBin),
  })
  .meta({ id: 'Calibration' });
export type Calibration = z.infer<typeof calibration>;

export const readCalibration = endpointSchemas({
  auth: 'session',
  summary: 'How often reviewers approve a suggestion unchanged, by its confidence (default: the last 30 days)',
  params: projectParams,
  query: window,
  reply: calibration,
});
