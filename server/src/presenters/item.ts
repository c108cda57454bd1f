// Presents items and decisions in the wire format. Stored JSON text is embedded unchanged.
import type { Granted, BulkGranted, QueuePage } from '@countersign/shared/schemas/queue';
import type { ItemPreview } from '@countersign/shared/schemas/previews';
import type { PublicEvent, PublicItem, Submitted } from '@countersign/shared/schemas/public';
import type { Routing } from '@countersign/shared/schemas/parts/decision';
import type { Claim, ItemDetail } from '@countersign/shared/schemas/parts/item';
import { displayName } from '../domain/access/actor.ts';
import { isBlind } from '../domain/audits/audit.ts';
import { rawJson } from '@countersign/shared/json/json';
import { type DecisionRow, toDecision } from '../domain/items/decision.ts';
import { type Ending, webhookBodyOf, webhookIdOf } from '../domain/webhooks/delivered-events.ts';
import { isExtendable } from '../domain/items/deadline.ts';
import { isOpen, isReopenable, isRevised, isSettled, publicStatusOf, revisability } from '../domain/items/item.ts';
import { itemAbilities } from '../domain/access/permissions.ts';
import { rowFor, toItemRow, type RowItem } from '../domain/items/item-row.ts';
import type { Role } from '@countersign/shared/enums';
import type { Decision } from '../db/entities/decision.ts';
import type { Item } from '../db/entities/item.ts';

/**
 * LC2: while a decision is provisional, the public API still shows the status before it, and no decision; also if it
 * became final between reading the item and reading the decision.
 */
export function presentSubmitted(
  item: { id: string; status: Item['status']; publicStatus?: Item['publicStatus']; audit: boolean },
  decision: (DecisionRow & { finalAt?: Date | null }) | null,
): Submitted {
  const status = publicStatusOf(item);
  const final = decision?.finalAt && !isOpen(status) ? toDecision(decision) : null;
  return { id: item.id, status, decision: final };
}

/** `answerSchema`: the text of its schema; null where it has none, or where it is not shown. */
export function presentPublicItem(
  item: Item,
  decision: Decision | null,
  answerSchema: string | null = null,
): PublicItem {
  const { id, status, decision: final } = presentSubmitted(item, decision);
  return {
    id,
    project_id: item.projectId,
    status,
    decision: final,
    input: rawJson(item.input),
    suggestion: rawJson(item.suggestion),
    confidence: item.confidence,
    risk_flags: item.riskFlags,
    metadata: item.metadata ? rawJson(item.metadata) : null,
    ...(answerSchema !== null && { answer_schema: rawJson(answerSchema) }),
    ...(item.suggestionFaults && { suggestion_faults: rawJson(item.suggestionFaults) }),
    ...(typeof item.title === 'string' && { title: item.title }),
    ...(item.kind !== 'answer' && { kind: item.kind }),
    ...(item.allowedActions && { allowed_actions: item.allowedActions }),
    ...deadlineOf(item, status),
    routing: presentRouting(item),
    created_at: item.createdAt.toISOString(),
    decided_at: decidedAtOf(item)?.toISOString() ?? null,
    ...(item.redactedAt && { emptied_at: item.redactedAt.toISOString() }),
  };
}

/** AU2: nothing waits of what was approved automatically. The deadline of an audit that moves would tell which they are. */
const deadlineOf = ({ deadline, onDeadline }: Item, status: PublicItem['status']) =>
  deadline && onDeadline && status !== 'auto_approved'
    ? { deadline: deadline.toISOString(), on_deadline: onDeadline }
    : {};

/** When the pipeline learned it: for an audited item on arrival unless it was revised, for a provisional decision not yet. */
function decidedAtOf(item: Item): Date | null {
  const { audit, publicStatus, createdAt, decidedAt } = item;
  if (audit && !isRevised(item)) return createdAt;
  return publicStatus ? null : (decidedAt ?? null);
}

/** One line of the catch-up feed. */
export const presentEvent = ({ eventId, ...ending }: Ending & { eventId: string }): PublicEvent => ({
  id: webhookIdOf(eventId),
  ...webhookBodyOf(ending),
});

function presentRouting(item: RoutedItem): Routing {
  return {
    rule: item.rule,
    auto_threshold: item.autoThreshold,
    review_threshold: item.reviewThreshold,
    matched_flags: item.matchedFlags,
    settings_version: item.settingsVersion,
  };
}

/** AU3: while an item waits, nothing shows that it was sampled for an audit; RT3 applies to it too. */
const withoutAuditMark = (routing: Routing): Routing => ({
  ...routing,
  rule: routing.rule === 'RT2' ? 'RT3' : routing.rule,
});

interface ClaimView {
  userId: string;
  name: string;
  expiresAt: Date;
}

const presentClaim = (claim: ClaimView): Claim => ({
  user_id: claim.userId,
  name: claim.name,
  expires_at: claim.expiresAt.toISOString(),
});

export interface ItemViewer {
  userId: string;
  role: Role;
}

type RoutedItem = Pick<Item, 'rule' | 'autoThreshold' | 'reviewThreshold' | 'matchedFlags' | 'settingsVersion'>;

/** What a view needs of an item: its database row, or the row that a submission would get. */
type ViewedItem = RowItem &
  RoutedItem &
  Pick<Item, 'input' | 'suggestion' | 'metadata' | 'audit' | 'publicStatus' | 'expiredAt'> &
  Partial<Pick<Item, 'redactedAt'>>;

