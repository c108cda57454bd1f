// Texts of a project's notifications tab.
import { NOTIFICATION_KINDS, type NotificationKind } from '@countersign/shared/enums';
import { NOTIFICATION_LIMITS } from '@countersign/shared/limits';
import type { NotificationRule } from '@countersign/shared/schemas/parts/notifications';
import type { NotificationMessage } from '@countersign/shared/schemas/webhook';
import { plural, share, took } from '#lib/format/format.ts';

type RuleName = NotificationRule['rule'];
type Status = NotificationMessage['status'];

const KINDS: Record<NotificationKind, string> = {
  slack: 'Slack-compatible',
  teams: 'Microsoft Teams',
  webhook: 'Webhook',
};

export const notificationsMessages = {
  heading: 'Notifications',
  lead: 'Sends your team a message when this project needs attention. It contains counts and a link, never the content of items. Each rule sends at most one message in 15 minutes.',
  kinds: KINDS,
  kindOptions: NOTIFICATION_KINDS.map((value) => ({ value, label: KINDS[value] })),
  add: 'Add notification',
  empty: 'No notifications yet. Add one to learn when items wait too long or a deadline is near.',
  full: `A project has at most ${NOTIFICATION_LIMITS.perProject} notifications. Remove one to add another.`,
  edit: 'Edit',
  editLabel: (target: string) => `Edit ${target}`,
  remove: 'Remove',
  removeLabel: (target: string) => `Remove ${target}`,
  removeTitle: 'Remove this notification?',
  removeText: 'It sends nothing from now on. Its messages stay in the log.',
  removeFailed: 'The notification was not removed',
  saved: 'Saved.',
  removed: 'Removed.',

  form: {
    addTitle: 'New notification',
    editTitle: 'Edit notification',
    kind: 'Kind',
    url: 'URL',
    urlHints: {
      slack: 'The incoming webhook of a channel. Works with Slack, Mattermost and others.',
      teams: 'The URL of a Teams workflow that posts to a channel.',
      webhook: 'Gets the event project.attention, signed with the secret of the webhook.',
    } satisfies Record<NotificationKind, string>,
    rules: 'Notify when',
    save: 'Save notification',
    cancel: 'Cancel',
    test: 'Send test message',
    testFailed: 'The test message was not sent',
    failed: 'The notification was not saved',
    removedChannel: 'Someone else removed or replaced this channel. Save again to add yours.',
    turnedOff: 'Someone else turned this off. Save again to turn it on.',
    changedLimit: (limit: string, unit: string) =>
      `Someone else changed this to ${limit} ${unit}. Save again to use yours.`,
    noUrl: 'Enter a URL.',
    noRule: 'Select at least one rule.',
    twice: 'This channel is in the list already. Edit it instead.',
    wrongNumber: (least: number, most: number) => `Enter a whole number from ${least} to ${most}.`,
  },
  rules: {
    waiting_longer_than: { label: 'Items wait too long', limit: 'Longest wait', unit: 'minutes' },
    queue_deeper_than: { label: 'Too many items are waiting', limit: 'Most waiting items', unit: 'items' },
    deadline_near: { label: 'Deadlines are near', limit: 'Time passed', unit: '% of the time to the deadline' },
    expired: { label: 'Deadlines passed without a decision' },
    project_stopped: { label: 'Manual review was turned on' },
    webhook_paused: { label: 'The webhook is paused' },
    over_budget: { label: 'Errors exceed the budget' },
  } satisfies Record<RuleName, { label: string; limit?: string; unit?: string }>,

  log: {
    heading: 'Messages',
    failed: 'The messages could not be loaded',
    empty: 'No messages yet',
    emptyText: 'The first message of a notification is listed here.',
    older: 'Show older',
    olderFailed: 'Older messages could not be loaded',
    resend: 'Send again',
    sendNow: 'Send now',
    resendLabel: (word: string, text: string) => `${word}: ${text}`,
    resendFailed: 'The message was not sent again',
    resent: 'The message is being sent.',
    states: { pending: 'Waiting', sending: 'Sending', succeeded: 'Delivered', dead: 'Failed' } satisfies Record<
      Status,
      string
    >,
    retrying: 'Retrying',
    removed: 'Not delivered',
    replaced: 'Replaced by a newer message',
    replacedAfter: (failures: number) => `Replaced after ${plural(failures, 'failed attempt', 'failed attempts')}`,
    next: (left: string) => `Next attempt in ${left}`,
    dueNow: 'Due now',
    circuit: 'The channel failed repeatedly. Attempts are on hold.',
    attempts: (count: number) => plural(count, 'attempt', 'attempts'),
    attemptList: (text: string) => `Attempts of: ${text}`,
    attempt: (n: number) => `Attempt ${n}`,
    took,
    ok: 'delivered',
  },
} as const;

/** A rule as its row says it. */
export function ruleText(rule: NotificationRule): string {
  if (rule.rule === 'waiting_longer_than') return `waiting over ${plural(rule.minutes, 'minute', 'minutes')}`;
  if (rule.rule === 'queue_deeper_than') return `more than ${plural(rule.items, 'item', 'items')} waiting`;
  if (rule.rule === 'deadline_near') return `${share(rule.share, 1)} of the time to a deadline passed`;
  return STATES[rule.rule];
}

const STATES = {
  expired: 'deadline passed',
  project_stopped: 'manual review on',
  webhook_paused: 'webhook paused',
  over_budget: 'over the error budget',
} as const;
