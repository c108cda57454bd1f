// Who gets which items first (SK): the entries of the setting `skills`, what identifies one, and whether it matches.
import { foldFlag } from './formats/fold-flag.ts';

/** A risk flag, or a value of the metadata by JSON pointer (RFC 6901): `/team`. The members are in the order of the database. */
export type SkillMatch = { flag: string } | { value: string; metadata: string };

/** One entry of the setting. */
export interface Skill {
  match: SkillMatch;
  /** User IDs. */
  people: string[];
  /** From the arrival of an item on, others wait this long for it. */
  after_minutes: number;
}

/** The part of an item that an entry is compared with. */
export interface Matchable {
  readonly riskFlags: readonly string[];
  /** Parsed; null where the item has none. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

const METADATA_POINTER = /^\/(?:[^~/\p{Cc}]|~[01])+(?:\/(?:[^~/\p{Cc}]|~[01])*)*$/u;

/** Whether a text is a JSON pointer into the metadata of an item. */
export const isMetadataPointer = (text: string): boolean => METADATA_POINTER.test(text) && text.isWellFormed();

/** SK1: identifies an entry; the same for every spelling of its flag or value. Items store it. */
export const skillOf = (match: SkillMatch): string =>
  'flag' in match
    ? `flag:${foldFlag(match.flag)}`
    : `metadata:${JSON.stringify([match.metadata, foldFlag(match.value)])}`;

/** Longer values match no entry: comparing them would cost more than they tell. */
const LONGEST_VALUE = 1000;

/**
 * SK1: whether an entry, named by `skillOf`, matches the item. Flags and values are compared trimmed, in NFC and without regard to
 * case; a number or boolean by its text. The flags of the item are folded once.
 */
export function matcherOf({ riskFlags, metadata }: Matchable): (match: SkillMatch, skill: string) => boolean {
  let flags: ReadonlySet<string> | null = null;
  return (match, skill) => {
    if ('flag' in match) {
      flags ??= new Set(riskFlags.map((flag) => skillOf({ flag })));
      return flags.has(skill);
    }
    const found = valueAt(metadata, match.metadata);
    if (!['string', 'number', 'boolean'].includes(typeof found)) return false;
    const value = String(found);
    return value.length <= LONGEST_VALUE && skillOf({ value, metadata: match.metadata }) === skill;
  };
}

/** The value at a pointer; undefined where there is none. */
function valueAt(from: unknown, pointer: string): unknown {
  let value = from;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
