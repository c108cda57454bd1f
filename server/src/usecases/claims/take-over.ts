// A supervisor takes an item over: the fence rises, so that nothing the former holder sends has any effect (I3).
import { Item } from '../../db/entities/item.ts';
import { confirm, termsFor } from './claim.ts';
import { withinLimit } from './claim-limit.ts';
import { seizeClaim, type Grant, type Seized } from './claim-row.ts';
import { releaseLock } from './claim-store.ts';
import { refusalFor } from './refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';

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
