// Texts of the keyboard that a page shows or announces itself.

export const keysMessages = {
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
    offline: "You're offline. You can read and draft, but not decide",
    online: "You're back online",
    draftKept: 'Draft saved',
    valueCopied: 'Suggestion copied',
  },
} as const;
