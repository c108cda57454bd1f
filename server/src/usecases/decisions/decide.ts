// Decides an item that a reviewer holds: a conditional UPDATE with the fence says whose decision counts (LC1, I1, I3).
import { Refusal } from '@countersign/shared/errors';
import {
  ACTIONS,
  insteadOfApproving,
  isAllowed,
  isMove,
  isOverride,
  possibleActions,
  type ReviewAction,
} from '@countersign/shared/review-actions';
import type { DecisionAction } from '@countersign/shared/enums';
import type { Json } from '@countersign/shared/json/json';
import type { Fault } from '@countersign/shared/json-schema/evaluate';
import { isOpen, moveFor, sameJson, type Move, undoUntil } from '../../domain/items/item.ts';
import type { Tx } from '../../db/database.ts';
import { IS_LATE } from '../../db/deadlines/pass-deadlines.ts';
import type { Em } from '../../db/orm.ts';
import { answerRefusal, faultsOf, loadAnswerSchema, sameAnswer, suggestionRefusal } from '../items/answer-schemas.ts';
import { Item, itemColumns, type ItemColumns } from '../../db/entities/item.ts';
import { planned } from '../../db/connection/planned.ts';
import { entityFromRow } from '../../db/entity-from-row.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { releaseLock } from '../claims/claim-store.ts';
import { findItem, refuseArchived, refuseUnless, roleIn } from '../access/membership.ts';
import { closedRefusal, expiredRefusal, refusalFor } from '../claims/refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';
import { allowedActionsOf, toItemRow } from '../../domain/items/item-row.ts';
import { editFaults } from '../../domain/items/tool-call.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Learning } from '../../db/entities/learning.ts';
import { noteReason } from '../../db/learnings/assign-cluster.ts';

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
    checkInput(before, input, move);
    await checkOutput(tx.em, before, { input, move });
    const left = await leaveQueue(tx, actor, { before, input, move });
    const step = { ...left, move, input, actor };
    await (move.decides === null ? storeMove(tx, step) : storeDecision(services, tx, step));
    return step.item;
  });
  await releaseLock(services, { itemId: input.itemId, userId: actor.userId, fence: input.fence });
  return item;
}

/** $4: the next status; $5: whether that is a decision. A provisional decision (LC2) does not change the public status. */
const PASS_FENCE = planned(`
  update item i set claimed_by = null, claim_expires_at = null, version = version + 1, status = $4,
    public_status = case when $5 and p.undo_window_seconds > 0 then i.status else i.public_status end,
    decided_at = case when $5 then date_trunc('milliseconds', clock_timestamp()) else i.decided_at end
  from project p
  where i.id = $1 and i.claimed_by = $2 and i.claim_fence = $3::bigint and i.status = $6 and p.id = i.project_id
    and not ${IS_LATE}
  returning ${itemColumns('i')}, p.undo_window_seconds, p.guidelines_version`);

type Passed = ItemColumns & { undo_window_seconds: number; guidelines_version: number };

/** The fence: the row changes only if this claim, by this person, is still the last one granted. */
async function leaveQueue(
  tx: Tx,
  actor: MemberActor,
  { before, input, move }: { before: Item; input: DecideInput; move: Move },
): Promise<{ item: Item; undoWindow: number; guidelinesVersion: number }> {
  const [row] = await rawQuery<Passed>(tx.em, PASS_FENCE, [
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

function notAllowed(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'not_allowed', detail }] });
}

/** LC7, TS5: what the submission excludes, and what has nothing to be done to. */
function checkAction(item: Item, action: ReviewAction): void {
  const allowed = allowedActionsOf(item);
  if (!isAllowed(action, allowed)) {
    const possible = possibleActions(isOpen(item.status) ? item.status : null, allowed);
    const others = possible.map((one) => `“${one}”`).join(', ');
    const instead = others === '' ? ', nor any other action of a revision.' : `. Possible: ${others}.`;
    throw notAllowed('action', `The submission doesn’t allow “${action}”${instead}`);
  }
  if (action === 'approve' && !item.hasSuggestion)
    throw notAllowed('action', `There is no suggestion to approve. ${adviceFor(item)}`);
}

/** What to do with an item whose suggestion cannot be approved. A decided one is being revised. */
const adviceFor = (item: Item): string =>
  insteadOfApproving(
    isOpen(item.status) ? item.status : null,
    allowedActionsOf(item),
    item.hasSuggestion ? {} : { edit: 'write the answer as an edit' },
  );

/** TS5: an answer that is written where there was none corrects nothing. */
const needsReason = (item: Item, { action }: Answer, move: Move): boolean =>
  move.reason === 'required' && !(ACTIONS[action].requires === 'output' && !item.hasSuggestion);

