// Texts of the review session outside the item's own: notes, pending commands, failures, guidelines.
import type { Sentence } from '#lib/messages/sentence.ts';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { pastTextsOf, type ReviewAction } from '@countersign/shared/review-actions';

export const reviewMessages = {
  giveBack: 'Release',
  giveBackShort: 'Release',

  note: {
    add: 'Add note',
    change: 'Edit note',
    hint: 'Sent with your decision.',
    field: 'Note for your decision',
    done: 'Done',
    notPersisted: 'Saved only in this tab (browser storage is blocked)',
    noReason: 'Pick a reason to send with your note.',
    noAction: 'Now decide. Your note is sent with the decision.',
  },

  otherTab: {
    typed: 'Typed in another tab:',
    use: 'Use',
  },

  moreBelow: 'More below',
  fold: { show: 'Show input', hide: 'Hide input' },
  quotes: {
    label: 'Quotes found in the input',
    heading: (count: number) => (count === 1 ? 'Quote found in the input:' : `${count} quotes found in the input:`),
  },

  pending: {
    /** The head of an item whose claim is requested. */
    claiming: 'Claiming…',
    saving: (action: ReviewAction) => `${pastTextsOf(action).done}, saving…`,
  },

  failed: {
    word: 'Not saved',
    open: 'Open item',
    announcement: (why: string) => `A decision was not saved: ${why}`,
    tooMany: `You've claimed ${MAX_CLAIMS} items, the maximum. Decide or release one.`,
    showMine: 'Show my items',
    held: 'Items you hold',
    final: 'Undo window has passed',
    changed: "You've edited it since. Submit it again.",
  },

  announcement: {
    givenBack: 'Item released',
    tooEarly: 'Nothing was sent: the item was not ready yet. Press the key again',
  },

  recentDecisions: {
    label: 'Your recent decisions',
    seconds: (left: number) => `${left} s`,
    saving: 'saving',
    undone: 'Undone',
    open: (word: string, preview: string) => `${word}: ${preview}. Open item`,
    reportHint: 'Final. Open the item to report a mistake',
    report: (preview: string) => `Final. Open to report a mistake: ${preview}`,
  },

  guidelines: {
    button: 'Guidelines',
    title: (project: string): Sentence => ['', project, ' guidelines'],
    close: 'Close guidelines',
    none: 'This project has no guidelines yet.',
  },

  claimStatus: {
    back: (draft: boolean) =>
      draft ? 'Back in the queue. Claim it to continue your draft.' : 'Back in the queue. Claim it to decide.',
    draft: 'You have a draft. Claim the item to continue it.',
  },

  draft: {
    heading: 'Your draft',
    other: 'Your other draft',
    severalDrafts: (count: number) => `You have ${count} drafts of this item. Choose Edit to see them all.`,
    waiting: (count: number) => `You have ${count} drafts of this item. Claim it to continue one.`,
    beside: 'Your unsent draft is shown next to it.',
    unsent: (at: string) => `saved ${at}, not sent`,
    reason: 'Your reason',
    note: 'Your note',
  },

  history: {
    loading: 'Loading…',
    earlier: 'Show earlier',
    failed: "Couldn't load the history. Try again.",
    note: (note: string) => `Note: ${note}`,
  },
} as const;
