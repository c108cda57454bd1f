// The decision object: the same in webhooks, the public API and the dashboard API (docs/spec/items.md#decision).
import { z } from 'zod';
import { timestamp, uuid } from './ids.ts';
import { anyJson } from './json.ts';
import { decisionAction, decisionStatus, routingRule } from './enums.ts';

export const decision = z
  .object({
    id: uuid,
    status: decisionStatus.meta({ description: 'The resulting status of the item' }),
    action: decisionAction.meta({
      description: 'What was done; `auto_approve` by the auto-approve threshold, the others by a reviewer',
    }),
    output: anyJson('What to ship; null unless approved'),
    edited: z.boolean().meta({ description: 'Whether the output differs from the suggestion' }),
    reason: z.string().nullable().meta({ description: 'Why it was edited, rejected or finalized' }),
    note: z.string().nullable().meta({ description: 'The note that the reviewer added to the reason' }),
    response: z.string().optional().meta({
      description: 'What the reviewer answered in words instead; present only where the action is `respond`',
    }),
    reviewer_id: uuid.nullable().meta({ description: 'The member who decided; null for an automatic decision' }),
    decided_at: timestamp.meta({ description: 'When it was decided (ISO 8601, UTC)' }),
    revision: z.number().int().min(2).optional().meta({
      description:
        'The place of a revision in the chain of decisions on the item: 2, 3, and so on. Absent from the first decision',
    }),
    revises: uuid.nullable().optional().meta({
      description: 'The ID of the decision that this one revises; null where routing rejected the item without one',
    }),
  })
  .meta({ id: 'Decision', description: 'The decision on an item, by a reviewer or by the auto-approve threshold' });
export type Decision = z.infer<typeof decision>;

export const routing = z
  .object({
    rule: routingRule.meta({
      description:
        'RT1: a risk flag escalates; RT2: at or above the auto-approve threshold; RT3: at or above the review threshold; RT4: below it; ' +
        'RT7: manual review was on, and an item that RT2 or RT4 would have decided goes to human review; ' +
        'RT8: the suggestion cannot be approved as it is, and an item that RT2 would have approved goes to human review',
    }),
    auto_threshold: z.number().meta({ description: 'The value at the time of routing' }),
    review_threshold: z.number().meta({ description: 'The value at the time of routing' }),
    matched_flags: z.array(z.string()).meta({ description: 'The risk flags that escalated the item' }),
    settings_version: z.number().int().meta({ description: 'The settings version that routed it' }),
  })
  .meta({ id: 'Routing', description: 'The rule that chose the first status, with the values it used' });
export type Routing = z.infer<typeof routing>;
