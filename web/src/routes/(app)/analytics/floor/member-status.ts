// FL2, FL3: the status of a person in the team view, from their claims, decisions and presence.
import type { TeamView, Holding, TeamMember } from '@countersign/shared/schemas/team';

/** In the order a supervisor looks for: people who may need help first. */
export const MEMBER_STATUSES = ['stuck', 'holding', 'idle', 'working', 'away'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

type Limits = Pick<TeamView, 'stuck_after_seconds' | 'idle_after_seconds'>;

/** How long the item has been held, in ms. */
export const heldFor = ({ since }: Holding, now: number): number => Math.max(0, now - Date.parse(since));

/** FL2: whether an item is held longer than usual. */
export const isStuck = (held: Holding, { stuck_after_seconds: after }: Limits, now: number): boolean =>
  heldFor(held, now) > after * 1000;

/** @param away no tab of theirs is open, or none in use. @param now server time in ms. */
export function memberStatusOf(
  person: TeamMember,
  limits: Limits,
  { away, now }: { away: boolean; now: number },
): MemberStatus {
  const { holding, last_decided_at: last } = person;
  if (holding.some((held) => isStuck(held, limits, now))) return 'stuck';
  if (holding.length > 0) return 'holding';
  if (away) return 'away';
  const decidedLately = last !== null && now - Date.parse(last) < limits.idle_after_seconds * 1000;
  return decidedLately ? 'working' : 'idle';
}

export interface RankedMember {
  person: TeamMember;
  memberStatus: MemberStatus;
}

/** Everybody, by status and then in the given order: by name, never by speed. */
export function byUrgency(people: readonly RankedMember[]): RankedMember[] {
  const place = ({ memberStatus }: RankedMember) => MEMBER_STATUSES.indexOf(memberStatus);
  return people.toSorted((a, b) => place(a) - place(b));
}
