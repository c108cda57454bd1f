// Rule LC: the life of an item. One table of moves; every other move is refused by name.
import type { DecisionAction, DecisionStatus, ItemStatus, ReviewAction } from '@countersign/shared/enums';
import type { Permission } from '../access/permissions.ts';

export interface Move {
  to: ItemStatus;
  /** The status of the decision this move makes; null when the item only moves between people. */
  decides: DecisionStatus | null;
  /** What the member needs to be allowed to do (rule PM). */
  needs: Permission;
  reason: 'required' | 'optional';
  /** Is the move an override of the suggestion, to be recorded as a learning? */
  override: boolean;
}

type OpenMoves = Partial<Record<ReviewAction, Move>>;

/** What a move or a status depends on. */
interface StatusAndAudit {
  status: ItemStatus;
  /** Auto-approved and drawn for an audit (AU1). */
  audit: boolean;
}

const QUEUED = 'decide_queued';
const ESCALATED = 'decide_escalated';

/** LC: what a person who holds the claim can do, by the item's status. */
const MOVES = {
  queued: {
    approve: { to: 'approved', decides: 'approved', needs: QUEUED, reason: 'optional', override: false },
    edit: { to: 'approved', decides: 'approved', needs: QUEUED, reason: 'required', override: true },
    reject: { to: 'rejected', decides: 'rejected', needs: QUEUED, reason: 'required', override: true },
    escalate: { to: 'escalated', decides: null, needs: QUEUED, reason: 'required', override: false },
  },
  escalated: {
    approve: { to: 'approved', decides: 'approved', needs: ESCALATED, reason: 'optional', override: false },
    edit: { to: 'approved', decides: 'approved', needs: ESCALATED, reason: 'required', override: true },
    reject: { to: 'rejected', decides: 'rejected', needs: ESCALATED, reason: 'required', override: true },
    finalize: {
      to: 'escalated_final',
      decides: 'escalated_final',
      needs: ESCALATED,
      reason: 'required',
      override: false,
    },
    return: { to: 'queued', decides: null, needs: ESCALATED, reason: 'optional', override: false },
  },
  auto_approved: {},
  approved: {},
  rejected: {},
  escalated_final: {},
} as const satisfies Record<ItemStatus, OpenMoves>;

export const isOpen = (status: ItemStatus): status is 'queued' | 'escalated' => Object.keys(MOVES[status]).length > 0;

/** What a person's decision makes of an item that is no audit; null for any other action. */
export const decidedStatus = (action: DecisionAction | null): ItemStatus | null =>
  action === null || action === 'auto_approve' ? null : MOVES.escalated[action].decides;

/** Decided, and for good: nobody can undo it any more (LC2). */
export const isSettled = ({
  status,
  publicStatus,
}: {
  status: ItemStatus;
  publicStatus?: ItemStatus | null;
}): boolean => !isOpen(status) && !publicStatus;

/**
 * The move this action makes on this item, or undefined: not an allowed edge. AU2: whatever a person says of an audited item,
 * it was shipped as it is and ends as what it was.
 */
export function moveFor({ status, audit }: StatusAndAudit, action: ReviewAction): Move | undefined {
  const move = (MOVES[status] as OpenMoves)[action];
  return move && audit && move.decides !== null ? { ...move, to: 'auto_approved' } : move;
}

/** LC2, AU2: the status the pipeline sees: the one before a provisional decision, and of an audited item always the one it was told. */
export function publicStatusOf({
  status,
  publicStatus,
  audit,
}: StatusAndAudit & { publicStatus?: ItemStatus | null }): ItemStatus {
  return audit ? 'auto_approved' : (publicStatus ?? status);
}

/** What holding an item of this status needs (rule PM): escalated items are for supervisors and owners. */
export function claimPermission(status: 'queued' | 'escalated'): Permission {
  return status === 'queued' ? QUEUED : ESCALATED;
}

/** LC: only what its routing rejected can be reopened; what a person rejected stays rejected. `decided`: there is a decision. */
export const isReopenable = (status: ItemStatus, decided: boolean): boolean => status === 'rejected' && !decided;

/**
 * LC2: until when a decision made now is provisional. Null when the window is 0: then it is final at once.
 * `undoWindow` in seconds.
 */
export function undoUntil(decidedAt: Date, undoWindow: number): Date | null {
  return undoWindow === 0 ? null : new Date(decidedAt.getTime() + undoWindow * 1000);
}

/** LC3: when an item that arrived now should be decided. `targetMinutes` in minutes. */
export function dueAt(createdAt: Date, targetMinutes: number): Date {
  return new Date(createdAt.getTime() + targetMinutes * 60_000);
}

/** `edit` must change the output: same JSON value (member order aside) is no edit. Iterative enough: depth is capped at intake. */
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

const PREVIEW_LENGTH = 140;

/** One line that tells items apart in a list: the first text of the input, white space folded. */
export function previewOf(input: unknown): string {
  // The beginning is enough: folding the white space of a long text takes longer than anything else at the intake.
  const beginning = firstText(input, 0)
    .trimStart()
    .slice(0, PREVIEW_LENGTH * 20)
    .toWellFormed();
  const line = beginning.replace(/\s+/gu, ' ').trim();
  const points = Array.from(line.slice(0, PREVIEW_LENGTH * 2));
  return points.length > PREVIEW_LENGTH ? `${points.slice(0, PREVIEW_LENGTH - 1).join('')}…` : points.join('');
}

/** Members that usually hold what was asked come before the rest. */
const PREVIEW_KEYS = ['question', 'subject', 'title', 'prompt', 'text', 'message', 'content', 'body'];

function firstText(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object' || depth > 4) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : firstText(latestTurn(value), depth + 1);
  const record = value as Record<string, unknown>;
  const key = PREVIEW_KEYS.find((name) => typeof record[name] === 'string' && record[name] !== '');
  if (key !== undefined) return record[key] as string;
  const first = Object.values(record).find((member) => typeof member === 'string' || typeof member === 'object');
  return first === undefined || first === null ? JSON.stringify(value) : firstText(first, depth + 1);
}

/** Of a chat, what the user said last; of any other list, its first member. */
function latestTurn(list: unknown[]): unknown {
  const isUser = (turn: unknown) =>
    typeof turn === 'object' && turn !== null && (turn as { role?: unknown }).role === 'user';
  return list.findLast(isUser) ?? list[0];
}
