// Texts of retention: the settings, and the confirmation before data is deleted.
import type { RetentionField } from './retention.ts';

interface RetentionTexts {
  label: string;
  /** What is deleted after the period, and what stays. */
  effect: string;
}

export const retentionMessages = {
  heading: 'Data retention',
  lead: 'Data is kept forever unless you set a number of days. The days count from an item’s last event, once it is final and no delivery is pending. Deliveries stay pending while the webhook is paused or has no URL.',
  quoted: 'Items used in learnings are kept until the learning is excluded.',
  unit: 'days',
  kinds: {
    retention_payload_days: {
      label: 'Item content',
      effect:
        'Deletes input, suggestion, metadata, output and notes, and the bodies of webhooks and their responses. IDs, times, reasons and reviewers remain.',
    },
    retention_attempt_days: {
      label: 'Delivery attempts',
      effect: 'Deletes the attempts. The delivery log still shows how often each delivery was tried and how it ended.',
    },
    retention_item_days: {
      label: 'Items',
      effect: 'Deletes the item with its decisions, deliveries and history. Analytics totals remain.',
    },
  } satisfies Record<RetentionField, RetentionTexts>,
  /** Beside a period longer than the item's. */
  whole: (days: number) => `Deleted with the item after ${days} days.`,

  confirm: {
    title: 'Shorten retention?',
    description: 'Deleted data cannot be recovered.',
    when: (day: string, days: number) =>
      `For items completed before ${day}, it is deleted within minutes; for the rest, once their ${days} days are over.`,
    confirmLabel: 'Save and delete',
  },
} as const;
