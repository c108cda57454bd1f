// Ends a claim before it expires: its holder releases it, or a supervisor takes the item over (I3).
import { Item } from '../../db/entities/item.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { releaseLock } from './claim-store.ts';
import { findItem } from '../access/membership.ts';
import { claimRefusal, holderOf, refusalFor } from './refuse-claim.ts';
import type { ClaimRef } from './renew-claim.ts';
import type { MemberActor, Services } from '../services.ts';
import { confirm, termsFor } from './claim.ts';
import { withinLimit } from './claim-limit.ts';
import { seizeClaim, type Grant, type Seized } from './claim-row.ts';

/** Releases the claim with this fence. Errors: `not_found`, `claim_lost` when someone else holds the item now. */
export async function releaseClaim(services: Services, actor: MemberActor, { itemId, fence }: ClaimRef): Promise<void> {
  await services.db.write(async (tx) => {
    const { item } = await findItem(tx.em, actor.userId, itemId);
    const rows = await tx.em.execute<{ version: number }[]>(
      `update item set claimed_by = null, claim_expires_at = null, version = version + 1
       where id = ? and claimed_by = ? and claim_fence = ? and claim_expires_at is not null
       returning version`,
      [itemId, actor.userId, fence],
    );
    const row = rows[0];
    if (row === undefined) return refuseIfOthers(tx.em, itemId, actor);
    const event = { project_id: item.projectId, item_id: itemId, version: row.version, actor: memberRef(actor) };
    tx.appendEvent({ type: 'claim.released', ...event });
  });
  await releaseLock(services, { itemId, userId: actor.userId, fence });
}

async function refuseIfOthers(
  em: Parameters<typeof claimRefusal>[0],
  itemId: string,
  actor: MemberActor,
): Promise<void> {
  const now = holderOf(await em.findOneOrFail(Item, { id: itemId }, { refresh: true }));
  if (now !== null && now.userId !== actor.userId) throw await claimRefusal(em, 'claim_lost', now);
}

/**
 * Claims an item even if someone else holds it. A free item is claimed, the actor's own is renewed. Errors: `not_found`,
 * `forbidden`, `already_decided`, `too_many_claims` (LC4).
 */
export async function takeOver(services: Services, actor: MemberActor, itemId: string): Promise<Grant> {
  const terms = await termsFor(services, actor, { itemId, needs: 'take_over' });
  const seized = await withinLimit(services, actor, (tx, ended) => seizeClaim(tx, actor, { ...terms, ended }));
  if (seized === null) {
    // The permission may have been removed meanwhile: that refusal takes precedence.
    await termsFor(services, actor, { itemId, needs: 'take_over' });
    throw await services.db.read(async (em) =>
      refusalFor(em, await em.findOneOrFail(Item, { id: itemId }), 'claim_lost'),
    );
  }
  await dropLockOf(services, seized);
  return confirm(services, actor, { ...seized, leaseSeconds: terms.leaseSeconds });
}

/** Releases the former holder's lock, confirmed or not; if the store is down, the lock expires. */
async function dropLockOf(services: Services, { item, from }: Seized): Promise<void> {
  if (from !== null) await releaseLock(services, { itemId: item.id, userId: from.userId, fence: from.fence });
}
