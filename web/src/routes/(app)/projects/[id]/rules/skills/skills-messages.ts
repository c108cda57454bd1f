// Texts of the part of the rules that says who gets which items first.
import { plural } from '#lib/format/format.ts';
import { SETTINGS } from '@countersign/shared/settings';
import type { SkillMatch } from '@countersign/shared/skills';

const { maxEntries } = SETTINGS.skills;

export const skillsMessages = {
  heading: 'Who gets which items first',
  hint: 'An item follows the first entry that matches it. Its people get it first; after the time, everyone does. Anyone can still open it from the queue at any time.',
  none: 'No entries. Every item is for everyone at once.',
  /** What an entry matches, as the beginning of its sentence. */
  what: (match: SkillMatch): string =>
    'flag' in match ? `Items flagged “${match.flag}”` : `Items whose metadata ${match.metadata} is “${match.value}”`,
  sentence: (names: string, minutes: number): string =>
    `go to ${names} first, for ${plural(minutes, 'minute', 'minutes')}.`,
  nobody: 'None of these people can decide here now, so these items are for everyone.',
  escalates: 'This is also an escalate flag: such items go to supervisors and owners, who have no entry here.',
  add: 'Add an entry',
  change: (what: string) => `Change: ${what}`,
  remove: (what: string) => `Remove: ${what}`,
  up: (what: string) => `Move up: ${what}`,
  added: 'Entry added. Save the project to use it.',
  changed: 'Entry changed. Save the project to use it.',
  removed: 'Entry removed. Save the project to use this.',
  moved: (place: number) => `Moved to place ${place}`,
  full: `Maximum of ${maxEntries} entries. Remove one first.`,
} as const;