interface ItemView {
  item: ViewedItem;
  /** What distinguishes audits is hidden from the viewer (AU3). */
  blind: boolean;
  decision: Decision | null;
  archived: boolean;
  decidedBy: string | null;
  earlier: readonly { decision: Decision; decidedBy: string | null }[];
  claim: ClaimView | null;
  claimLimitReached: boolean;
  /** The text of its schema (TS). */
  answerSchema: string | null;
}

/** What a submission would become, as a reviewer would open it. */
export function presentPreview({ item, blind, answerSchema }: Preview, userId: string): ItemPreview {
  const untouched = { decision: null, archived: false, decidedBy: null, earlier: [], claim: null };
  const view = { item, blind, answerSchema, claimLimitReached: false, ...untouched };
  return {
    status: item.status,
    routing: presentRouting(item),
    item: presentItem(view, { userId, role: 'reviewer' }),
  };
}

type Preview = Pick<ItemView, 'item' | 'blind' | 'answerSchema'>;

export function presentItem(view: ItemView, viewer: ItemViewer): ItemDetail {
  const { item, archived, decision, decidedBy, earlier, claim, claimLimitReached } = view;
  // A decision that can be undone can be made again.
  const hidden = view.blind && !isSettled(item);
  const undoUntil = decision && !decision.finalAt ? (decision.undoUntil ?? null) : null;
  const situation = {
    status: item.status,
    archived,
    holder: claim?.userId ?? null,
    rejectedByRouting: isReopenable(item, decision !== null) && !item.redactedAt,
    extendable: isOpen(item.status) && isExtendable(item),
    revisable: revisability(item) === 'revisable',
    undoableBy: undoUntil ? (decision?.reviewerId ?? null) : null,
    claimLimitReached,
  };
  return {
    ...rowFor(hidden, toItemRow(item, claim && presentClaim(claim))),
    ...(hidden && decision ? { status: decision.status } : {}),
    input: rawJson(item.input),
    suggestion: rawJson(item.suggestion),
    metadata: item.metadata ? rawJson(item.metadata) : null,
    answer_schema: view.answerSchema === null ? null : rawJson(view.answerSchema),
    suggestion_faults: item.suggestionFaults ? rawJson(item.suggestionFaults) : null,
    // Also of a settled item: it contains the thresholds.
    routing: view.blind ? null : isOpen(item.status) ? withoutAuditMark(presentRouting(item)) : presentRouting(item),
    audited: item.audit && !isRevised(item) && !isOpen(item.status) && !hidden,
    decision: decision && toDecision(decision),
    decided_by: decidedBy,
    earlier_decisions: earlier.map((each) => ({ decision: toDecision(each.decision), decided_by: each.decidedBy })),
    undo_until: undoUntil?.toISOString() ?? null,
    expired_at: item.expiredAt?.toISOString() ?? null,
    emptied_at: item.redactedAt?.toISOString() ?? null,
    abilities: itemAbilities(viewer, situation),
  };
}

/** The response to a claim: the item as its new holder sees it, the fence and the end of the lease. */
export function presentGrant(view: ItemView, viewer: ItemViewer, grant: { fence: number; expiresAt: Date }): Granted {
  return { item: presentItem(view, viewer), fence: grant.fence, expires_at: grant.expiresAt.toISOString() };
}

interface HolderNamed {
  userId: string;
  name: string | null;
  address: string;
}

interface PickedItem {
  item: Item;
  role: Role;
  /** Its project has audits (AU3). */
  hasAudits: boolean;
  /** The text of its schema. */
  answerSchema: string | null;
  fence: number;
  expiresAt: Date;
}

/** The same for an item from claim-next: an open one, claimed by its new holder and undecided. */
export function presentNextGrant(
  holder: HolderNamed,
  { item, role, hasAudits, answerSchema, fence, expiresAt }: PickedItem,
): Granted {
  const claim = { userId: holder.userId, name: displayName(holder), expiresAt };
  const blind = isBlind(role, hasAudits);
  const undecided = { decision: null, archived: false, decidedBy: null, earlier: [], claimLimitReached: false };
  const view = { item, blind, claim, answerSchema, ...undecided };
  return presentGrant(view, { userId: holder.userId, role }, { fence, expiresAt });
}

/** For an item of a bulk claim: its row, without the content. */
export function presentBulkGrant(
  holder: HolderNamed,
  { item, fence, expiresAt }: { item: RowItem; fence: number; expiresAt: Date },
): BulkGranted {
  const claim = presentClaim({ userId: holder.userId, name: displayName(holder), expiresAt });
  return { item: toItemRow(item, claim), fence, expires_at: claim.expires_at };
}

export function presentQueue(
  snapshot: {
    items: Item[];
    claims: Map<string, ClaimView>;
    end: QueuePage['until'];
    nextCursor: string | null;
    seqs: Map<string, number>;
    blind: ReadonlySet<string>;
    counts: QueuePage['counts'];
  },
  at: { projectId: string | undefined; now: Date },
): QueuePage {
  return {
    data: snapshot.items.map((item) => {
      const claim = snapshot.claims.get(item.id);
      return rowFor(
        snapshot.blind.has(item.projectId),
        toItemRow(item, claim === undefined ? null : presentClaim(claim)),
      );
    }),
    next_cursor: snapshot.nextCursor,
    until: snapshot.end,
    seq: at.projectId === undefined ? null : (snapshot.seqs.get(at.projectId) ?? null),
    seqs: Object.fromEntries(snapshot.seqs),
    counts: snapshot.counts,
    server_time: at.now.toISOString(),
  };
}
