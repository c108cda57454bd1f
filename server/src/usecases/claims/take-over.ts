// A supervisor takes an item out of somebody's hands: the fence rises, so whatever the other still sends changes nothing (I3).
import { Item } from '../../db/entities/item.ts';
import { confirm, termsFor } from './claim.ts';
import { withinLimit } from './claim-limit.ts';
import { seizeClaim, type Grant, type Seized } from './claim-row.ts';
import { releaseLock } from './claim-store.ts';
import { refusalFor } from './refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Claims an item whoever holds it. One that nobody holds is claimed, one's own renewed.
 * Errors: `not_found`, `forbidden`, `already_decided`, `too_many_claims` (LC4).
 */
export async function takeOver(services: Services, actor: MemberActor, itemId: string): Promise<Grant> {
  const terms = await termsFor(services, actor, { itemId, needs: 'take_over' });
  const seized = await withinLimit(services, actor, (tx, ended) => seizeClaim(tx, actor, { ...terms, ended }));
  if (seized === null) {
    // What it was asked for may have gone meanwhile: that is said first.
    await termsFor(services, actor, { itemId, needs: 'take_over' });
    throw await services.db.read(async (em) =>
      refusalFor(em, await em.findOneOrFail(Item, { id: itemId }), 'claim_lost'),
    );
  }
  await dropLockOf(services, seized);
  return confirm(services, actor, { ...seized, leaseSeconds: terms.leaseSeconds });
}

/** The other's lock, confirmed or not, goes; if the store is down it forgets by itself. */
async function dropLockOf(services: Services, { item, from }: Seized): Promise<void> {
  if (from !== null) await releaseLock(services, { itemId: item.id, userId: from.userId, fence: from.fence });
}
