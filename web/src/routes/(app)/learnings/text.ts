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

  noneAnswers: 'No learning answers this',
  noneAnswersText: 'Look further back, or for something else.',
  showAll: 'Show all',

  filter: {
    range: 'How far back',
    ranges: { day: 'Day', week: 'Week', month: 'Month', all: 'All' },
    action: 'Overrides',
    actions: { all: 'Edits and rejections', edit: 'Edits', reject: 'Rejections' },
    search: 'Search reasons, notes and previews',
    names: { flag: 'Flag', model: 'Model', source: 'Source' },
    chip: (name: string, value: string) => `${name}: ${value}`,
  },

  clusters: {
    label: 'Reasons',
    columns: { reason: 'Reason', trend: '14 days', bar: 'Edited, rejected', size: 'Size' },
    everything: 'All reasons',
    edited: (share: string) => `${share} edited`,
    often: (flag: string) => `often ${flag}`,
    noFlag: 'no flag',
    new: 'new examples',
    trend: (days: readonly number[]) =>
      `A day, over ${count(days.length)} days: ${days.map((n) => count(n)).join(', ')}`,
    all: (n: number) => `Show all ${count(n)} reasons`,
    fewer: 'Show fewer',
    order: 'Reasons keep their place while you look. New examples join with a dot.',
    most: (n: number) => `The ${count(n)} commonest reasons are shown. Search finds the others.`,
  },

  cluster: {
    rename: 'Rename',
    merge: 'Merge…',
    split: 'Split…',
    firstSeen: (at: string) => `First seen ${at}.`,
    mostFlag: 'Most often on',
    mostModel: 'Most often by',
    wordings: (n: number) => `${count(n)} wordings:`,
    merged: 'Merged into it:',
    restore: 'Take out again',
    restoreFailed: 'It could not be taken out',
    titles: {
      rename: (name: string) => `Rename “${name}”`,
      merge: (name: string) => `Merge “${name}” into another reason`,
      split: (name: string) => `Split “${name}”`,
    },
    happens: {
      rename: 'The name stays through whatever is learned later.',
      merge:
        'Its learnings count there from now on, and what is close to them joins there. It can be taken out again as it was.',
      split: 'Choose the wordings that mean something else. They become a reason of their own, and stay there.',
    },
    verbs: { rename: 'Rename', merge: 'Merge', split: 'Split' },
    into: 'Into',
    choose: 'Wordings',
    commonest: (shown: number, all: number) => `The ${count(shown)} commonest of ${count(all)} wordings are shown.`,
    name: 'Name',
    nameHint: 'Left empty, it is called after its commonest wording.',
    failed: 'It could not be changed',
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
    changes: (n: number) => (n === 1 ? '1 field changed' : `${count(n)} fields changed`),
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
