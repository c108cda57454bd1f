// Texts of the deadline in the head of an item.
import type { OnDeadline } from '@countersign/shared/enums';

export const deadlineMessages = {
  heading: 'Deadline',
  then: {
    expire: (left: string) => `Will expire in ${left}`,
    escalate: (left: string) => `Will go to supervisors in ${left}`,
    reject: (left: string) => `Will be rejected in ${left}`,
  } satisfies Record<OnDeadline, (left: string) => string>,
  why: {
    expire: 'Nobody can decide it after that. The pipeline is notified that it expired.',
    escalate: 'Then supervisors have the same time again, and after that it expires.',
    reject: 'It is then rejected without a decision, and the pipeline is notified.',
  } satisfies Record<OnDeadline, string>,
  at: (moment: string, why: string) => `${moment}. ${why}`,
  passed: 'Deadline passed',
  near: (sentence: string) => `${sentence}. Anything you typed is saved`,
  extend: {
    button: 'Extend deadline',
    title: 'Extend the deadline?',
    text: 'A deadline can be extended once. A claim on the item stays.',
    label: 'By',
    options: { 900: '15 minutes', 3600: '1 hour', 14400: '4 hours', 86400: '1 day', 604800: '1 week' },
    until: (moment: string) => `New deadline: ${moment}`,
    confirm: 'Extend',
    failed: "Couldn't extend the deadline",
    done: (moment: string) => `Deadline extended to ${moment}`,
  },
} as const;
