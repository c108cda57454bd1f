// Rules PM1 to PM3: what a change of a reviewer pool must not do, and what it ends; LC4: the claim limit.
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { isLowerRole, OPEN_STATUSES, type OpenStatus, type Role } from '@countersign/shared/enums';
import { claimPermission } from '../items/item.ts';
import type { Member } from '@countersign/shared/schemas/projects';
import { may } from './permissions.ts';

type MemberAbility = keyof Member['abilities'];

/** One member's role before and after a change; null means not a member. */
export interface RoleChange {
  from: Role | null;
  to: Role | null;
}

/** PM1: whether nobody would be left who can own the project. `owners`: its present owners who are not blocked (A20). */
export function leavesNoOwner(
  { userId, from, to }: RoleChange & { userId: string },
  owners: readonly string[],
): boolean {
  return from === 'owner' && to !== 'owner' && owners.every((id) => id === userId);
}

export interface MemberView {
  /** The member who asks. */
  viewer: { userId: string; role: Role };
  member: { userId: string; role: Role };
  /** The owners of the project who are not blocked (A20). */
  owners: readonly string[];
  archived: boolean;
}

/** PM, PM1, PM4, AR1: what the viewer may do to a member. Leaving means removing oneself. */
export function memberAbilities({ viewer, member, owners, archived }: MemberView): Record<MemberAbility, boolean> {
  const mine = member.userId === viewer.userId;
  const manages = may(viewer.role, 'manage_members');
  const stays = leavesNoOwner({ userId: member.userId, from: member.role, to: null }, owners);
  return {
    change_role: manages && !stays && !archived,
    rename: mine,
    remove: (mine || manages) && !stays,
  };
}

/** PM2: the statuses of the items that a member with this role may hold; none without a role. */
export function mayHold(role: Role | null): OpenStatus[] {
  return role === null ? [] : OPEN_STATUSES.filter((status) => may(role, claimPermission(status)));
}

/** LC4: whether a person who holds this many items may claim another one. */
export function mayHoldOneMore(held: number): boolean {
  return held < MAX_CLAIMS;
}

/** PM3, PM5: whether the change removes the right to invite, and with it the invites and offers already made. */
export function losesInvites({ from, to }: RoleChange): boolean {
  return from !== null && may(from, 'manage_members') && !(to !== null && may(to, 'manage_members'));
}

/** PM8: whether the change makes somebody an owner who is not one. */
export const isMadeOwner = ({ from, to }: RoleChange): boolean => to === 'owner' && from !== 'owner';

/** PM3: an invite raises a role and never lowers one. `from` is null for someone who is not a member. */
export function isRaise({ from, to }: RoleChange): boolean {
  return to !== null && (from === null || isLowerRole(from, to));
}
