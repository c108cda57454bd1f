// Decides an item that a reviewer holds: a conditional UPDATE with the fence says whose decision counts (LC1, I1, I3).
import type { Refusal } from '@countersign/shared/errors';
import { ACTIONS, isMove, type ReviewAction } from '@countersign/shared/review-actions';
import { type Answer, notAllowed } from '../../domain/items/decision-input.ts';
import { isOpen, moveFor, type Move, undoUntil } from '../../domain/items/item.ts';
import type { Tx } from '../../db/database.ts';
import { IS_LATE } from '../../db/deadlines/pass-deadlines.ts';
import type { Em } from '../../db/orm.ts';
import { Item, itemColumns, type ItemColumns } from '../../db/entities/item.ts';
import { planned } from '../../db/connection/planned.ts';
import { entityFromRow } from '../../db/entity-from-row.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { releaseLock } from '../claims/claim-store.ts';
import { findItem, refuseArchived, refuseUnless, roleIn } from '../access/membership.ts';
import { closedRefusal, expiredRefusal, refusalFor } from '../claims/refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';
import { toItemRow } from '../../domain/items/item-row.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { Decision } from '../../db/entities/decision.ts';
import { checkAnswer } from './check-answer.ts';
import { storeLearning } from './store-learning.ts';

/**
 * Carries out one move of rule LC. A late decision is accepted when the lease has ended but nobody else has claimed the item.
 * Errors: `not_found`, `forbidden`, `already_decided`, `expired`, `claim_lost`, `validation_failed`, `unchanged_edit`, `answer_invalid`.
 */
export async function decide(services: Services, actor: MemberActor, input: DecideInput): Promise<Item> {
  const item = await services.db.write(async (tx) => {
    const { item: before, role } = await findItem(tx.em, actor.userId, input.itemId);
    const move = moveFor(before, input.action);
    if (move === undefined) throw refusedMove(before, input.action);
    refuseUnless(role, move.needs);
    await checkAnswer(tx.em, before, { input, move });
    const left = await leaveQueue(tx, actor, { before, input, move });
    const step = { ...left, move, input, actor };
    await (move.decides === null ? storeMove(tx, step) : storeDecision(services, tx, step));
    return step.item;
  });
  await releaseLock(services, { itemId: input.itemId, userId: actor.userId, fence: input.fence });
  return item;
}

/** $4: the next status; $5: whether that is a decision. A provisional decision (LC2) does not change the public status. */
const LEAVE_QUEUE = planned(`
  update item i set claimed_by = null, claim_expires_at = null, version = version + 1, status = $4,
    public_status = case when $5 and p.undo_window_seconds > 0 then i.status else i.public_status end,
    decided_at = case when $5 then date_trunc('milliseconds', clock_timestamp()) else i.decided_at end
  from project p
  where i.id = $1 and i.claimed_by = $2 and i.claim_fence = $3::bigint and i.status = $6 and p.id = i.project_id
    and not ${IS_LATE}
  returning ${itemColumns('i')}, p.undo_window_seconds, p.guidelines_version`);

type LeftQueue = ItemColumns & { undo_window_seconds: number; guidelines_version: number };

/** The fence: the row changes only if this claim, by this person, is still the last one granted. */
async function leaveQueue(
  tx: Tx,
  actor: MemberActor,
  { before, input, move }: { before: Item; input: DecideInput; move: Move },
): Promise<{ item: Item; undoWindow: number; guidelinesVersion: number }> {
  const [row] = await rawQuery<LeftQueue>(tx.em, LEAVE_QUEUE, [
    ...[before.id, actor.userId, input.fence],
    ...[move.to, move.decides !== null, before.status],
  ]);
  if (row === undefined) {
    // An archived project has no claim left (AR1), and the role may have been removed meanwhile: those refusals take precedence.
    await roleIn(tx.em, actor.userId, before.projectId);
    await refuseArchived(tx.em, before.projectId);
    const after = await tx.em.findOneOrFail(Item, { id: before.id }, { refresh: true });
    if (isOpen(after.status) && (await isLate(tx.em, before.id))) throw expiredRefusal();
    throw await refusalFor(tx.em, after, 'claim_lost');
  }
  const { undo_window_seconds: undoWindow, guidelines_version: guidelinesVersion, ...columns } = row;
  return { item: entityFromRow(tx.em, Item, columns), undoWindow, guidelinesVersion };
}

async function isLate(em: Em, itemId: string): Promise<boolean> {
  const [row] = await rawQuery<{ late: boolean }>(em, `select ${IS_LATE} as late from item i where i.id = $1`, [
    itemId,
  ]);
  return row?.late ?? false;
}

function refusedMove(item: Item, action: ReviewAction): Refusal {
  if (item.status !== 'queued' && item.status !== 'escalated') return closedRefusal(item);
  return notAllowed('action', `An item that is ${item.status} doesn’t allow “${action}”.`);
}

/** A decision on an item that the person holds. */
export interface DecideInput extends Answer {
  itemId: string;
  fence: number;
}

interface Step {
  /** The item after the fence: with the next status, and the version of this move. */
  item: Item;
  /** The undo window of its project, in seconds. */
  undoWindow: number;
  /** The settings version of its guidelines. */
  guidelinesVersion: number;
  move: Move;
  input: DecideInput;
  actor: MemberActor;
}

const eventBase = ({ item, actor }: Step) => ({
  project_id: item.projectId,
  item_id: item.id,
  version: item.version,
  actor: memberRef(actor),
});

/** A move between people: escalate, or return to the queue. */
async function storeMove(tx: Tx, step: Step): Promise<void> {
  const type = step.move.to === 'escalated' ? 'item.escalated' : 'item.queued';
  const { reason, note } = step.input;
  tx.appendEvent({ type, ...eventBase(step), item: toItemRow(step.item, null), reason, note });
}

/** A decision: provisional for the undo window of the project, or final at once when that is 0 (LC2). */
async function storeDecision(services: Services, tx: Tx, step: Step): Promise<void> {
  const decision = decisionRow(services, step);
  await tx.em.insert(Decision, decision);
  const { action, reason, undoUntil } = decision;
  await storeLearning(services, tx, { ...step, decision });
  const event = { ...eventBase(step), status: step.move.to, action, reason };
  tx.appendEvent({ type: 'item.decided', ...event, undo_until: undoUntil?.toISOString() ?? null });
  if (undoUntil === null) tx.appendEvent({ type: 'item.finalized', ...event });
}

function decisionRow(services: Services, { item, undoWindow, move, input, actor }: Step) {
  const { decidedAt } = item;
  if (move.decides === null || isMove(input.action) || !decidedAt) {
    throw new Error(`${input.action} is not a decision`);
  }
  const until = undoUntil(decidedAt, undoWindow);
  const edited = ACTIONS[input.action].requires === 'output';
  const output = edited ? input.output?.raw : item.suggestion;
  return {
    id: services.ids.uuid(),
    itemId: item.id,
    projectId: item.projectId,
    audit: item.audit,
    status: move.decides,
    action: input.action,
    output: move.decides === 'approved' ? (output ?? null) : null,
    edited,
    reason: input.reason,
    note: input.note,
    response: input.response ?? null,
    reviewerId: actor.userId,
    decidedAt,
    undoUntil: until,
    finalAt: until === null ? decidedAt : null,
  };
}
