// Texts about the people online and about claims, which the first screen rarely shows.
import { joinWithAnd, plural } from '#lib/format/format.ts';
import { namesOf } from './presence-messages.ts';

export const presenceDetails = {
  /** `more` is the number of those who are not named. */
  names: (names: readonly string[], more: number) =>
    `${names.length + more} online besides you: ${joinWithAnd(more > 0 ? [...names, plural(more, 'other', 'others')] : names)}`,
  more: (count: number) => `+${count}`,
  nameAway: (name: string) => `${name} (away)`,
  looksToo: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? 'is' : 'are'} viewing this too`,
  looksTooShort: (count: number) => (count === 1 ? ' is viewing too' : ` +${count - 1} are viewing too`),

  degraded: 'Live claims are down: two people may open the same item.',
  degradedShort: 'Live claims are down: two people may open the same item',
  degradedSafe: 'Only the first decision counts.',
  healed: 'Live claims are back',
} as const;
