// Texts of the queue page, grouped by place.
import { joinWithAnd } from '#lib/format/format.ts';
import type { RowRemoval } from '../live/queue/queue-model.ts';
import type { OnDeadline, QueueView } from '@countersign/shared/enums';

export const queueMessages = {
  item: {
    label: 'Item',
    none: 'No item selected',
    nothing: "You're all caught up",
    nothingText: 'Items that need review appear in the list.',
    noneText: 'Pick one from the list, or claim the next.',
    notLoaded: "Couldn't load the item view. Nothing was claimed.",
    noPreview: 'No preview text',
  },

  /** Where audits are drawn, reviewers decide without the confidence (AU3). */
  hidden: {
    confidence: 'Confidence is hidden',
    why: 'This project double-checks some auto-approvals. To keep reviews unbiased, confidence is hidden until the decision is final, and reviewers never see the thresholds.',
  },

  page: 'Queue',
  you: 'you',
  someone: 'someone',
  allProjects: 'All projects',
  project: 'Project',
  views: 'Views',
  view: {
    available: 'Available',
    mine: 'Mine',
    escalated: 'Escalated',
    all: 'All',
  } satisfies Record<QueueView, string>,

  list: {
    label: (view: string) => `${view} items`,
    deciding: (count: number) => `${count} deciding`,
    oldest: (age: string) => `oldest ${age}`,
    newBelow: (count: number) => `${count} new`,
    show: 'Show',
    claimNext: 'Claim next',
    resumeOwn: (left: string) => (left === '' ? 'Resume your item' : `Resume your item · ${left}`),
    failed: "Couldn't load the queue",
    stale: "Couldn't refresh this list",
    offline: "You're offline. You can read and draft, but not decide.",
    mode: 'After each decision',
    flow: 'Focus',
    browse: 'Browse',
    flowHint: 'After each decision: Focus opens the next item, Browse stays on the page',
    pause: 'Pause updates',
    resume: 'Resume updates',
  },

  row: {
    due: (left: string) => `due in ${left}`,
    pastDue: (late: string) => `${late} past due`,
    /** The age of an item for screen readers; the ring shows it. Null: less than a minute. */
    waiting: (age: string | null, late: boolean) =>
      `waiting for ${age ?? 'less than a minute'}${late ? ', past due' : ''}`,
    deadline: {
      expire: (left: string) => `expires in ${left}`,
      escalate: (left: string) => `to supervisors in ${left}`,
      reject: (left: string) => `rejected in ${left}`,
    } satisfies Record<OnDeadline, (left: string) => string>,
    yours: 'yours',
    escalated: 'escalated',
    invalid: 'breaks schema',
    /** Who gets the item first. Longer lists are cut after two names. */
    reserved: ({ mine, names }: { mine: boolean; names: readonly string[] }, until: string): string => {
      const all = mine ? ['You', ...names] : names;
      const shown = all.length > 3 ? [...all.slice(0, 2), `${all.length - 2} others`] : all;
      return `${joinWithAnd(shown)} first, until ${until}`;
    },
    left: {
      approved: (by: string) => `Approved by ${by}`,
      edited: (by: string) => `Edited by ${by}`,
      rejected: (by: string) => `Rejected by ${by}`,
      escalated: (by: string) => `Escalated by ${by}`,
      escalated_final: (by: string) => `Withheld by ${by}`,
      withdrawn: () => 'Withdrawn by the pipeline',
      expired: () => 'Deadline passed',
      passedOn: () => 'Deadline passed, now with supervisors',
      auto_approved: () => 'Auto-approved',
      queued: (by: string) => `Returned to the queue by ${by}`,
      freed: () => 'No longer claimed',
      taken: (by: string) => `Claimed by ${by}`,
      gone: () => 'No longer in the queue',
    } satisfies Record<RowRemoval['what'], (by: string) => string>,
    saving: 'saving',
  },

  recentDecisions: {
    heading: 'Recent',
    empty: 'Your last ten decisions appear here. You can undo new ones.',
    nextReady: 'Next item ready',
    keys: 'Shortcuts',
  },
} as const;
