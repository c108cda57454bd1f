// Texts of the keyboard that a page shows or announces itself: the label of each command, and announcements.
import { ACTIONS, byAction } from '@countersign/shared/review-actions';
import type { Command } from './command.ts';

export const keysMessages = {
  words: {
    help: 'Show keyboard shortcuts',
    palette: 'Search or run a command',
    filter: 'Filter the list',
    go: 'Go to a page',
    goQueue: 'Go to queue',
    goProjects: 'Go to projects',
    goAnalytics: 'Go to analytics',
    goLearnings: 'Go to learnings',
    undo: 'Undo your last decision',
    pause: 'Pause or resume updates',
    next: 'Claim next item',
    leave: 'Close or go back',
    down: 'Next row',
    up: 'Previous row',
    open: 'Claim and open',
    peek: 'Preview without claiming',
    select: 'Select or deselect',
    selectTo: 'Select up to here',
    show: 'Show new items',
    view: 'Next view',
    ...byAction((action) => ACTIONS[action].hint),
    skip: 'Skip: release and claim the next',
    giveBack: 'Release and return to list',
    extend: 'Extend claim, claim or reclaim',
    takeOver: 'Take over',
    note: 'Add or edit note',
    guidelines: 'Show or hide guidelines',
    jump: 'Jump between input and suggestion',
    find: 'Find in input and suggestion',
    diff: 'Show or hide changes',
    raw: 'View JSON or formatted',
    copyValue: 'Copy suggestion',
    reopen: 'Reopen rejected item',
    revise: 'Revise decision',
    reason: 'Pick the reason with that number',
    send: 'Send with your note',
    submit: 'Submit edit',
    keepDraft: 'Save draft',
    reset: 'Start over',
    accept: 'Next item',
    copy: 'Copy draft',
    create: 'New project',
    nextExample: 'Next example',
    exampleBefore: 'Previous example',
    inOrOut: 'Include in or exclude from exports',
  } satisfies Record<Command, string>,

  /** The titles of the panels; their other texts are loaded with them. */
  panels: { sheet: 'Keyboard shortcuts', palette: 'Search or run' },

  habit: {
    flow: 'After each decision',
    focus: 'Focus',
    browse: 'Browse',
    flowHint: {
      flow: 'Focus: the next item opens automatically.',
      browse: 'Browse: nothing opens until you choose.',
    },
  },

  goHint: 'Go to',

  announcement: {
    arrived: (count: number) => `${count} new`,
    taken: (count: number) => `${count} claimed`,
    /** Above the server's limit the count is unknown. */
    waiting: (count: number) => `${Number.isFinite(count) ? count : 'very many'} waiting`,
    leaseEnds: (key: string) =>
      key === ''
        ? 'Your claim expires in less than a minute'
        : `Your claim expires in less than a minute. Press ${key} to extend it`,
    offline: "You're offline. You can read and draft, but not decide",
    online: "You're back online",
    draftKept: 'Draft saved',
    valueCopied: 'Suggestion copied',
  },
} as const;
