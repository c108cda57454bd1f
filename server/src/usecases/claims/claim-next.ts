// Claims the next item for a reviewer: escalated first for those who may, then by due time (LC3), then oldest; never a held one.
import type { Tx } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { Member } from '../../db/entities/member.ts';
import { confirmFreshLock } from './claim-store.ts';
import { lockClaimant, refuseOverClaimLimit, withinLimit } from './claim-limit.ts';
import { claimNextGrouped } from './claim-next-grouped.ts';
import { freeAmong, grantPicked, pick, type Picked } from './claim-pick.ts';
import { lockRoles, notFound, refuseArchived } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Leases that are known to have ended: anybody's, and the actor's own. */
interface Known {
  free: readonly string[];
  mine: readonly string[];
}

/**
 * Claims the next waiting item of one project or of all the actor's projects; null when none is free. Archived projects are
 * skipped (AR1). Exact under contention: two concurrent callers get two items (SKIP LOCKED), or one gets none. Errors:
 * `not_found`, `forbidden` where the one project is archived, and `too_many_claims` (LC4), whether or not an item waits.
 */
export async function claimNext(
  services: Services,
  actor: MemberActor,
  { projectId }: { projectId?: string | undefined },
): Promise<Picked | null> {
  // First in a group with concurrent callers; alone when the group gives no result.
  const granted =
    (await claimNextGrouped(services, { actor, projectId })) ?? (await nextAlone(services, actor, projectId));
  if (granted === null) return null;
  // The database has granted the claim; the lock follows.
  const { item, fence, seconds } = granted;
  await confirmFreshLock(services, { itemId: item.id, userId: actor.userId, fence, ms: seconds * 1000 });
  return granted;
}

async function nextAlone(
  services: Services,
  actor: MemberActor,
  projectId: string | undefined,
): Promise<Picked | null> {
  const projectIds = await services.db.read((em) => projectsOf(em, actor.userId, projectId));
  if (projectId !== undefined) {
    if (projectIds.length === 0) throw notFound();
    await services.db.read((em) => refuseArchived(em, projectId));
  }
  const free = await freeAmong(services, projectIds);
  return withinLimit(services, actor, (tx, mine) => take(tx, actor, { projectIds, free, mine }));
}

async function projectsOf(em: Em, userId: string, projectId: string | undefined): Promise<string[]> {
  const members = await em.find(Member, { userId, ...(projectId === undefined ? {} : { projectId }) });
  return members.map((member) => member.projectId);
}

/** The attempts until one finds an item: first skipping rows that others have locked, then waiting for them. */
const PICKS = ['skip locked', '', 'skip locked', ''] as const;

async function take(
  tx: Tx,
  actor: MemberActor,
  { projectIds, free, mine }: Known & { projectIds: string[] },
): Promise<Picked | null> {
  await lockClaimant(tx.em, actor.userId);
  await refuseOverClaimLimit(tx.em, actor.userId, { ended: mine });
  // Roles before items, the order in which a role is removed: the opposite order could deadlock.
  const roles = await lockRoles(tx.em, actor.userId, projectIds);
  for (const wait of PICKS) {
    const [id] = await pick(tx.em, { roles, free, wait, most: 1 });
    if (id === undefined) continue;
    const [granted] = await grantPicked(tx, [{ id, taker: { actor, roles } }]);
    return granted ?? null;
  }
  return null;
}
