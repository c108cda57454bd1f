// What may be done to each member of a pool: the button that shows is the button that works (PM, PM1, PM4).
import type { Member } from '@countersign/shared/api/projects';
import { ROLES, type Role } from '@countersign/shared/words';

export interface Viewer {
  userId: string;
  /** May they change the pool? */
  manages: boolean;
}

export interface SeatVerbs {
  changeRole: boolean;
  remove: 'remove' | 'leave' | null;
  rename: boolean;
}

/** The verbs for one member of the pool, as this viewer may use them now. */
export function seatVerbs(member: Member, pool: readonly Member[], { userId, manages }: Viewer): SeatVerbs {
  const mine = member.user_id === userId;
  const lastOwner = member.role === 'owner' && pool.filter(({ role }) => role === 'owner').length === 1;
  const remove = lastOwner ? null : mine ? 'leave' : manages ? 'remove' : null;
  return { changeRole: manages && !lastOwner, remove, rename: mine || (manages && member.name === null) };
}

/** Is `to` below `from`? Taking a role down is asked about first. */
export const isLower = (from: Role, to: Role): boolean => ROLES.indexOf(to) < ROLES.indexOf(from);
