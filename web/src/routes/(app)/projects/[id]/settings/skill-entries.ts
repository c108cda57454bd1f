// The entries of `skills` as texts of the form: what they match, their people with names, and the time.
import { joinWithAnd, plural } from '#lib/format/format.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import { SETTINGS } from '@countersign/shared/settings';
import { isMetadataPointer, skillOf, type Skill, type SkillMatch } from '@countersign/shared/skills';

/** A person whom an entry names; `name` null: they left the project, or are blocked (SK2). */
export interface SkillPerson {
  user_id: string;
  name: string | null;
}

export interface SkillEntry {
  match: SkillMatch;
  people: SkillPerson[];
  after_minutes: number;
}

/** The members in the order in which they are compared. */
const matchOf = (match: SkillMatch): SkillMatch =>
  'flag' in match ? { flag: match.flag } : { value: match.value, metadata: match.metadata };

export const skillEntry = ({ match, people, after_minutes }: SkillEntry): string =>
  JSON.stringify({ match: matchOf(match), people, after_minutes });

export const readSkillEntry = (entry: string): SkillEntry => JSON.parse(entry) as SkillEntry;

/** The setting as entries. The change log has names in the place of IDs. */
export function skillEntries(
  skills: readonly Skill[] | undefined,
  members: Project['skill_people'] | undefined,
): string[] {
  const personOf = (user_id: string): SkillPerson => ({
    user_id,
    name: members === undefined ? user_id : (members.find((one) => one.user_id === user_id)?.name ?? null),
  });
  return (skills ?? []).map(({ match, people, after_minutes }) =>
    skillEntry({ match, people: people.map(personOf), after_minutes }),
  );
}

/** The entries as the setting. */
export const sentSkills = (entries: readonly string[]): Skill[] =>
  entries.map(readSkillEntry).map(({ match, people, after_minutes }) => ({
    match: matchOf(match),
    people: people.map(({ user_id }) => user_id),
    after_minutes,
  }));

/** Whether two entries match the same items (SK1). */
export const isSameSkill = (a: string, b: string): boolean =>
  skillOf(readSkillEntry(a).match) === skillOf(readSkillEntry(b).match);

const { maxFlag, maxLength, maxPeople, minutes } = SETTINGS.skills;
const isText = (text: string, most: number): boolean => text.trim() !== '' && text.trim().length <= most;

/** What is wrong with an entry, by part of its form. */
export const skillFaults = ({ match, people, after_minutes }: SkillEntry) => ({
  flag: 'flag' in match && !isText(match.flag, maxFlag),
  pointer: !('flag' in match) && !(isMetadataPointer(match.metadata) && match.metadata.length <= maxLength),
  value: !('flag' in match) && !isText(match.value, maxLength),
  people: people.length === 0,
  tooMany: people.length > maxPeople,
  minutes: !(Number.isInteger(after_minutes) && after_minutes >= minutes.least && after_minutes <= minutes.most),
});

export const hasSkillFault = (entry: string): boolean =>
  Object.values(skillFaults(readSkillEntry(entry))).includes(true);

/** The items that an entry matches, as text. */
const matchText = (match: SkillMatch): string => ('flag' in match ? match.flag : `${match.metadata} = ${match.value}`);

export const namesOf = (people: readonly SkillPerson[]): string =>
  joinWithAnd(people.map(({ name }) => name ?? 'a former or blocked member'));

/** "legal: Ana and Marek first, for 30 minutes". */
export function skillText(entry: string): string {
  const { match, people, after_minutes } = readSkillEntry(entry);
  return `${matchText(match)}: ${namesOf(people)} first, for ${plural(after_minutes, 'minute', 'minutes')}`;
}
