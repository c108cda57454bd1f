// What audits show about the automatic decisions of a project (rule AU4) (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

const share = z.number().min(0).max(1);

export const audits = z
  .object({
    /** Start of the window of arrivals. */
    from: timestamp,
    /** End of the window of arrivals. */
    to: timestamp,
    server_time: timestamp,
    /** The current audit rate and the current auto-approve threshold. Only audits at or above the threshold count. */
    rate: share,
    auto_threshold: share,
    /** How many items were sampled, how many of them were reviewed, and how many of those were edited or rejected. */
    drawn: z.number().int(),
    judged: z.number().int(),
    wrong: z.number().int(),
    /** Of the others: how many still wait for a final verdict, and how many ended without one, expired or withheld. */
    waiting: z.number().int(),
    ended: z.number().int(),
    /** There are more audits than were counted; these are the newest. */
    more: z.boolean(),
    /** For part of the window no audits were sampled; the figures say nothing about that part. */
    gap: z.boolean(),
    /** The share of automatic decisions that reviewers would have changed; null while no audit is reviewed. */
    estimate: share.nullable(),
    /** Upper bound at 95 %, valid for a single look. */
    bound: share.nullable(),
    /** Upper bound at 95 %, valid however often it is looked at; also null for a requested window. */
    anytime: share.nullable(),
    /**
     * Why audits count from `from`: no older audits exist (`time`), an owner changed what is auto-approved (`auto_threshold`),
     * the threshold was raised automatically (`raised`), or a `model` appeared that had no audits before. Null for a
     * requested window.
     */
    began: z
      .object({ why: z.enum(['time', 'auto_threshold', 'raised', 'model']), model: z.string().nullable() })
      .nullable(),
    /**
     * Null when the project has no error budget. The budget is judged by the `judged` audits that count when no window
     * is requested, and by the bound that is valid at every look. `earlier_models`: audits of earlier models exceed the
     * budget too, which alone is not enough to conclude. `needed`: error-free audits required before anything can be
     * concluded; `left`: how many more prove the budget, 0 when it is proven. Both are null when no number is enough.
     */
    budget: z
      .object({
        share,
        state: z.enum(['too_little', 'within', 'over']),
        earlier_models: z.boolean(),
        judged: z.number().int(),
        needed: z.number().int().nullable(),
        left: z.number().int().nullable(),
        over_since: timestamp.nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Audits' });
export type Audits = z.infer<typeof audits>;

export const readAudits = endpointSchemas({
  auth: 'session',
  summary:
    'How often automatic decisions are wrong, by the audits that the error budget counts or by those of a window',
  params: z.object({ id: uuid }),
  query: z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() }),
  reply: audits,
});
