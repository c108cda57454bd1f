// Every string of the queue page, grouped by place. English first.
import { itemMessages, plural } from './item-messages.ts';
import type { RowRemoval } from '../live/queue/queue-model.ts';
import type { QueueView } from '@countersign/shared/api/queue';
import type { ReviewAction } from '@countersign/shared/enums';
import type { Sentence } from './sentence.ts';

export const queueMessages = {
  guidelinesNews: {
    told: (project: string, lines: number): Sentence => [
      'Guidelines of ',
      project,
      ` changed${lines === 0 ? '' : lines === 1 ? ': 1 line' : `: ${lines} lines`}`,
    ],
    show: 'What changed',
    gotIt: 'Got it',
    title: (project: string): Sentence => ['What changed in the guidelines of ', project, ''],
    failed: 'Not noted.',
  },

  ...itemMessages,

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
    reviewing: (count: number) => `${count} reviewing`,
    oldest: (age: string) => `oldest ${age}`,
    newBelow: (count: number) => `${count} new`,
    show: 'Show',
    claimNext: 'Claim next',
    resumeOwn: (left: string) => (left === '' ? 'Go on with yours' : `Go on with yours · ${left}`),
    more: (count: number) =>
      `${plural(count, 'more waits', 'more wait')}, due later. They come up as these are decided.`,
    failed: 'The queue could not be loaded',
    stale: 'This list could not be refreshed',
    offline: 'Offline: this is the queue as it was. You can read and draft; nothing can be decided.',
    mode: 'After a decision',
    flow: 'Focus',
    browse: 'Browse',
    flowHint: 'Focus: after a decision the next item opens by itself',
    pause: 'Pause new rows',
    resume: 'Resume',
  },

  empty: {
    available: ['All clear', 'Keep this open: items that need a person appear here by themselves.'],
    mine: [
      'You hold nothing',
      'Claim the next one, or open a row of Available: what you take is listed here until you decide it.',
    ],
    escalated: ['Nothing is escalated', 'Items with an escalating flag, and those a reviewer passes up, come here.'],
    all: ['Nothing waits', 'Items that the rules send to people appear here by themselves.'],
  } satisfies Record<QueueView, readonly [string, string]>,
  filtered: {
    title: (project: string) => `Nothing here from ${project}`,
    text: 'Other projects may have items waiting.',
    unknown: 'This project is not one of yours',
    unknownText: 'It may have been left, or the address is not whole.',
    clear: 'Show all projects',
  },

  row: {
    due: (left: string) => `due in ${left}`,
    pastDue: (late: string) => `${late} past due`,
    yours: 'yours',
    escalated: 'escalated',
    left: {
      approved: (by: string) => `Approved by ${by}`,
      rejected: (by: string) => `Rejected by ${by}`,
      escalated: (by: string) => `Escalated by ${by}`,
      escalated_final: (by: string) => `Kept with people by ${by}`,
      auto_approved: () => 'Approved automatically',
      queued: (by: string) => `Returned to the queue by ${by}`,
      freed: () => 'Back in the queue',
      taken: (by: string) => `Taken by ${by}`,
      gone: () => 'Left the queue',
    } satisfies Record<RowRemoval['what'], (by: string) => string>,
    saving: 'saving',
  },

  recentDecisions: {
    label: 'Your last decisions',
    heading: 'Last 10',
    empty: 'Your last ten decisions stand here; new ones can be undone.',
    seconds: (left: number) => `${left} s`,
    saving: 'saving',
    undone: 'Undone',
    keys: 'Keys',
    word: {
      approve: 'Approved',
      edit: 'Edited',
      reject: 'Rejected',
      escalate: 'Escalated',
      finalize: 'Finalized',
      return: 'Returned',
    } satisfies Record<ReviewAction, string>,
  },

  announcement: {
    lostRace: (name: string) => `${name} took it first`,
    nothingLeft: 'Nothing else waits for you',
    extended: 'Your claim is extended',
    undone: 'Decision undone',
    leaseEnded: 'Your claim ended. What you typed is kept',
    takenOver: (name: string) => `${name} took this item over`,
    kept: 'What you typed is kept',
    decidedFirst: (name: string) => `${name} decided this item first`,
    copied: 'Draft copied',
    notCopied: 'Not copied: select the text and copy it by hand',
    done: {
      approve: 'Item approved',
      edit: 'Edit submitted',
      reject: 'Item rejected',
      escalate: 'Item escalated',
      finalize: 'Item stays with people',
      return: 'Item returned to the queue',
    } satisfies Record<ReviewAction, string>,
  },
} as const;
