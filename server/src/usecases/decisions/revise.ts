// Revises the final decision on an item (RV): a new decision in its chain, final at once, replaces the one before.
import { Refusal } from '@countersign/shared/errors';
import { ACTIONS, isOverride, type RevisionAction } from '@countersign/shared/review-actions';
import type { Tx } from '../../db/database.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Item } from '../../db/entities/item.ts';
import { Learning } from '../../db/entities/learning.ts';
import { Project } from '../../db/entities/project.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { type Answer, sameAnswer } from '../../domain/items/decision-input.ts';
import { revisability, revisedStatus } from '../../domain/items/item.ts';
import { findItem, refuseUnless } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { currentDecision, revisedDecision, shippedDecision } from './current-decision.ts';
import { checkAnswer } from './check-answer.ts';
import { lockDecided, overturnReport } from './mistakes.ts';
import { storeLearning } from './store-learning.ts';

export interface ReviseInput extends Omit<Answer, 'response'> {
  itemId: string;
  action: RevisionAction;
  reason: string;
  /** The decision that is meant, null for none; without it the current one is revised. */
  revises: string | null | undefined;
}

/**
 * Revises the current decision, and with it the item. The same revision of the same decision by the same person, sent again,
 * changes nothing. Errors: `not_found`, `forbidden`, `already_revised` (`revises` is not the current decision any more),
 * `validation_failed` for an item whose decision is not final or that was redacted, `unchanged_edit`, `answer_invalid`.
 */
export async function revise(services: Services, actor: MemberActor, input: ReviseInput): Promise<void> {
  await services.db.write(async (tx) => {
    const { item: found, role } = await findItem(tx.em, actor.userId, input.itemId);
    refuseUnless(role, 'revise');
    await lockDecided(tx.em, found);
    const item = await tx.em.findOneOrFail(Item, { id: found.id }, { refresh: true });
    refuseUnlessFinal(item);
    const current = await currentDecision(tx.em, item);
    if (input.revises !== undefined && input.revises !== (current?.id ?? null)) {
      if (current !== null && (await isRepeat(tx, { item, current, actor, input }))) return;
      throw revisedMeanwhile();
    }
    const revision = { item, current, shipped: await shippedDecision(tx.em, item), actor, input };
    await checkRevision(tx, revision);
    await store(services, tx, revision);
  });
}

interface Revision {
  item: Item;
  /** The decision that people see; null where routing rejected the item, and for an audit that expired. */
  current: Decision | null;
  /** The decision that is revised; null where routing or a deadline rejected the item (RV3). */
  shipped: Decision | null;
  actor: MemberActor;
  input: ReviseInput;
}

const REFUSALS = {
  open: 'This item waits for a decision. Decide it; there is nothing to revise yet.',
  provisional: 'This decision can still be undone. Undo it, or wait until its undo window has passed.',
  ended: 'This item was withdrawn or expired without a decision, so there is nothing to revise.',
  redacted: 'The submission was deleted under the retention policy. Submit it again to have it reviewed.',
} as const;

function refuseUnlessFinal(item: Item): void {
  const state = revisability(item);
  if (state !== 'revisable') throw new Refusal('validation_failed', REFUSALS[state]);
}

const revisedMeanwhile = () =>
  new Refusal(
    'already_revised',
    'This decision was revised meanwhile. Read the item again, then revise what is there.',
  );

/** The request was stored before, and its answer was lost. */
async function isRepeat(
  { em }: Tx,
  { item, current, actor, input }: Omit<Revision, 'shipped'> & { current: Decision },
): Promise<boolean> {
  if (current.reviewerId !== actor.userId || !isSame(current, outcomeOf(item, input))) return false;
  const before = await revisedDecision(em, item);
  return input.revises === (before?.id ?? null);
}

