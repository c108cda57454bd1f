// Every string of the learnings page, grouped by place. English first.
import { count } from '#lib/format.ts';

const lines = (n: number): string => `${count(n)} unchanged ${n === 1 ? 'line' : 'lines'}`;

export const words = {
  page: 'Learnings',
  failed: 'The learnings could not be loaded',
  stale: 'These learnings could not be refreshed',

  empty: 'Learnings appear after the first edit or reject',
  emptyText:
    'When somebody edits or rejects a suggestion, the correction and the reason are kept here, so that the model can be made better.',
  toQueue: 'To the queue',

  reasons: {
    label: 'Reasons',
    columns: { reason: 'Reason', bar: 'Edited, rejected', size: 'Size' },
    edited: (share: string) => `${share} edited`,
    all: (n: number) => `Show all ${count(n)} reasons`,
    fewer: 'Show fewer',
    order: 'Reasons keep their place while you look; only their counts change.',
  },

  examples: {
    label: 'Examples, newest first',
    fresh: (n: number) => `${count(n)} new`,
    show: 'Show',
    more: 'Load more',
    moreFailed: 'Older ones could not be loaded',
    all: (n: number) => `All ${count(n)} are shown.`,
    edited: 'edited',
    rejected: 'rejected',
    confidence: 'confidence',
    settings: (version: number) => `rules v${version}`,
    flags: 'Risk flags:',
    note: 'Note:',
    open: 'Open the item',
    noCorrection: 'No correction. The suggestion was:',
    suggestion: 'Suggestion',
  },

  change: {
    label: 'What the edit changed',
    unchanged: (n: number) => lines(n),
    whole: 'Show all lines',
    changed: 'Show what changed',
    compare: (characters: string) => `Compare ${characters} characters`,
    long: 'This text is long.',
  },
};
