// A reviewer releases an item. Releasing a lost claim does nothing; someone else's claim is not affected.
import { Item } from '../../db/entities/item.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { releaseLock } from './claim-store.ts';
import { findItem } from '../access/membership.ts';
import { claimRefusal, holderOf } from './refuse-claim.ts';
import type { ClaimRef } from './renew-claim.ts';
import type { MemberActor, Services } from '../services.ts';

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
