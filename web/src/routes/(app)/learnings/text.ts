// Every string of the learnings page, grouped by place. English first.
import type { ExportFilter } from '@countersign/shared/api/exports';
import { count, share } from '#lib/format.ts';

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

  export: {
    open: 'Export JSONL',
    kinds: 'raw · chat · preference · eval',
    title: 'Export learnings',
    happens:
      'One line of JSON for each. What can still be undone is left out; the same export later has the same lines first.',
    format: 'Format',
    formats: { raw: 'Raw', chat: 'Chat', preference: 'Preference', eval: 'Eval' },
    meaning: {
      raw: 'Everything that is known of each: input, suggestion, correction, reason, note, confidence, flags, model.',
      chat: 'Messages to fine-tune by example: the input, and the correction as its answer. Edits only.',
      preference: 'Pairs to fine-tune by preference: the correction over the suggestion. Edits only.',
      eval: 'Cases to test with: the input, what is expected, and the suggestion that was refused.',
    },
    action: 'Overrides',
    actions: { '': 'Edits and rejections', edit: 'Edits', reject: 'Rejections' },
    reason: 'Reason',
    allReasons: 'All reasons',
    split: 'Split by input',
    splits: { '': 'Everything', train: 'Train, 80%', test: 'Test, 20%' },
    splitHint: 'The same input is never in both.',
    preview: 'First lines',
    size: (lines: number, bytes: string, reckoned: boolean) =>
      `${reckoned ? 'About ' : ''}${count(lines)} ${lines === 1 ? 'line' : 'lines'}, ${bytes}`,
    none: 'Nothing answers this yet.',
    longer: (length: number) => `… ${count(length)} characters in all`,
    failed: 'The first lines could not be loaded',
    earlier: 'Earlier exports',
    earlierFailed: 'Earlier exports could not be loaded',
    nobody: 'Nobody has exported yet.',
    broken: 'not ended',
    part: ({ split, test_share: test }: Pick<ExportFilter, 'split' | 'test_share'>) =>
      split === 'train' ? `Train, ${share(1 - test, 1)}` : split === 'test' ? `Test, ${share(test, 1)}` : '',
    byCommand: 'by command',
    lines: (n: number) => `${count(n)} ${n === 1 ? 'line' : 'lines'}`,
    download: 'Download',
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