/** Errors: `validation_failed`, `unchanged_edit`. */
export function checkInput(item: Item, input: Answer, move: Move): void {
  checkAction(item, input.action);
  if (needsReason(item, input, move) && input.reason === null)
    throw missing('reason', 'A reason is required: choose one or enter your own.');
  if (ACTIONS[input.action].requires === 'output') {
    if (input.output === null) throw missing('output', 'Send the edited answer as output.');
    if (isUnchanged(item, input.output)) throw unchangedRefusal(item);
  } else if (input.output !== null) throw notAllowed('output', 'Only an edit may have an output.');
  checkResponse(input);
}

function checkResponse({ action, response = null }: Answer): void {
  const isRequired = ACTIONS[action].requires === 'response';
  if (isRequired && response === null) throw missing('response', 'Write the answer in words as response.');
  if (!isRequired && response !== null) throw notAllowed('response', 'Only “respond” may have a response.');
}

/**
 * Numbers are compared as doubles, except where a suggestion does not satisfy its schema: it cannot be approved, so even a
 * digit that a double drops must count as an edit.
 */
const isUnchanged = (item: Item, output: NonNullable<Answer['output']>): boolean =>
  item.suggestionFaults ? sameAnswer(output.raw, item.suggestion) : sameJson(output.value, JSON.parse(item.suggestion));

/** A suggestion that does not satisfy its schema cannot be approved as it is (TS2). */
function unchangedRefusal(item: Item): Refusal {
  if (!item.hasSuggestion)
    return new Refusal('unchanged_edit', 'The answer is null, as the suggestion was. Write an answer.');
  if (item.suggestionFaults)
    return new Refusal(
      'unchanged_edit',
      `No changes, and the suggestion does not satisfy its schema. ${adviceFor(item)}`,
    );
  const mayApprove = isAllowed('approve', allowedActionsOf(item));
  return new Refusal('unchanged_edit', `No changes. ${mayApprove ? 'Edit it or approve it as is.' : 'Edit it first.'}`);
}

/** TS2, TC2: refuses an output that does not satisfy the item, and the approval of a suggestion that does not. */
export async function checkOutput(em: Em, item: Item, { input, move }: { input: Answer; move: Move }): Promise<void> {
  if (move.decides !== 'approved') return;
  const { projectId, answerSchema: digest, suggestionFaults, kind } = item;
  const { output } = input;
  if (output === null) {
    if (suggestionFaults) throw suggestionRefusal(JSON.parse(suggestionFaults) as Fault[], adviceFor(item));
    return;
  }
  if (kind === 'tool_call') {
    const faults = editFaults(output.value, JSON.parse(item.suggestion) as Json);
    if (faults.length > 0) throw answerRefusal(faults);
  }
  if (!digest) return;
  const faults = faultsOf(await loadAnswerSchema(em, { projectId, digest }), { kind, text: output.raw });
  if (faults.length > 0) throw answerRefusal(faults);
}

function missing(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'required', detail }] });
}

/** What a person decides. */
export interface Answer {
  action: ReviewAction;
  /** The edited output: its value, and its text as received. */
  output: { value: unknown; raw: string } | null;
  reason: string | null;
  note: string | null;
  /** The answer in words, for `respond` alone. */
  response?: string | null;
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

/** A decision of a person, as it is stored. */
export interface StoredDecision {
  id: string;
  action: DecisionAction;
  output: string | null;
  reason: string | null;
  note: string | null;
  response: string | null;
  reviewerId: string;
  decidedAt: Date;
  revision?: number;
}

/** Stores the learning of a decision that overrides the suggestion, in the transaction of the decision; no effect for others. */
export async function storeLearning(
  services: Services,
  tx: Tx,
  { item, guidelinesVersion, decision }: { item: Item; guidelinesVersion: number; decision: StoredDecision },
): Promise<void> {
  const { id: decisionId, action, output, reason, note, response, reviewerId, decidedAt, revision = 1 } = decision;
  if (!isOverride(action)) return;
  const learning = {
    id: services.ids.uuid(),
    projectId: item.projectId,
    itemId: item.id,
    ...{ decisionId, action, output, reason: reason ?? '', note, response, reviewerId, revision },
    settingsVersion: item.settingsVersion,
    guidelinesVersion,
    excluded: false,
    createdAt: decidedAt,
  };
  // Without a reason it belongs to no cluster.
  if (learning.reason !== '') await noteReason(services, tx, learning);
  await tx.em.insert(Learning, learning);
}
