// What a move writes: the item's new status, the decision, the learning of an override, and the facts, all in one transaction.
import type { ReviewAction } from '@countersign/shared/words';
import { toItemRow } from '../domain/item-row.ts';
import { memberRef } from '../domain/actor.ts';
import { undoUntil, type Move } from '../domain/item.ts';
import type { Tx } from '../db/database.ts';
import { Decision } from '../db/entities/decision.ts';
import { Item } from '../db/entities/item.ts';
import { Learning } from '../db/entities/learning.ts';
import { Project } from '../db/entities/project.ts';
import type { MemberActor, Services } from './services.ts';

/** What a person hands in with a decision. */
export interface DecideInput {
  itemId: string;
  fence: number;
  action: ReviewAction;
  /** The edited output: its value, and its text as it arrived. */
  output: { value: unknown; raw: string } | null;
  reason: string | null;
  note: string | null;
}

export interface Step {
  /** The item as it was before the fence let this move through. */
  item: Item;
  move: Move;
  input: DecideInput;
  actor: MemberActor;
  /** The database's time of the move. */
  now: Date;
  /** The item's version after the move. */
  version: number;
}

const factOf = ({ item, actor, version }: Step) => ({
  project_id: item.projectId,
  item_id: item.id,
  version,
  actor: memberRef(actor),
});

/** A move between people: escalate, or return to the queue. */
export async function storeMove(tx: Tx, step: Step): Promise<void> {
  const status = step.move.to === 'escalated' ? 'escalated' : 'queued';
  await tx.em.nativeUpdate(Item, { id: step.item.id }, { status });
  const row = toItemRow({ ...step.item, status, version: step.version }, null);
  const { reason, note } = step.input;
  tx.record({ type: `item.${status}`, ...factOf(step), item: row, reason, note });
}

/** A decision: provisional for the undo window of the project, or final at once when that is 0 (LC2). */
export async function storeDecision(services: Services, tx: Tx, step: Step): Promise<void> {
  const { item, move, now } = step;
  const project = await tx.em.findOneOrFail(Project, { id: item.projectId });
  const until = undoUntil(now, project.undoWindowSeconds);
  const decision = decisionRow(services, step, until);
  await tx.em.insert(Decision, decision);
  await tx.em.nativeUpdate(
    Item,
    { id: item.id },
    { status: move.to, publicStatus: until === null ? null : openStatus(item), decidedAt: now },
  );
  if (move.override) await tx.em.insert(Learning, learningRow(services, step, decision));
  const fact = { ...factOf(step), status: move.to, action: decision.action, reason: decision.reason };
  tx.record({ type: 'item.decided', ...fact, undo_until: until?.toISOString() ?? null });
  if (until === null) tx.record({ type: 'item.finalized', ...fact });
}

const openStatus = (item: Item) => (item.status === 'escalated' ? 'escalated' : 'queued');

function decisionRow(services: Services, { item, move, input, actor, now }: Step, until: Date | null) {
  if (move.decides === null || input.action === 'escalate' || input.action === 'return') {
    throw new Error(`${input.action} makes no decision`);
  }
  const edited = input.action === 'edit';
  const output = edited ? input.output?.raw : item.suggestion;
  return {
    id: services.ids.uuid(),
    itemId: item.id,
    projectId: item.projectId,
    status: move.decides,
    action: input.action,
    output: move.decides === 'approved' ? (output ?? null) : null,
    edited,
    reason: input.reason,
    note: input.note,
    reviewerId: actor.userId,
    decidedAt: now,
    undoUntil: until,
    finalAt: until === null ? now : null,
  };
}

function learningRow(
  services: Services,
  { item, input, actor, now }: Step,
  decision: { id: string; output: string | null },
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
    createdAt: now,
  };
}
