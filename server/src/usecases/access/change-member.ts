// Changes a member's role or name, or removes them: owners may, and people themselves where the rules let them.
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { User } from '../../db/entities/user.ts';
import type { Tx } from '../../db/database.ts';
import { lockProject } from '../../db/lock-project.ts';
import { addMember, type Added } from './add-member.ts';
import { revokeKeysOf } from '../credentials/api-keys.ts';
import { changeName, countRename } from './change-name.ts';
import { lockRole, notFound, refuseArchived, refuseUnless, requirePermission, roleIn } from './membership.ts';
import { changeMembership } from './change-membership.ts';
import { releaseLocks } from '../claims/release-claims.ts';
import type { MemberActor, Services } from '../services.ts';

export interface MemberChange {
  projectId: string;
  userId: string;
  role: Role | undefined;
  name: string | undefined;
}

/**
 * Gives a member another role (owners; PM1, PM2), or the actor another name (PM4). A field that is not given stays. A member who
 * is to become an owner gets an offer, and keeps their role until they accept (PM8). Errors: `not_found`, `forbidden`,
 * `validation_failed` at `#/role`, `rate_limited`.
 */
export async function changeMember(services: Services, actor: MemberActor, change: MemberChange): Promise<Added> {
  const { projectId, userId, role, name } = change;
  const address = await addressToAsk(services, actor, change);
  if (address !== null) return addMember(services, actor, { projectId, address, role: 'owner' });
  if (name !== undefined) await countRename(services, actor);
  const { member, ended } = await services.db.write(async (tx) => {
    const onlyName = role === undefined;
    const from = await lockMember(tx, actor, { projectId, userId, mine: onlyName });
    if (!onlyName) await refuseArchived(tx.em, projectId);
    if (name !== undefined) await rename(services, { tx, actor }, { userId, name });
    const membership = { projectId, userId, from, to: role ?? from };
    const released = membership.to === from ? [] : await changeMembership(services, { tx, actor }, membership);
    const user = await tx.em.findOneOrFail(User, { id: userId });
    return { member: { kind: 'member' as const, user, role: membership.to }, ended: released };
  });
  await releaseLocks(services, ended);
  return member;
}

/** The wallet of a member whom this change would make an owner; null when it would not. Errors: `not_found`, `forbidden`. */
async function addressToAsk(
  { db }: Services,
  actor: MemberActor,
  { projectId, userId, role, name }: MemberChange,
): Promise<string | null> {
  if (role !== 'owner' || name !== undefined) return null;
  return db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_members');
    const [raised] = await em.execute<{ address: string }[]>(
      `select u.address from member m join app_user u on u.id = m.user_id
       where m.project_id = ? and m.user_id = ? and m.role <> 'owner'`,
      [projectId, userId],
    );
    return raised?.address ?? null;
  });
}

/**
 * Removes a member; people may always remove themselves. Their decisions stay, their claims are released (PM1, PM2). `revokeKeys`
 * revokes the keys that they made in the same transaction (K9), and needs the permission for that. Errors: `not_found`,
 * `forbidden`, also for the last owner.
 */
export async function removeMember(
  services: Services,
  actor: MemberActor,
  { projectId, userId, revokeKeys = false }: { projectId: string; userId: string; revokeKeys?: boolean },
): Promise<void> {
  const { ended, keyIds } = await services.db.write(async (tx) => {
    const from = await lockMember(tx, actor, { projectId, userId, mine: true });
    if (revokeKeys) await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_keys');
    const revoked = revokeKeys ? await revokeKeysOf(services, { tx, actor }, { projectId, userId }) : [];
    const released = await changeMembership(services, { tx, actor }, { projectId, userId, from, to: null });
    return { ended: released, keyIds: revoked };
  });
  for (const id of keyIds) services.keys.forget(id);
  await releaseLocks(services, ended);
}

/** Locks the pool and reads the member's role. `mine`: people may do this to themselves; otherwise it needs an owner. */
async function lockMember(
  tx: Tx,
  actor: MemberActor,
  { projectId, userId, mine }: { projectId: string; userId: string; mine: boolean },
): Promise<Role> {
  await lockProject(tx.em, projectId);
  const own = await roleIn(tx.em, actor.userId, projectId);
  if (!(mine && userId === actor.userId)) refuseUnless(own, 'manage_members');
  const role = await lockRole(tx.em, userId, projectId);
  if (role === null) throw notFound();
  return role;
}

/** PM4: a name shows in every project of its wallet, so only its person changes it. */
function rename(
  services: Services,
  by: { tx: Tx; actor: MemberActor },
  to: { userId: string; name: string },
): Promise<void> {
  if (to.userId !== by.actor.userId) throw new Refusal('forbidden', 'Only the member can change their own name.');
  return changeName(services, by, to.name);
}
