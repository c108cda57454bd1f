// Models an item in memory: who may do what when, and the result. Tests compare the real use cases with it.
import type { ErrorCode } from '@countersign/shared/errors';
import type { ItemStatus, OnDeadline } from '@countersign/shared/enums';
import { ACTIONS, type ReviewAction, type RevisionAction } from '@countersign/shared/review-actions';
import { TABLE } from '../../../src/domain/items/moves.fixture.ts';

export const PEOPLE = ['anna', 'ben', 'supervisor'] as const;
export type Who = (typeof PEOPLE)[number];

/** The result of a step: `ok`, or the code of the refusal. */
export type Outcome = 'ok' | ErrorCode;

export interface ModelItem {
  id: string;
  key: string;
  status: ItemStatus;
  fence: number;
  holder: Who | null;
  /** `ended`: the lease is over, and nothing has noticed yet. */
  claim: 'none' | 'live' | 'ended';
  decided: { by: Who | null; from: ItemStatus; final: boolean } | null;
  /** How often its decision was revised, and the last action that decided it; null where only routing did. */
  revisions: number;
  action: ReviewAction | 'auto_approve' | null;
  /** Routing had rejected it, which was published as final. */
  rejectedByRouting: boolean;
  onDeadline: OnDeadline;
  /** Its deadline has passed, and takes effect when it waits. */
  late: boolean;
  /** Its deadline ended it. */
  expired: boolean;
  extended: boolean;
}

const isOpen = ({ status }: ModelItem) => status === 'queued' || status === 'escalated';
const mayHold = ({ status }: ModelItem, who: Who) => status === 'queued' || who === 'supervisor';

export function newModelItem(
  id: string,
  key: string,
  { status, onDeadline }: { status: ItemStatus; onDeadline: OnDeadline },
): ModelItem {
  const decided = status === 'auto_approved' ? { by: null, from: status, final: true } : null;
  const action = decided && 'auto_approve';
  return {
    id,
    key,
    status,
    fence: 0,
    holder: null,
    claim: 'none',
    decided,
    revisions: 0,
    action,
    rejectedByRouting: status === 'rejected',
    onDeadline,
    late: false,
    expired: false,
    extended: false,
  };
}

/** The refusal for an item that is not open. A revision decides even an item that its deadline ended. */
const closed = ({ expired, revisions }: ModelItem): Outcome =>
  expired && revisions === 0 ? 'expired' : 'already_decided';

/** LC4: at most three claims. An expired lease does not count. */
export function claimLimitReached(modelItems: readonly ModelItem[], who: Who): boolean {
  return modelItems.filter(({ holder, claim }) => holder === who && claim === 'live').length >= 3;
}

/** `full`: they have reached the claim limit. */
export function claims(modelItem: ModelItem, who: Who, full = false): Outcome {
  if (!isOpen(modelItem)) return closed(modelItem);
  if (!mayHold(modelItem, who)) return 'forbidden';
  if (modelItem.claim === 'live') return modelItem.holder === who ? 'ok' : 'claim_held';
  if (full) return 'too_many_claims';
  Object.assign(modelItem, { fence: modelItem.fence + 1, holder: who, claim: 'live' });
  return 'ok';
}

/** A supervisor takes it over from its holder; the fence rises unless they hold it already. */
export function takesOver(modelItem: ModelItem, who: Who, full: boolean): Outcome {
  if (who !== 'supervisor') return 'forbidden';
  if (!isOpen(modelItem)) return closed(modelItem);
  if (modelItem.claim === 'live' && modelItem.holder === who) return 'ok';
  if (full) return 'too_many_claims';
  Object.assign(modelItem, { fence: modelItem.fence + 1, holder: who, claim: 'live' });
  return 'ok';
}

/** Only an item that routing rejected can be reopened. */
export function reopens(modelItem: ModelItem, who: Who): Outcome {
  if (who !== 'supervisor') return 'forbidden';
  if (isOpen(modelItem)) return 'validation_failed';
  if (modelItem.expired && modelItem.revisions === 0) return 'expired';
  if (modelItem.status !== 'rejected' || modelItem.decided !== null || modelItem.revisions > 0)
    return 'already_decided';
  if (modelItem.late) return 'expired';
  modelItem.status = 'queued';
  return 'ok';
}

/** WD1: the pipeline withdraws an item that waits, claimed or not; a repeat is no other withdrawal. */
export function withdraws(modelItem: ModelItem): Outcome {
  if (modelItem.status === 'withdrawn') return 'ok';
  if (!isOpen(modelItem)) return closed(modelItem);
  Object.assign(modelItem, { status: 'withdrawn', holder: null, claim: 'none' });
  return 'ok';
}

/** DL1, DL3: its deadline passes: at once where it waits, and otherwise when a decision is undone. */
export function passesDeadline(modelItem: ModelItem): void {
  modelItem.late = true;
  if (!isOpen(modelItem)) return;
  const free = { holder: null, claim: 'none' } as const;
  if (modelItem.onDeadline === 'escalate') {
    const keeps = modelItem.status === 'escalated' ? {} : free;
    Object.assign(modelItem, { ...keeps, status: 'escalated', onDeadline: 'expire', late: false });
    return;
  }
  const status = modelItem.onDeadline === 'reject' ? 'rejected' : 'expired';
  Object.assign(modelItem, { ...free, status, expired: true });
}

