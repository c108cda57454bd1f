// Every string of the desk that is not in the item's own texts: notes, what is on its way, what did not stand, guidelines.
import type { Sentence } from '#lib/messages/sentence.ts';

export const reviewMessages = {
  giveBack: 'Give it back',
  giveBackShort: 'Give back',

  note: {
    add: 'Add a note',
    change: 'Change the note',
    hint: 'It goes out with what you decide.',
    field: 'Note for your decision',
    done: 'Done',
    left: (count: number) => `${count} characters left`,
    notPersisted: 'Kept in this tab only: the browser refused to store it',
    noReason: 'Choose a reason: it sends your note with it.',
    noAction: 'Now press a verb: your note goes with it.',
  },

  otherTab: {
    typed: 'In another tab:',
    use: 'Use it',
  },

  moreBelow: 'More below',

  pending: {
    /** The head of an item whose claim is asked for. */
    claiming: 'Taking it …',
    ready: 'Next is loaded',
    saving: {
      approve: 'Approved · saving',
      edit: 'Edited · saving',
      reject: 'Rejected · saving',
      escalate: 'Escalated · saving',
      finalize: 'Finalized · saving',
      return: 'Returned · saving',
    },
  },

  failed: {
    word: 'Not saved',
    open: 'Open it',
    announcement: (why: string) => `A decision was not saved: ${why}`,
    tooMany: 'You hold as many items as one person may. Decide one, or give one back.',
    showMine: 'Show mine',
    final: 'Too late to undo: the decision is final',
    changed: 'You changed it since. Submit it again.',
  },

  announcement: {
    givenBack: 'Item given back',
  },

  recentDecisions: {
    open: (word: string, preview: string) => `${word}: ${preview}. Open it`,
    final: 'final',
  },

  guidelines: {
    button: 'Guidelines',
    title: (project: string): Sentence => ['Guidelines of ', project, ''],
    close: 'Close the guidelines',
    none: 'This project has none yet.',
  },

  claimStatus: {
    back: (draft: boolean) =>
      draft
        ? 'It is back in the queue. Your draft is kept: claim the item to go on with it.'
        : 'It is back in the queue. Claim it to decide it.',
    draft: 'Your draft is kept. Claim the item to go on with it.',
  },

  draft: {
    heading: 'Your draft',
    other: 'Your other draft',
    severalDrafts: (count: number) => `${count} drafts of this item are kept. Edit shows them all.`,
    waiting: (count: number) => `${count} drafts of this item are kept. Claim the item to go on with one.`,
    beside: 'What you typed and did not send is kept beside it.',
    unsent: (at: string) => `kept ${at}, not sent`,
    reason: 'Your reason',
    note: 'Your note',
  },

  history: {
    loading: 'Reading …',
    earlier: 'Show earlier',
    failed: 'It could not be read. Try again.',
    note: (note: string) => `Note: ${note}`,
  },
} as const;
