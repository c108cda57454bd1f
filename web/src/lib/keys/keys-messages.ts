// Every string of the keyboard that a page shows or says by itself: what each command does, and what is said aloud.
import type { Command } from './command.ts';

export const keysMessages = {
  words: {
    help: 'Show the keys',
    palette: 'Search or run a command',
    filter: 'Filter the list',
    go: 'Go to a page',
    goQueue: 'Go to the queue',
    goProjects: 'Go to your projects',
    goAnalytics: 'Go to analytics',
    goLearnings: 'Go to learnings',
    undo: 'Undo your last decision',
    pause: 'Pause or resume what comes in',
    next: 'Claim the next item',
    leave: 'Close, or leave the item',
    down: 'Next row',
    up: 'Row before',
    open: 'Claim and open the row',
    peek: 'Look at the row without claiming it',
    select: 'Select the row, or take it out',
    selectTo: 'Select every row up to this one',
    show: 'Show what is new',
    view: 'Next view',
    approve: 'Approve',
    edit: 'Edit, then submit',
    reject: 'Reject, then a reason',
    escalate: 'Escalate to a supervisor, then a reason',
    finalize: 'Finalize: it stays with people, then a reason',
    return: 'Return it to the queue',
    skip: 'Skip: give it back and take the next',
    giveBack: 'Give it back, and return to the list',
    extend: 'Extend your claim, or claim again',
    takeOver: 'Take the item over from whoever holds it',
    note: 'Add a note',
    guidelines: 'Show or hide the guidelines',
    diff: 'Show or hide what your edit changes',
    raw: 'Read the values, or see their JSON',
    copyValue: 'Copy the suggestion',
    reopen: 'Reopen what the rules rejected',
    reason: 'Choose the reason with that number',
    send: 'Send it with your note',
    submit: 'Submit the edit',
    keepDraft: 'Keep the edit as a draft',
    reset: 'Start the edit anew',
    accept: 'Leave it and go on',
    copy: 'Copy your draft',
    create: 'New project',
    nextExample: 'Next example',
    exampleBefore: 'Example before',
    inOrOut: 'Leave the example out of exports, or put it in again',
  } satisfies Record<Command, string>,

  /** What the panels are opened by; their own words are fetched with them. */
  panels: { sheet: 'Keys and habits', palette: 'Search or run' },

  habit: {
    flow: 'After a decision in the queue',
    focus: 'Focus',
    browse: 'Browse',
    flowHint: {
      flow: 'Focus: the server picks the next item and it opens by itself.',
      browse: 'Browse: the page stays, and you choose what to open.',
    },
  },

  goHint: 'Go to',

  announcement: {
    arrived: (count: number) => `${count} new`,
    taken: (count: number) => `${count} taken`,
    /** Beyond what the server counts nobody knows how many. */
    waiting: (count: number) => `${Number.isFinite(count) ? count : 'very many'} waiting`,
    leaseEnds: (key: string) =>
      key === ''
        ? 'Your claim ends in less than a minute'
        : `Your claim ends in less than a minute. Press ${key} to extend it`,
    offline: 'You are offline. You can read and draft; nothing can be decided',
    online: 'You are connected again',
    draftKept: 'Draft kept',
    valueCopied: 'Suggestion copied',
  },
} as const;