/** DL5: a supervisor, once, while it waits. */
export function extendsDeadline(modelItem: ModelItem, who: Who): Outcome {
  if (who !== 'supervisor') return 'forbidden';
  if (!isOpen(modelItem)) return closed(modelItem);
  if (modelItem.extended) return 'already_extended';
  modelItem.extended = true;
  return 'ok';
}

export function renews(modelItem: ModelItem, who: Who, { fence, full }: { fence: number; full: boolean }): Outcome {
  if (!isOpen(modelItem)) return closed(modelItem);
  if (modelItem.claim === 'none' || modelItem.holder !== who || modelItem.fence !== fence) return 'claim_lost';
  if (modelItem.claim === 'ended' && full) return 'claim_lost';
  modelItem.claim = 'live';
  return 'ok';
}

export function releases(modelItem: ModelItem, who: Who, fence: number): Outcome {
  if (modelItem.claim === 'none') return 'ok';
  if (modelItem.holder !== who) return 'claim_lost';
  if (modelItem.fence === fence) Object.assign(modelItem, { holder: null, claim: 'none' });
  return 'ok';
}

/** An expired claim keeps its holder: until another person claims the item, a late decision counts (LC1). */
export function expiresClaim(modelItem: ModelItem): void {
  if (modelItem.claim === 'ended') modelItem.claim = 'none';
}

export function decides(
  modelItem: ModelItem,
  who: Who,
  { action, fence }: { action: ReviewAction; fence: number },
): Outcome {
  const to = TABLE[`${modelItem.status} ${action}`]?.to;
  if (to === undefined) return isOpen(modelItem) ? 'validation_failed' : closed(modelItem);
  if (!mayHold(modelItem, who)) return 'forbidden';
  if (modelItem.holder !== who || modelItem.fence !== fence) return 'claim_lost';
  const from = modelItem.status;
  Object.assign(modelItem, { status: to, holder: null, claim: 'none' });
  if (!isOpen(modelItem)) Object.assign(modelItem, { action, decided: { by: who, from, final: false } });
  return 'ok';
}

/** RV1: a supervisor revises what is final, unless the decision that they mean was revised meanwhile. */
export function revises(
  modelItem: ModelItem,
  who: Who,
  { action, late }: { action: RevisionAction; late: boolean },
): Outcome {
  if (who !== 'supervisor') return 'forbidden';
  const provisional = modelItem.decided !== null && !modelItem.decided.final;
  const ended = modelItem.status === 'withdrawn' || modelItem.status === 'expired';
  if (isOpen(modelItem) || provisional || ended) return 'validation_failed';
  if (late) return 'already_revised';
  if (action === 'approve' && (modelItem.action === 'approve' || modelItem.action === 'auto_approve'))
    return 'unchanged_edit';
  Object.assign(modelItem, { action, revisions: modelItem.revisions + 1, status: ACTIONS[action].to });
  return 'ok';
}

export function undoes(modelItem: ModelItem, who: Who): Outcome {
  if (modelItem.decided === null) return 'undo_window_passed';
  if (modelItem.decided.by !== who) return 'forbidden';
  if (modelItem.decided.final) return 'undo_window_passed';
  Object.assign(modelItem, { status: modelItem.decided.from, decided: null, action: null });
  if (modelItem.late) passesDeadline(modelItem);
  return 'ok';
}

export function finalizes(modelItem: ModelItem): void {
  if (modelItem.decided) modelItem.decided.final = true;
}

/** Does LC0 have this edge? `new` is an item that did not exist before. */
function isEdge(from: ItemStatus | 'new', to: ItemStatus): boolean {
  if (to === 'withdrawn' || to === 'expired') return from === 'queued' || from === 'escalated';
  if (from === 'rejected') return to === 'queued';
  if (from === 'new') return ['auto_approved', 'queued', 'escalated', 'rejected'].includes(to);
  return Object.entries(TABLE).some(([move, end]) => move.startsWith(`${from} `) && end.to === to);
}

/** Follows the event log of one item along the edges of LC0, and returns its final status. Throws on any other move. */
export function followEventLog(
  eventLog: readonly { type: string; data: Record<string, unknown> }[],
): ItemStatus | 'new' {
  let status: ItemStatus | 'new' = 'new';
  let before: ItemStatus | 'new' = 'new';
  for (const { type, data } of eventLog) {
    const to = (data.status ?? (data.item as { status?: ItemStatus } | undefined)?.status) as ItemStatus | undefined;
    if (to === undefined || (type === 'item.finalized' && status !== 'new')) continue;
    const revised = type === 'decision.revised' && (to === 'approved' || to === 'rejected');
    const allowed = type === 'item.undone' ? to === before : revised || isEdge(status, to);
    if (!allowed) throw new Error(`${type}: ${status} → ${to}`);
    [before, status] = [status, to];
  }
  return status;
}
