// Claims the next item for a reviewer: escalated, then reserved for them (SK4), then by due time (LC3), then oldest.
import type { Tx } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { Member } from '../../db/entities/member.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
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
  const attempt = (awaited?: string) =>
    withinLimit(services, actor, (tx, mine) => take(tx, actor, { projectIds, free, mine, awaited }));
  const granted = await attempt();
  if (granted !== null) return granted;
  for (let round = 0; round < WAITING_ROUNDS; round += 1) {
    const locked = await lockedItems(services, actor.userId, { projectIds, free });
    if (locked.length === 0) return null;
    for (const id of locked) {
      const awaited = await attempt(id);
      if (awaited !== null) return awaited;
    }
  }
  // An item may have arrived during the last wait.
  return attempt();
}

/** How often a caller waits for what others have locked, until the answer is that no item is free. */
const WAITING_ROUNDS = 2;
/** For how many items a caller waits in a round, one after the other. */
const MOST_AWAITED = 10;

/** The first free items, after an attempt that passed over what others have locked. */
async function lockedItems(
  services: Services,
  userId: string,
  { projectIds, free }: Pick<Known, 'free'> & { projectIds: string[] },
): Promise<string[]> {
  const roles = await inStatement(services, (em) => lockRoles(em, userId, projectIds));
  return inStatement(services, (em) => pick(em, { roles, free, lock: false, most: MOST_AWAITED }));
}

/**
 * As strong as the lock that a pick takes: a weaker one would not wait for everything that a pick passes over. It says whether the
 * item may be free now.
 */
const WAIT_FOR_ITEM =
  planned(`select status in ('queued', 'escalated') and (claim_expires_at is null or claim_expires_at <= now()) as free
  from item where id = $1 for update`);

/** Its locks end with it. The attempt that follows checks the session (A21). */
const inStatement = <T>(services: Services, work: (em: Em) => Promise<T>): Promise<T> =>
  services.db.forSession(null, () => services.db.statement(work));

async function projectsOf(em: Em, userId: string, projectId: string | undefined): Promise<string[]> {
  const members = await em.find(Member, { userId, ...(projectId === undefined ? {} : { projectId }) });
  return members.map((member) => member.projectId);
}

async function take(
  tx: Tx,
  actor: MemberActor,
  { projectIds, free, mine, awaited }: Known & { projectIds: string[]; awaited: string | undefined },
): Promise<Picked | null> {
  await lockClaimant(tx.em, actor.userId);
  await refuseOverClaimLimit(tx.em, actor.userId, { ended: mine });
  // Roles before items, the order in which a role is removed: the opposite order could deadlock.
  const roles = await lockRoles(tx.em, actor.userId, projectIds);
  // Only one, and before any other item: PostgreSQL keeps the lock of a row that is passed over because it changed, and two
  // transactions that hold items and wait for others could wait for each other.
  if (awaited !== undefined) {
    const [item] = await rawQuery<{ free: boolean }>(tx.em, WAIT_FOR_ITEM, [awaited]);
    if (item?.free !== true) return null;
  }
  const [id] = await pick(tx.em, { roles, free, lock: true, most: 1 });
  if (id === undefined) return null;
  const [granted] = await grantPicked(tx, [{ id, taker: { actor, roles } }]);
  return granted ?? null;
}
