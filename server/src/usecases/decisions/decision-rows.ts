// Stores a move: the decision, the learning of an override, and the events, all in the transaction of the status change.
import type { ReviewAction } from '@countersign/shared/enums';
import { toItemRow } from '../../domain/items/item-row.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { undoUntil, type Move } from '../../domain/items/item.ts';
import type { Tx } from '../../db/database.ts';
import { Decision } from '../../db/entities/decision.ts';
import type { Item } from '../../db/entities/item.ts';
import { Learning } from '../../db/entities/learning.ts';
import { noteReason } from '../../db/learnings/assign-cluster.ts';
import type { MemberActor, Services } from '../services.ts';

/** What a person submits with a decision. */
export interface DecideInput {
  itemId: string;
  fence: number;
  action: ReviewAction;
  /** The edited output: its value, and its text as received. */
  output: { value: unknown; raw: string } | null;
  reason: string | null;
  note: string | null;
}

export interface Step {
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
export async function storeMove(tx: Tx, step: Step): Promise<void> {
  const type = step.move.to === 'escalated' ? 'item.escalated' : 'item.queued';
  const { reason, note } = step.input;
  tx.appendEvent({ type, ...eventBase(step), item: toItemRow(step.item, null), reason, note });
}

/** A decision: provisional for the undo window of the project, or final at once when that is 0 (LC2). */
export async function storeDecision(services: Services, tx: Tx, step: Step): Promise<void> {
  const decision = decisionRow(services, step);
  await tx.em.insert(Decision, decision);
  if (step.move.override) {
    const learning = learningRow(services, step, decision);
    await noteReason(services, tx, learning);
    await tx.em.insert(Learning, learning);
  }
  const { action, reason, undoUntil } = decision;
  const event = { ...eventBase(step), status: step.move.to, action, reason };
  tx.appendEvent({ type: 'item.decided', ...event, undo_until: undoUntil?.toISOString() ?? null });
  if (undoUntil === null) tx.appendEvent({ type: 'item.finalized', ...event });
}

function decisionRow(services: Services, { item, undoWindow, move, input, actor }: Step) {
  const { decidedAt } = item;
  if (move.decides === null || input.action === 'escalate' || input.action === 'return' || !decidedAt) {
    throw new Error(`${input.action} is not a decision`);
  }
  const until = undoUntil(decidedAt, undoWindow);
  const edited = input.action === 'edit';
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
    reviewerId: actor.userId,
    decidedAt,
    undoUntil: until,
    finalAt: until === null ? decidedAt : null,
  };
}

function learningRow(
  services: Services,
  { item, guidelinesVersion, input, actor }: Step,
  decision: { id: string; output: string | null; decidedAt: Date },
) {
  return {
    id: services.ids.uuid(),
    projectId: item.projectId,
    itemId: item.id,
    decisionId: decision.id,
    action: input.action === 'edit' ? ('edit' as const) : ('reject' as const),
    output: decision.output,
    reason: input.reason ?? '',
    note: input.note,
    reviewerId: actor.userId,
    settingsVersion: item.settingsVersion,
    guidelinesVersion,
    excluded: false,
    createdAt: decision.decidedAt,
  };
}
