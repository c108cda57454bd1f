// Decides for whose people a new item is reserved, and until when (SK3).
import { matcherOf, skillOf, type Matchable, type Skill } from '@countersign/shared/skills';

/** An entry of the setting as submissions need it: without its people. */
export interface SkillRoute extends Omit<Skill, 'people'> {
  /** As `skillOf` names the entry. */
  skill: string;
}

/** The entries without their people; null where there are none. */
export const routesOf = (skills: readonly Skill[]): SkillRoute[] | null =>
  skills.length === 0
    ? null
    : skills.map(({ match, after_minutes }) => ({ skill: skillOf(match), match, after_minutes }));

export interface Reservation {
  skill: string;
  until: Date;
}

/**
 * SK1, SK3: the reservation of an item that arrives at `now`; null where no entry matches it. The first one that does applies. It
 * takes at most half of the time until the deadline: the other half is for everybody.
 */
export function reservationOf(
  item: Matchable,
  routes: readonly SkillRoute[] | null,
  { now, deadline }: { now: Date; deadline: Date | null },
): Reservation | null {
  const matches = matcherOf(item);
  const route = routes?.find(({ match, skill }) => matches(match, skill));
  if (route === undefined) return null;
  const minutes = route.after_minutes * 60_000;
  const span = deadline === null ? minutes : Math.min(minutes, Math.floor((deadline.getTime() - now.getTime()) / 2));
  return span > 0 ? { skill: route.skill, until: new Date(now.getTime() + span) } : null;
}
