// Reminders of a project: where they go, and by which rules (NO).
import { z } from 'zod';
import { NOTIFICATION_KINDS } from '../../enums.ts';
import { targetKey } from '../../formats/target-key.ts';
import { NOTIFICATION_LIMITS, URL_LENGTH } from '../../limits.ts';

const { perProject, waitMinutes, waitingItems, deadlineShare } = NOTIFICATION_LIMITS;

/** NO1: what a notification tells, with its limit where it has one. */
export const notificationRule = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: z.literal('waiting_longer_than'),
    minutes: z
      .number()
      .int()
      .min(waitMinutes.least)
      .max(waitMinutes.most)
      .meta({ description: 'How long items may wait' }),
  }),
  z.strictObject({
    rule: z.literal('queue_deeper_than'),
    items: z
      .number()
      .int()
      .min(waitingItems.least)
      .max(waitingItems.most)
      .meta({ description: 'How many items may wait' }),
  }),
  z.strictObject({
    rule: z.literal('deadline_near'),
    share: z
      .number()
      .min(deadlineShare.least)
      .max(deadlineShare.most)
      .default(deadlineShare.usual)
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
  url: z.string().trim().min(1).max(URL_LENGTH),
  rules: z
    .array(notificationRule)
    .min(1)
    .max(notificationRule.options.length)
    .refine((rules) => new Set(rules.map(({ rule }) => rule)).size === rules.length, 'Name each rule once.'),
});
export type Notification = z.infer<typeof notification>;

export const notifications = z
  .array(notification)
  .max(perProject)
  .refine((all) => new Set(all.map(targetKey)).size === all.length, 'Name each target once.');
