// Reminders of a project: where they go, and by which rules (NO).
import { z } from 'zod';
import { NOTIFICATION_KINDS } from '../../enums.ts';

/** NO1: what a notification tells, with its limit where it has one. */
export const notificationRule = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: z.literal('waiting_longer_than'),
    minutes: z.number().int().min(1).max(43_200).meta({ description: 'How long items may wait' }),
  }),
  z.strictObject({
    rule: z.literal('queue_deeper_than'),
    items: z.number().int().min(1).max(9999).meta({ description: 'How many items may wait' }),
  }),
  z.strictObject({
    rule: z.literal('deadline_near'),
    share: z
      .number()
      .min(0.01)
      .max(0.99)
      .default(0.8)
      .meta({ description: 'The share of the time to the deadline that has passed' }),
  }),
  z.strictObject({ rule: z.literal('expired') }),
  z.strictObject({ rule: z.literal('project_stopped') }),
  z.strictObject({ rule: z.literal('webhook_paused') }),
  z.strictObject({ rule: z.literal('over_budget') }),
]);
export type NotificationRule = z.infer<typeof notificationRule>;

const notification = z.strictObject({
  kind: z.enum(NOTIFICATION_KINDS),
  url: z.string().trim().min(1).max(2048),
  rules: z
    .array(notificationRule)
    .min(1)
    .max(notificationRule.options.length)
    .refine((rules) => new Set(rules.map(({ rule }) => rule)).size === rules.length, 'Name each rule once.'),
});
export type Notification = z.infer<typeof notification>;

export const notifications = z
  .array(notification)
  .max(10)
  .refine((all) => new Set(all.map(({ kind, url }) => `${kind} ${url}`)).size === all.length, 'Name each target once.');
