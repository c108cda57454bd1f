// The bodies of the outbound webhook, by event (docs/spec/webhooks.md#outbound).
import { z } from 'zod';
import { decision } from './decision.ts';
import { decisionStatus } from './enums.ts';
import { timestamp, uuid } from './ids.ts';
import { notificationRule } from './notifications.ts';

export const itemDecided = z
  .object({
    event: z.literal('item.decided'),
    item_id: uuid,
    project_id: uuid,
    status: decisionStatus,
    decision,
    reviewer_id: uuid,
    decided_at: timestamp,
  })
  .meta({ id: 'ItemDecided' });
export type ItemDecided = z.infer<typeof itemDecided>;

/** A supervisor or owner revised a final decision (RV2): the body of `item.decided` with the decision that replaces it. */
export const decisionRevised = itemDecided
  .extend({ event: z.literal('decision.revised') })
  .meta({ id: 'DecisionRevised' });
export type DecisionRevised = z.infer<typeof decisionRevised>;

/** The pipeline withdrew the item before anyone decided it (WD1). */
export const itemWithdrawn = z
  .object({
    event: z.literal('item.withdrawn'),
    item_id: uuid,
    project_id: uuid,
    status: z.literal('withdrawn'),
    decision: z.null().meta({ description: 'There is none' }),
    reviewer_id: z.null(),
    decided_at: timestamp.meta({ description: 'When it was withdrawn' }),
  })
  .meta({ id: 'ItemWithdrawn' });
export type ItemWithdrawn = z.infer<typeof itemWithdrawn>;

/** Nobody decided the item before its deadline (DL1). */
export const itemExpired = z
  .object({
    event: z.literal('item.expired'),
    item_id: uuid,
    project_id: uuid,
    status: z.enum(['expired', 'rejected']).meta({ description: 'As `on_deadline` said: `rejected` for `reject`' }),
    decision: z.null().meta({ description: 'There is none: time decides nothing' }),
    reviewer_id: z.null(),
    decided_at: timestamp.meta({ description: 'When the deadline ended it' }),
  })
  .meta({ id: 'ItemExpired' });
export type ItemExpired = z.infer<typeof itemExpired>;

/** A test event that an owner sends from the project page: it has no decision and is never repeated. */
export const webhookTest = z
  .object({ event: z.literal('webhook.test'), project_id: uuid, sent_at: timestamp })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.infer<typeof webhookTest>;

/** A project needs attention (NO): sent to its notifications of the kind `webhook`, not to its webhook URL. */
export const projectAttention = z
  .object({
    event: z.literal('project.attention'),
    project_id: uuid,
    project_name: z.string().meta({ description: 'The name of the project' }),
    url: z.string().meta({ description: 'The page of the project' }),
    findings: z
      .array(
        z.object({
          rule: z.enum(notificationRule.options.map(({ shape }) => shape.rule.value)),
          count: z
            .number()
            .int()
            .nullable()
            .meta({ description: 'How many, up to 10,000; null where nothing is counted' }),
          limit: z.number().int().nullable().meta({ description: 'The minutes, items or percent that the rule names' }),
          text: z.string().meta({ description: 'The same as a sentence' }),
        }),
      )
      .meta({ description: 'What the rules found, at least one' }),
    sent_at: timestamp,
  })
  .meta({ id: 'ProjectAttention' });
export type ProjectAttention = z.infer<typeof projectAttention>;

/**
 * Every event that webhooks send, by its name: the schema of its body, and what it says, as the documentation puts it.
 * What documents, receives or prints events has a table over these names: a missing entry does not compile.
 */
export const WEBHOOK_EVENTS = {
  'item.decided': { body: itemDecided, summary: 'A decision on an item is final' },
  'item.withdrawn': { body: itemWithdrawn, summary: 'The pipeline withdrew an item' },
  'decision.revised': { body: decisionRevised, summary: 'A final decision was revised' },
  'item.expired': { body: itemExpired, summary: 'The deadline of an item passed without a decision' },
  'project.attention': { body: projectAttention, summary: 'A project needs attention' },
  'webhook.test': { body: webhookTest, summary: 'An owner sent a test event' },
} as const;
export type WebhookEventName = keyof typeof WEBHOOK_EVENTS;
export type WebhookEventOf<Name extends WebhookEventName> = z.infer<(typeof WEBHOOK_EVENTS)[Name]['body']>;

/** The body of any event, told apart by `event`. */
export const webhookEvent = z.discriminatedUnion('event', [
  WEBHOOK_EVENTS['item.decided'].body,
  WEBHOOK_EVENTS['item.withdrawn'].body,
  WEBHOOK_EVENTS['decision.revised'].body,
  WEBHOOK_EVENTS['item.expired'].body,
  WEBHOOK_EVENTS['project.attention'].body,
  WEBHOOK_EVENTS['webhook.test'].body,
]);
export type WebhookEvent = z.infer<typeof webhookEvent>;

/** Does not compile when the table has an event that the union lacks. */
export const WEBHOOK_EVENT_NAMES: readonly WebhookEvent['event'][] = Object.keys(WEBHOOK_EVENTS) as WebhookEventName[];
