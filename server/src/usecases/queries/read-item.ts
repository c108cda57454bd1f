// One item, for the person in front of it or for the pipeline that sent it.
import { HISTORY_FACTS } from '@countersign/shared/api/queue';
import type { Role } from '@countersign/shared/words';
import { Decision } from '../../db/entities/decision.ts';
import { Event } from '../../db/entities/event.ts';
import { Item } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/actor.ts';
import { isOpen } from '../../domain/item.ts';
import { handsFull } from '../claim-limit.ts';
import { findItem, isArchived, nothingHere } from '../membership.ts';
import type { ApiKeyActor, MemberActor, Services } from '../services.ts';
import { claimsOf, type ClaimView } from './claims-of.ts';
import { decodeSeq, encodeSeq } from './cursor.ts';

export interface ItemView {
  item: Item;
  role: Role;
  /** Its project hands nothing out (AR1). */
  archived: boolean;
  decision: Decision | null;
  decidedBy: string | null;
  claim: ClaimView | null;
  /** Whoever asks holds as many other items as one person may (LC4). */
  handsFull: boolean;
}

/** The whole item with its decision, provisional or final, and who holds it. Errors: `not_found`. */
export async function readItem(services: Services, actor: MemberActor, itemId: string): Promise<ItemView> {
  const view = await services.db.read(async (em) => {
    const { item, role } = await findItem(em, actor.userId, itemId);
    // Of an audited item people see their verdict; that it was approved before it came to them would tell them what to say (AU3).
    const decision = await em.findOne(Decision, { itemId, audit: item.audit });
    const reviewer = decision?.reviewerId ? await em.findOne(User, { id: decision.reviewerId }) : null;
    const decidedBy = reviewer && displayName({ name: reviewer.name ?? null, address: reviewer.address });
    return { item, role, archived: await isArchived(em, item.projectId), decision, decidedBy };
  });
  const claim = (await claimsOf(services, [view.item])).get(itemId) ?? null;
  const asks = isOpen(view.item.status) && claim?.userId !== actor.userId;
  return { ...view, claim, handsFull: asks && (await handsFull(services, actor.userId)) };
}

/**
 * What the ledger has stamped about an item, oldest first: the last of it, or with a cursor what comes before that.
 * `audited`: whoever reads may know that the item was approved before it came to people (AU3). Errors: `not_found`, `invalid_cursor`.
 */
export function readHistory(
  services: Services,
  actor: MemberActor,
  { itemId, after }: { itemId: string; after: string | undefined },
): Promise<{ events: Event[]; audited: boolean; nextCursor: string | null }> {
  const before = decodeSeq(after);
  return services.db.read(async (em) => {
    const { item } = await findItem(em, actor.userId, itemId);
    const seq = before === null ? { $ne: null } : { $lt: before };
    const latest = await em.find(
      Event,
      { itemId, seq, ...(isUnmarked(item) ? NO_APPROVAL : {}) },
      { orderBy: { seq: 'desc' }, limit: HISTORY_FACTS + 1 },
    );
    const events = latest.slice(0, HISTORY_FACTS).reverse();
    const first = events[0]?.seq ?? null;
    return {
      events,
      audited: !isUnmarked(item),
      nextCursor: latest.length > HISTORY_FACTS && first !== null ? encodeSeq(first) : null,
    };
  });
}

/** AU3: who looks at an audited item anew is not told that it was approved. */
const isUnmarked = (item: Item): boolean => item.audit && isOpen(item.status);
/** Of a database from before arrivals carried their line: there the approval is a fact of its own. */
const NO_APPROVAL = { $or: [{ type: { $ne: 'item.finalized' as const } }, { data: { audited: { $ne: null } } }] };

/** The item as its pipeline may see it: a provisional decision does not show (LC2). Another project's id is 404. */
export function readPublicItem(
  services: Services,
  actor: ApiKeyActor,
  itemId: string,
): Promise<{ item: Item; decision: Decision | null }> {
  return services.db.read(async (em) => {
    const item = await em.findOne(Item, { id: itemId, projectId: actor.projectId });
    if (item === null) throw nothingHere();
    return { item, decision: await em.findOne(Decision, { itemId, audit: false, finalAt: { $ne: null } }) };
  });
}
