// Rule LC: the life of an item: the moves of the table of actions, and every other one is refused.
import type { DecisionAction, DecisionStatus, ItemStatus, OpenStatus } from '@countersign/shared/enums';
import {
  ACTIONS,
  actionsFrom,
  isMove,
  isReasoned,
  type ReviewAction,
  type RevisionAction,
} from '@countersign/shared/review-actions';
import type { Permission } from '../access/permissions.ts';

export interface Move {
  to: ItemStatus;
  /** The status of the decision this move makes; null when the item only moves between people. */
  decides: DecisionStatus | null;
  /** The permission that the member needs (rule PM). */
  needs: Permission;
  reason: 'required' | 'optional';
}

type OpenMoves = Partial<Record<ReviewAction, Move>>;

/** What the moves of an item and its public status depend on. */
interface StatusAndAudit {
  status: ItemStatus;
  /** Auto-approved and drawn for an audit (AU1). */
  audit: boolean;
}

/** The permission that holding an item of this status needs (rule PM): escalated items are for supervisors and owners. */
export const claimPermission = (status: OpenStatus): Permission =>
  status === 'queued' ? 'decide_queued' : 'decide_escalated';

/** LC: what the holder of the claim can do, by the item's status. */
const MOVES = { queued: movesFrom('queued'), escalated: movesFrom('escalated') };

function movesFrom(status: OpenStatus): OpenMoves {
  const moveOf = (action: ReviewAction): Move => ({
    to: ACTIONS[action].to,
    decides: isMove(action) ? null : ACTIONS[action].to,
    needs: claimPermission(status),
    reason: isReasoned(action) || ACTIONS[action].requires === 'output' ? 'required' : 'optional',
  });
  return Object.fromEntries(actionsFrom(status).map((action) => [action, moveOf(action)]));
}

export const isOpen = (status: ItemStatus): status is OpenStatus => Object.hasOwn(MOVES, status);

/** The status that a person's decision gives to an item that is not an audit; null for any other action. */
export const decidedStatus = (action: DecisionAction | null): ItemStatus | null =>
  action === null || action === 'auto_approve' ? null : ACTIONS[action].to;

/** Decided for good: nobody can undo it any more (LC2). */
export const isSettled = ({
  status,
  publicStatus,
}: {
  status: ItemStatus;
  publicStatus?: ItemStatus | null;
}): boolean => !isOpen(status) && !publicStatus;

/**
 * The move of this action on this item, or undefined when it is not allowed. AU2: an audited item was
 * approved automatically and stays so.
 */
export function moveFor({ status, audit }: StatusAndAudit, action: ReviewAction): Move | undefined {
  const move = isOpen(status) ? MOVES[status][action] : undefined;
  return move && audit && move.decides !== null ? { ...move, to: 'auto_approved' } : move;
}

/**
 * LC2, AU2: the status that the pipeline sees: the one before a provisional
 * decision, and `auto_approved` for an audited item until it is revised.
 */
export function publicStatusOf({
  status,
  publicStatus,
  audit,
}: StatusAndAudit & { publicStatus?: ItemStatus | null }): ItemStatus {
  return audit && !isRevised({ status, audit }) ? 'auto_approved' : (publicStatus ?? status);
}

/** RV4: only a revision gives an audited item such a status; a verdict leaves it approved automatically (AU2). */
export const isRevised = ({ status, audit }: StatusAndAudit): boolean =>
  audit && (status === 'approved' || status === 'rejected');

/** Whether the decision on the item can be revised, provided that it can be seen (RV1). */
export function revisability(item: {
  status: ItemStatus;
  publicStatus?: ItemStatus | null;
  redactedAt?: Date | null;
}): 'revisable' | 'open' | 'provisional' | 'ended' | 'redacted' {
  if (item.publicStatus) return 'provisional';
  if (isOpen(item.status)) return 'open';
  if (item.status === 'withdrawn' || item.status === 'expired') return 'ended';
  return item.redactedAt ? 'redacted' : 'revisable';
}

/** The status that a revision gives to an item, audited or not. */
export const revisedStatus = (action: RevisionAction): 'approved' | 'rejected' => ACTIONS[action].to;

/**
 * WD1: what a withdrawal does to an item. An audited item was approved on its arrival (AU2), and a provisional decision is one.
 */
export function withdrawalOf({ status, audit }: StatusAndAudit): 'withdraw' | 'repeat' | 'refuse' {
  if (status === 'withdrawn') return 'repeat';
  return isOpen(status) && !audit ? 'withdraw' : 'refuse';
}

/**
 * LC: only an item that routing rejected can be reopened; what a person or a deadline (DL1) rejected stays rejected.
 * `decided`: it has a decision.
 */
export const isReopenable = (
  { status, expiredAt }: { status: ItemStatus; expiredAt?: Date | null },
  decided: boolean,
): boolean => status === 'rejected' && !expiredAt && !decided;

/**
 * LC2: until when a decision made now is provisional; null when the window is 0,
 * because it is final then. `undoWindow` is in seconds.
 */
export function undoUntil(decidedAt: Date, undoWindow: number): Date | null {
  return undoWindow === 0 ? null : new Date(decidedAt.getTime() + undoWindow * 1000);
}

/** LC3: when an item that arrived at `createdAt` is due: `targetMinutes` later, or at its deadline if that is earlier. */
export function dueAt(createdAt: Date, targetMinutes: number, deadline: Date | null): Date {
  const target = createdAt.getTime() + targetMinutes * 60_000;
  return new Date(deadline === null ? target : Math.min(target, deadline.getTime()));
}

/**
 * Whether two JSON values are equal, regardless of the order of members: an edit must change
 * the output. Recursion is safe, because the intake limits the depth.
 */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right) || (left === 0 && right === 0)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      sameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
}
