// Texts of the export of learnings.
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import { count, share } from '#lib/format/format.ts';
import { ACTION_CHOICES } from '../messages.ts';

export const exportMessages = {
  title: 'Export learnings',
  happens:
    'JSONL, one learning per line, final decisions only. Repeating an export later gives the same lines first, then new ones.',
  format: 'Format',
  formats: { raw: 'Raw', chat: 'Chat', preference: 'Preference', eval: 'Eval' },
  meaning: {
    raw: 'All fields: input, suggestion, correction, reason, note, confidence, flags and model.',
    chat: 'Chat fine-tuning: the input, and the correction as the response. Edits only.',
    preference: 'Preference pairs (DPO): the correction preferred over the suggestion. Edits only.',
    eval: 'Test cases: the input, the expected output and the suggestion that was changed or rejected.',
  },
  action: 'Overrides',
  actions: ACTION_CHOICES,
  reason: 'Reason',
  allReasons: 'All reasons',
  scope: 'Scope',
  everything: 'All learnings',
  ofCluster: (name: string) => `This reason: ${name}`,
  split: 'Train/test split',
  splits: { '': 'No split', train: 'Train (80%)', test: 'Test (20%)' },
  splitHint: 'Train and test never share an input.',
  preview: 'First lines',
  size: (lines: number, bytes: string, estimated: boolean) =>
    `${estimated ? 'About ' : ''}${count(lines)} ${lines === 1 ? 'line' : 'lines'}, ${bytes}`,
  none: 'Nothing to export yet.',
  longer: (length: number) => `… ${count(length)} characters in total`,
  failed: "Couldn't load the first lines",
  earlier: 'Earlier exports',
  earlierFailed: "Couldn't load earlier exports",
  nobody: 'No exports yet.',
  again: 'Download again',
  olderExports: 'Show older exports',
  further: 'The period and search of this page do not apply. Excluded learnings are not exported.',
  broken: 'incomplete',
  part: ({ split, test_share: test }: Pick<ExportFilter, 'split' | 'test_share'>) =>
    split === 'train' ? `Train (${share(1 - test, 1)})` : split === 'test' ? `Test (${share(test, 1)})` : '',
  byCommand: 'command line',
  lines: (n: number) => `${count(n)} ${n === 1 ? 'line' : 'lines'}`,
  download: 'Download',
};
