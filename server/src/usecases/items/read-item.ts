// Reads one item and its history, for the reviewer or for the pipeline that submitted it.
import { HISTORY_EVENTS } from '@countersign/shared/limits';
import type { Role } from '@countersign/shared/enums';
import { HAS_AUDITS } from '../../db/audits/has-audits.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Event } from '../../db/entities/event.ts';
import { Item } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/access/actor.ts';
import { isBlind } from '../../domain/audits/audit.ts';
import type { Em } from '../../db/orm.ts';
import { readSchemaText } from '../../db/submit-batch.ts';
import { isOpen, isSettled } from '../../domain/items/item.ts';
import { claimLimitReached } from '../claims/claim-limit.ts';
import { currentDecision, earlierDecisions } from '../decisions/current-decision.ts';
import { findItem, notFound } from '../access/membership.ts';
import { noteSeenItem } from '../access/seen-item.ts';
import type { ApiKeyActor, MemberActor, Services } from '../services.ts';
import { readClaims, type ClaimView } from '../claims/read-claims.ts';
import { decodeSeq, encodeSeq } from '../cursor.ts';

export interface ItemView {
  item: Item;
  role: Role;
  /** Its project is archived (AR1). */
  archived: boolean;
  /** The viewer must not see what identifies audits (AU3). */
  blind: boolean;
  decision: Decision | null;
  decidedBy: string | null;
  /** The decisions that were revised, the newest first. */
  earlier: readonly { decision: Decision; decidedBy: string | null }[];
  claim: ClaimView | null;
  /** The text of its answer schema; null: none (TS). */
  answerSchema: string | null;
  /** The viewer has reached the claim limit with other items (LC4). */
  claimLimitReached: boolean;
}

/** The item with its decision, provisional or final, and its holder. Errors: `not_found`. */
export async function readItem(services: Services, actor: MemberActor, itemId: string): Promise<ItemView> {
  const view = await services.db.read(async (em) => {
    const { item, role } = await findItem(em, actor.userId, itemId);
    // People see their verdict on an audited item; the automatic approval before it would influence them (AU3).
    const decision = await currentDecision(em, item);
    const decidedBy = await reviewerOf(em, decision);
    const before = decision !== null && decision.revision > 1 ? await earlierDecisions(em, item) : [];
    const earlier = await Promise.all(
      before.map(async (each) => ({ decision: each, decidedBy: await reviewerOf(em, each) })),
    );
    const { archived, hasAudits } = await projectOf(em, item.projectId);
    const answerSchema = await schemaTextOf(em, item);
    return { item, role, archived, blind: isBlind(role, hasAudits), decision, decidedBy, earlier, answerSchema };
  });
  const claim = (await readClaims(services, [view.item])).get(itemId) ?? null;
  const asks = isOpen(view.item.status) && claim?.userId !== actor.userId;
  return { ...view, claim, claimLimitReached: asks && (await claimLimitReached(services, actor.userId)) };
}

/** The name of who decided; null for an automatic decision. */
async function reviewerOf(em: Em, decision: Decision | null): Promise<string | null> {
  const reviewer = decision?.reviewerId ? await em.findOne(User, { id: decision.reviewerId }) : null;
  return reviewer && displayName({ name: reviewer.name ?? null, address: reviewer.address });
}

/** The text of the schema of an item. */
const schemaTextOf = async (
  em: Em,
  { projectId, answerSchema: digest }: Pick<Item, 'projectId' | 'answerSchema'>,
): Promise<string | null> => (digest ? readSchemaText(em, { projectId, digest }) : null);

/** Whether a project is archived, and whether what identifies its audits is hidden from reviewers (AU3). */
export async function projectOf(em: Em, projectId: string): Promise<{ archived: boolean; hasAudits: boolean }> {
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
 * The sequenced events of an item, oldest first: the latest ones, or with a cursor those before it. `audited`: the viewer may
 * know that the item was approved before it came to people; `hidden`: its confidence is hidden from them (AU3). Errors:
 * `not_found`, `invalid_cursor`.
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

/**
 * AU3: hides the automatic approval of an audited item from its reviewers. In databases from before arrivals carried the queue
 * row, the approval is an event of its own.
 */
const NO_APPROVAL = { $or: [{ type: { $ne: 'item.finalized' as const } }, { data: { audited: { $ne: null } } }] };

/** The item as its pipeline may see it: a provisional decision is not shown (LC2). Another project's id is 404. */
export function readPublicItem(
  services: Services,
  actor: ApiKeyActor,
  itemId: string,
): Promise<{ item: Item; decision: Decision | null; answerSchema: string | null }> {
  return services.db.read(async (em) => {
    const item = await em.findOne(Item, { id: itemId, projectId: actor.projectId });
    if (item === null) throw notFound();
    noteSeenItem(itemId);
    const decision = await em.findOne(Decision, { itemId, audit: false, finalAt: { $ne: null }, supersededAt: null });
    return { item, decision, answerSchema: await schemaTextOf(em, item) };
  });
}
