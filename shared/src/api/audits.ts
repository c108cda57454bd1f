// What audits say of the automatic answers of a project (rule AU4) (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { endpoint } from './endpoint.ts';

const share = z.number().min(0).max(1);

export const audits = z
  .object({
    /** Items that arrived from then, */
    from: timestamp,
    /** until then. */
    to: timestamp,
    server_time: timestamp,
    /** The share that is drawn now, and the line: the automatic threshold now. Only audits at or above it count. */
    rate: share,
    auto_threshold: share,
    /** How many were drawn, how many of those people have judged, and how many of these they edited or rejected. */
    drawn: z.number().int(),
    judged: z.number().int(),
    wrong: z.number().int(),
    /** There are more than were counted: these are the newest. */
    more: z.boolean(),
    /** For a part of the time nothing was drawn: of that nothing is said. */
    gap: z.boolean(),
    /** The share of automatic answers that people would have changed; null while nothing was judged. */
    estimate: share.nullable(),
    /** It is at most this, with 95 %, for who looks once. */
    bound: share.nullable(),
    /** It is at most this, with 95 %, however often one looks; null too of a window that was asked for. */
    anytime: share.nullable(),
    /**
     * Why audits count since `from`: no older ones do (`time`), an owner changed what passes (`line`), the line was raised by itself
     * (`raised`), or a `model` that was never audited before; null of a window that was asked for.
     */
    began: z
      .object({ why: z.enum(['time', 'auto_threshold', 'raised', 'model']), model: z.string().nullable() })
      .nullable(),
    /**
     * Null where the project has no budget. It is judged by the audits that count when no window is asked for, `judged` so many, and
     * by the bound that holds however often one looks. `earlier_models`: it is over by audits of models before the newest as well, which
     * alone is too little to tell. `needed`: audits without an error before anything can be said; `left`: so many
     * more without an error prove it, 0 where it is proven; each null where no number is enough.
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

export const readAudits = endpoint({
  method: 'GET',
  path: '/api/projects/:id/analytics/audits',
  auth: 'session',
  summary: 'How often automatic answers are wrong, by the audits that its budget goes by, or of a window',
  params: z.object({ id: uuid }),
  query: z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() }),
  reply: audits,
});