/** Whether it decides what is decided already: the same action with the same output, for the same reason. */
function isSame(decided: Decision, { action, output, reason, note }: ReturnType<typeof outcomeOf>): boolean {
  const told =
    (decided.output ?? null) === null ? output === null : output !== null && sameAnswer(output, decided.output ?? '');
  return told && decided.action === action && decided.reason === reason && (decided.note ?? null) === note;
}

/** RV4: a verdict shipped nothing. Approving again what was shipped still replaces a verdict that overrode it, and its learning. */
function changesNothing({ item, current, shipped, input }: Revision): boolean {
  if (shipped === null) return false;
  if (input.action !== 'approve') return isSame(shipped, outcomeOf(item, input));
  // Approving needs no reason for the pipeline: another one would change nothing that it was told.
  const approved = shipped.action === 'approve' || shipped.action === 'auto_approve';
  return approved && !isOverride(current?.action ?? null);
}

/** TS2, TC2 and LC7 hold for revisions too. */
async function checkRevision({ em }: Tx, revision: Revision): Promise<void> {
  const { item, input } = revision;
  const move = {
    to: revisedStatus(input.action),
    decides: revisedStatus(input.action),
    needs: 'revise',
    reason: 'required',
  } as const;
  await checkAnswer(em, item, { input, move });
  if (changesNothing(revision))
    throw new Refusal(
      'unchanged_edit',
      'The item is decided like this already. Change something, or leave it as it is.',
    );
}

/** What the revision decides: its status, and the output that is shipped. */
function outcomeOf(item: Item, { action, output, reason, note }: ReviseInput) {
  const edited = ACTIONS[action].requires === 'output';
  const status = revisedStatus(action);
  const text = edited ? (output?.raw ?? null) : item.suggestion;
  return { status, action, edited, output: status === 'approved' ? text : null, reason, note };
}

/** $1: the item, $2: its version; $3: the new status. Nothing else decides between two revisions, or against an undo. */
const REVISE_ITEM = `
  update item i set status = $3, version = i.version + 1, decided_at = date_trunc('milliseconds', clock_timestamp())
  where i.id = $1 and i.version = $2 and i.public_status is null and i.emptied_at is null
  returning i.version, (extract(epoch from i.decided_at) * 1000)::float8 as decided_at`;

async function store(services: Services, tx: Tx, { item, current, shipped, actor, input }: Revision): Promise<void> {
  const outcome = outcomeOf(item, input);
  const values = [item.id, item.version, outcome.status];
  const [row] = await rawQuery<{ version: number; decided_at: number }>(tx.em, REVISE_ITEM, values);
  if (row === undefined) throw revisedMeanwhile();
  const decidedAt = new Date(row.decided_at);
  await supersede(tx, item, decidedAt);
  const revision = (shipped?.revision ?? 1) + 1;
  const ids = { id: services.ids.uuid(), itemId: item.id, projectId: item.projectId };
  const decision = { ...ids, ...outcome, response: null, reviewerId: actor.userId, decidedAt, revision };
  await tx.em.insert(Decision, {
    ...decision,
    audit: false,
    revises: shipped?.id ?? null,
    undoUntil: null,
    finalAt: decidedAt,
    supersededAt: null,
  });
  const { guidelinesVersion } = await tx.em.findOneOrFail(Project, { id: item.projectId });
  await storeLearning(services, tx, { item, guidelinesVersion, decision });
  await overturnReport(services, { tx, actor }, item.id);
  const event = { project_id: item.projectId, item_id: item.id, version: row.version, actor: memberRef(actor) };
  const { status, action, reason } = outcome;
  const was = { status: item.status, action: current?.action ?? null };
  tx.appendEvent({ type: 'decision.revised', ...event, status, action, reason, revision, was });
}

/** Replaces what decided the item so far, the verdict on an audited one included. Routing's rejection has no decision (RV3). */
async function supersede({ em }: Tx, { id: itemId }: Item, at: Date): Promise<void> {
  await em.nativeUpdate(Decision, { itemId, supersededAt: null }, { supersededAt: at });
  await em.nativeUpdate(Learning, { itemId, superseded: false }, { superseded: true });
}
