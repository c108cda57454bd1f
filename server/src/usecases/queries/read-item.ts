// One item, for the person in front of it or for the pipeline that sent it.
import type { Role } from '@countersign/shared/words';
import { Decision } from '../../db/entities/decision.ts';
import { Event } from '../../db/entities/event.ts';
import { Item } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/actor.ts';
import { findItem, isArchived, nothingHere } from '../membership.ts';
import type { ApiKeyActor, MemberActor, Services } from '../services.ts';
import { claimsOf, type ClaimView } from './claims-of.ts';

export interface ItemView {
  item: Item;
  role: Role;
  /** Its project hands nothing out (AR1). */
  archived: boolean;
  decision: Decision | null;
  decidedBy: string | null;
  claim: ClaimView | null;
}

/** The whole item with its decision, provisional or final, and who holds it. Errors: `not_found`. */
export async function readItem(services: Services, actor: MemberActor, itemId: string): Promise<ItemView> {
  const view = await services.db.read(async (em) => {
    const { item, role } = await findItem(em, actor.userId, itemId);
    const decision = await em.findOne(Decision, { itemId });
    const reviewer = decision?.reviewerId ? await em.findOne(User, { id: decision.reviewerId }) : null;
    const decidedBy = reviewer && displayName({ name: reviewer.name ?? null, address: reviewer.address });
    return { item, role, archived: await isArchived(em, item.projectId), decision, decidedBy };
  });
  const claims = await claimsOf(services, [view.item]);
  return { ...view, claim: claims.get(itemId) ?? null };
}

/** Everything the ledger has stamped about an item, oldest first. Errors: `not_found`. */
export function readHistory(services: Services, actor: MemberActor, itemId: string): Promise<Event[]> {
  return services.db.read(async (em) => {
    await findItem(em, actor.userId, itemId);
    return em.find(Event, { itemId, seq: { $ne: null } }, { orderBy: { position: 'asc' }, limit: 500 });
  });
}

/** The item as its pipeline may see it: a provisional decision does not show (LC2). Another project's id is 404. */
export function readPublicItem(
  services: Services,
  actor: ApiKeyActor,
  itemId: string,
): Promise<{ item: Item; decision: Decision | null }> {
  return services.db.read(async (em) => {
    const item = await em.findOne(Item, { id: itemId, projectId: actor.projectId });
    if (item === null) throw nothingHere();
    return { item, decision: await em.findOne(Decision, { itemId, finalAt: { $ne: null } }) };
  });
}
