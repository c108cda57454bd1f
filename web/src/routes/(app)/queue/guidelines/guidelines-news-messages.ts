// Texts of the news that guidelines have changed.
import { plural } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

export const guidelinesNewsMessages = {
  updated: (project: string, lines: number): Sentence => [
    '',
    project,
    ` guidelines updated${lines === 0 ? '' : ` (${plural(lines, 'line', 'lines')})`}`,
  ],
  show: 'Show changes',
  gotIt: 'Got it',
  title: (project: string): Sentence => ['Changes to the ', project, ' guidelines'],
  failed: "Couldn't save that.",
} as const;
