// Every string of how long things are kept: the settings, and the question before something goes for good.
import type { RetentionField } from './retention.ts';

interface RetentionTexts {
  label: string;
  /** What goes when its days are over, and what stays. */
  effect: string;
}

export const retentionMessages = {
  heading: 'How long things are kept',
  lead: 'For good, unless you say for how many days. They run from when an item is done with: decided for good, and its webhook told. While the webhook is paused or has no URL, nothing goes.',
  quoted: 'What a learning quotes stays, and its item with it, until the learning is left out.',
  forGood: 'for good',
  unit: 'days',
  days: (typed: string) => `${typed} days`,
  kinds: {
    retention_payload_days: {
      label: 'What was submitted and decided',
      effect:
        'Input, suggestion, metadata, output and notes go, and the bytes of webhooks and their answers. Ids, times, reasons and who decided stay.',
    },
    retention_attempt_days: {
      label: 'Attempts of deliveries',
      effect: 'The attempts go. The delivery stays in the log, with how often it was tried and how it ended.',
    },
    retention_item_days: {
      label: 'Items',
      effect: 'The item goes whole, with its decisions, deliveries and history. The figures keep what they counted.',
    },
  } satisfies Record<RetentionField, RetentionTexts>,
  /** Beside what is kept for longer than its item. */
  whole: (days: number) => `The item goes whole after ${days} days, and this with it.`,

  confirm: {
    title: 'Keep it for less time?',
    description: 'What goes is gone for good: nobody can bring it back.',
    when: (day: string, days: number) =>
      `Of what was done with before ${day} it goes within minutes, of everything else when its ${days} days are over.`,
    confirmLabel: 'Save and take away',
  },
} as const;
