// The decision object: the same in webhooks, the public API and live events (specification, sections 2 and 6).
import { z } from 'zod';
import { timestamp, uuid } from './ids.ts';
import { json } from './json.ts';
import { decisionAction, decisionStatus } from './words.ts';

export const decision = z
  .object({
    id: uuid,
    status: decisionStatus,
    action: decisionAction,
    output: json.meta({ description: 'What to ship; null unless approved' }),
    edited: z.boolean(),
    reason: z.string().nullable(),
    note: z.string().nullable(),
    reviewer_id: uuid.nullable(),
    decided_at: timestamp,
  })
  .meta({ id: 'Decision' });
export type Decision = z.infer<typeof decision>;

export const routing = z
  .object({
    rule: z.enum(['RT1', 'RT2', 'RT3', 'RT4']),
    auto_threshold: z.number(),
    review_threshold: z.number(),
    matched_flags: z.array(z.string()),
    settings_version: z.number().int(),
  })
  .meta({ id: 'Routing' });
export type Routing = z.infer<typeof routing>;
