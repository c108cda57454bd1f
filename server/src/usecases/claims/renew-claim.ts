// Renews a claim: in the lock store, or, without a lock there, by the claim in the database.
import { Refusal } from '@countersign/shared/errors';
import { Item } from '../../db/entities/item.ts';
import { Project } from '../../db/entities/project.ts';
import { isOpen } from '../../domain/items/item.ts';
import { lockClaimant, refuseOverClaimLimit, withinLimit } from './claim-limit.ts';
import type { Grant } from './claim-row.ts';
import { extendLock, confirmLock } from './claim-store.ts';
import { findItem } from '../access/membership.ts';
import { closedRefusal, refusalFor } from './refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';

export interface ClaimRef {
  itemId: string;
  fence: number;
}

/**
 * Renews the lease of an item. Errors: `not_found`, `already_decided`, `claim_lost` (with holder); also where the lease had ended
 * unnoticed and its holder has reached the claim limit with other items since (LC4).
 */
export async function renewClaim(services: Services, actor: MemberActor, { itemId, fence }: ClaimRef): Promise<Grant> {
  const { item, leaseSeconds } = await services.db.read(async (em) => {
    const found = await findItem(em, actor.userId, itemId);
    const project = await em.findOneOrFail(Project, { id: found.item.projectId });
    return { item: found.item, leaseSeconds: project.claimLeaseSeconds };
  });
  if (!isOpen(item.status)) throw closedRefusal(item);
  const held = { itemId, userId: actor.userId, fence, ms: leaseSeconds * 1000 };
  if (holds(item, actor, fence)) {
    await services.db.refuseEnded();
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
  { itemId, fence, leaseSeconds }: ClaimRef & { leaseSeconds: number },
): Promise<Grant> {
  const item = await withinLimit(services, actor, async (tx, ended) => {
    await lockClaimant(tx.em, actor.userId);
    const [row] = await tx.em.execute<{ was_over: boolean }[]>(
      `update item set claim_expires_at = now() + make_interval(secs => ?)
       from (select id, claim_expires_at <= now() as over from item where id = ? for update) was
       where item.id = was.id and item.claimed_by = ? and item.claim_fence = ? and item.claim_expires_at is not null
         and item.status in ('queued', 'escalated')
       returning was.over as was_over`,
      [leaseSeconds, itemId, actor.userId, fence],
    );
    if (row === undefined) return null;
    // Renewing a live claim is never refused; a lease that had ended counts as a new claim.
    if (row.was_over) await refuseOverClaimLimit(tx.em, actor.userId, { but: itemId, ended });
    return tx.em.findOneOrFail(Item, { id: itemId });
  }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'too_many_claims') return null;
    throw error;
  });
  if (item === null) throw await lost(services, itemId);
  await confirmLock(services, { itemId, userId: actor.userId, fence, ms: leaseSeconds * 1000 });
  return { item, fence, expiresAt: item.claimExpiresAt as Date };
}

function lost(services: Services, itemId: string): Promise<Refusal> {
  return services.db.read(async (em) => refusalFor(em, await em.findOneOrFail(Item, { id: itemId }), 'claim_lost'));
}
