// Heartbeat: normally only the lock store is touched; when it forgot or is gone, the database's own record of the claim decides.
import type { Refusal } from '@countersign/shared/errors';
import { Item } from '../db/entities/item.ts';
import { Project } from '../db/entities/project.ts';
import { isOpen } from '../domain/item.ts';
import type { Grant } from './claim-row.ts';
import { extendLock, takeLock, tieLock } from './claim-store.ts';
import { findItem } from './membership.ts';
import { decidedRefusal, refusalFor } from './refuse-claim.ts';
import type { MemberActor, Services } from './services.ts';

export interface HeldInput {
  itemId: string;
  fence: number;
}

/** Holds the item for another lease. Errors: `not_found`, `already_decided`, `claim_lost` (with holder). */
export async function renewClaim(services: Services, actor: MemberActor, { itemId, fence }: HeldInput): Promise<Grant> {
  const { item, leaseSeconds } = await services.db.read(async (em) => {
    const found = await findItem(em, actor.userId, itemId);
    const project = await em.findOneOrFail(Project, { id: found.item.projectId });
    return { item: found.item, leaseSeconds: project.claimLeaseSeconds };
  });
  if (!isOpen(item.status)) throw decidedRefusal();
  const held = { itemId, userId: actor.userId, fence, ms: leaseSeconds * 1000 };
  if (holds(item, actor, fence)) {
    const renewed = await extendLock(services, held);
    if (renewed !== null) return { item, fence, expiresAt: renewed.expiresAt };
    return renewInDatabase(services, actor, { itemId, fence, leaseSeconds });
  }
  throw await lost(services, itemId);
}

const holds = (item: Item, actor: MemberActor, fence: number) =>
  item.claimedBy === actor.userId && item.claimFence === fence && item.claimExpiresAt !== null;

async function renewInDatabase(
  services: Services,
  actor: MemberActor,
  { itemId, fence, leaseSeconds }: HeldInput & { leaseSeconds: number },
): Promise<Grant> {
  const rival = await takeLock(services, itemId, actor.userId);
  if (rival !== null && rival.userId !== actor.userId) throw await lost(services, itemId);
  const item = await services.db.write(async (tx) => {
    const rows = await tx.em.execute(
      `update item set claim_expires_at = now() + make_interval(secs => ?)
       where id = ? and claimed_by = ? and claim_fence = ? and claim_expires_at is not null and status in ('queued', 'escalated')
       returning id`,
      [leaseSeconds, itemId, actor.userId, fence],
    );
    return rows.length === 0 ? null : tx.em.findOneOrFail(Item, { id: itemId });
  });
  if (item === null) throw await lost(services, itemId);
  await tieLock(services, { itemId, userId: actor.userId, fence, ms: leaseSeconds * 1000 });
  return { item, fence, expiresAt: item.claimExpiresAt as Date };
}

function lost(services: Services, itemId: string): Promise<Refusal> {
  return services.db.read(async (em) => refusalFor(em, await em.findOneOrFail(Item, { id: itemId }), 'claim_lost'));
}
