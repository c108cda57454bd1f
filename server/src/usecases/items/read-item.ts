// One item, for the person in front of it or for the pipeline that sent it.
import { HISTORY_EVENTS } from '@countersign/shared/api/queue';
import type { Role } from '@countersign/shared/enums';
import { HAS_AUDITS } from '../../db/audits/has-audits.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Event } from '../../db/entities/event.ts';
import { Item } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/access/actor.ts';
import { isBlind } from '../../domain/audits/audit.ts';
import type { Em } from '../../db/orm.ts';
import { isOpen, isSettled } from '../../domain/items/item.ts';
import { claimLimitReached } from '../claims/claim-limit.ts';
import { findItem, notFound } from '../access/membership.ts';
import type { ApiKeyActor, MemberActor, Services } from '../services.ts';
import { claimsOf, type ClaimView } from '../claims/claims-of.ts';
import { decodeSeq, encodeSeq } from '../cursor.ts';

export interface ItemView {
  item: Item;
  role: Role;
  /** Its project hands nothing out (AR1). */
  archived: boolean;
  /** What tells audits apart is kept from whoever asks (AU3). */
  blind: boolean;
  decision: Decision | null;
  decidedBy: string | null;
  claim: ClaimView | null;
  /** Whoever asks holds as many other items as one person may (LC4). */
  claimLimitReached: boolean;
}

/** The whole item with its decision, provisional or final, and who holds it. Errors: `not_found`. */
export async function readItem(services: Services, actor: MemberActor, itemId: string): Promise<ItemView> {
  const view = await services.db.read(async (em) => {
    const { item, role } = await findItem(em, actor.userId, itemId);
    // Of an audited item people see their verdict; that it was approved before it came to them would tell them what to say (AU3).
    const decision = await em.findOne(Decision, { itemId, audit: item.audit });
    const reviewer = decision?.reviewerId ? await em.findOne(User, { id: decision.reviewerId }) : null;
    const decidedBy = reviewer && displayName({ name: reviewer.name ?? null, address: reviewer.address });
    const { archived, hasAudits } = await projectOf(em, item.projectId);
    return { item, role, archived, blind: isBlind(role, hasAudits), decision, decidedBy };
  });
  const claim = (await claimsOf(services, [view.item])).get(itemId) ?? null;
  const asks = isOpen(view.item.status) && claim?.userId !== actor.userId;
  return { ...view, claim, claimLimitReached: asks && (await claimLimitReached(services, actor.userId)) };
}

async function projectOf(em: Em, projectId: string): Promise<{ archived: boolean; hasAudits: boolean }> {
  const rows = await em.execute<{ archived: boolean; audits: boolean }[]>(
    `select p.archived_at is not null as archived, ${HAS_AUDITS} as audits from project p where p.id = ?`,
    [projectId],
  );
  return { archived: rows[0]?.archived ?? false, hasAudits: rows[0]?.audits ?? false };
}

interface History {
  events: Event[];
  audited: boolean;
  hidden: boolean;
  nextCursor: string | null;
}

/**
 * What the ledger has stamped about an item, oldest first: the last of it, or with a cursor what comes before that.
 * `audited`: whoever reads may know that the item was approved before it came to people; `hidden`: they are kept from its confidence
 * (AU3). Errors: `not_found`, `invalid_cursor`.
 */
export function readHistory(
  services: Services,
  actor: MemberActor,
  { itemId, after }: { itemId: string; after: string | undefined },
): Promise<History> {
  const before = decodeSeq(after);
  return services.db.read(async (em) => {
    const { item, role } = await findItem(em, actor.userId, itemId);
    const hidden = !isSettled(item) && isBlind(role, (await projectOf(em, item.projectId)).hasAudits);
    const unmarked = item.audit && (isOpen(item.status) || hidden);
    const seq = before === null ? { $ne: null } : { $lt: before };
    const latest = await em.find(
      Event,
      { itemId, seq, ...(unmarked ? NO_APPROVAL : {}) },
      { orderBy: { seq: 'desc' }, limit: HISTORY_EVENTS + 1 },
    );
    const events = latest.slice(0, HISTORY_EVENTS).reverse();
    const first = events[0]?.seq ?? null;
    return {
      events,
      audited: !unmarked,
      hidden,
      nextCursor: latest.length > HISTORY_EVENTS && first !== null ? encodeSeq(first) : null,
    };
  });
}

/** AU3: who looks at an audited item anew is not told that it was approved. Of a database from before arrivals carried their line: there the approval is a fact of its own. */
const NO_APPROVAL = { $or: [{ type: { $ne: 'item.finalized' as const } }, { data: { audited: { $ne: null } } }] };

/** The item as its pipeline may see it: a provisional decision does not show (LC2). Another project's id is 404. */
export function readPublicItem(
  services: Services,
  actor: ApiKeyActor,
  itemId: string,
): Promise<{ item: Item; decision: Decision | null }> {
  return services.db.read(async (em) => {
    const item = await em.findOne(Item, { id: itemId, projectId: actor.projectId });
    if (item === null) throw notFound();
    return { item, decision: await em.findOne(Decision, { itemId, audit: false, finalAt: { $ne: null } }) };
  });
}
