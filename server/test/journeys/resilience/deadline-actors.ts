// Acts as people and a pipeline on random items while deadlines pass and processes die, and notes the answers.
import { expect } from 'vitest';
import type { ErrorCode } from '@countersign/shared/errors';
import { withdrawItem } from '@countersign/shared/routes/public';
import {
  claimItem,
  claimNext,
  decideItem,
  extendDeadline,
  releaseClaim,
  undoDecision,
} from '@countersign/shared/routes/queue';
import type { OpenProject } from '../../builders.ts';
import type { Answer, Person } from '../../client.ts';

/** What was answered with success, by item; an answer that a kill cut off is in none of them. */
export interface Noted {
  /** The items that have a decision, and who made it. */
  decided: Map<string, Person>;
  withdrawn: Set<string>;
  extended: Set<string>;
  /** Decisions that were refused because the deadline had passed. */
  late: Set<string>;
  undone: number;
  /** Requests without an answer. */
  cut: number;
}

export const nothingNoted = (): Noted => ({
  ...{ decided: new Map(), withdrawn: new Set(), extended: new Set(), late: new Set() },
  ...{ undone: 0, cut: 0 },
});

interface Actor {
  project: OpenProject;
  me: Person;
  /** The items that it chooses from. */
  ids: readonly string[];
  random: () => number;
  noted: Noted;
  /** The web processes. */
  processes: number;
}

/** What races are answered with, and a person who does what they may not. */
const REFUSALS = new Set<ErrorCode>([
  ...(['claim_held', 'claim_lost', 'too_many_claims', 'already_decided', 'expired', 'already_extended'] as const),
  ...(['undo_window_passed', 'forbidden', 'unavailable'] as const),
]);

/** The answer; null where a kill cut it off. */
async function ask<R>({ noted }: Actor, asked: Promise<Answer<R>>): Promise<Answer<R> | null> {
  const answer = await asked.catch((error: unknown) => {
    // A connection cut by a kill, or nobody who listens before the restart.
    if (!(error instanceof TypeError)) throw error;
    noted.cut += 1;
    return null;
  });
  if (answer !== null && !answer.ok) expect([...REFUSALS], answer.text).toContain(answer.problem.code);
  return answer;
}

const below = ({ random }: Actor, n: number) => Math.floor(random() * n);
const itemOf = (actor: Actor) => actor.ids[below(actor, actor.ids.length)] ?? '';
const via = (actor: Actor) => ({ process: below(actor, actor.processes) });

interface Held {
  id: string;
  fence: number;
}

/** Claims a random item, or the one that is due first. */
async function claim(actor: Actor): Promise<Held | null> {
  const { me, project } = actor;
  const asked =
    actor.random() < 0.5
      ? me.attempt(claimItem, { params: { id: itemOf(actor) } }, via(actor))
      : me.attempt(claimNext, { body: { project_id: project.id } }, via(actor));
  const answer = await ask(actor, asked);
  return answer?.ok && answer.reply ? { id: answer.reply.item.id, fence: answer.reply.fence } : null;
}

async function decide(actor: Actor, { id, fence }: Held): Promise<void> {
  const { me, noted } = actor;
  const body =
    actor.random() < 0.5
      ? { fence, action: 'approve' as const }
      : { fence, action: 'reject' as const, reason: 'Incomplete' };
  const answer = await ask(actor, me.attempt(decideItem, { params: { id }, body }, via(actor)));
  if (answer?.ok) noted.decided.set(id, me);
  else if (answer?.problem.code === 'expired') noted.late.add(id);
  if (!answer?.ok || actor.random() < 0.5) return;
  const undone = await ask(actor, me.attempt(undoDecision, { params: { id } }, via(actor)));
  // After a cut answer nobody knows whether it was undone.
  if ((undone === null || undone.ok) && noted.decided.get(id) === me) noted.decided.delete(id);
  if (undone?.ok) noted.undone += 1;
}

type Act = (actor: Actor, held: Held[]) => Promise<void>;

const review: Act = async (actor) => {
  const held = await claim(actor);
  if (held) await decide(actor, held);
};

/** Keeps a claim for a while, so that deadlines meet it, then decides or releases it. */
const hold: Act = async (actor, held) => {
  const [oldest] = held;
  if (held.length < 2 || oldest === undefined) {
    const one = await claim(actor);
    if (one) held.push(one);
    return;
  }
  held.shift();
  if (actor.random() < 0.5) return decide(actor, oldest);
  const { id, fence } = oldest;
  await ask(actor, actor.me.attempt(releaseClaim, { params: { id }, body: { fence } }, via(actor)));
};

const withdraw: Act = async (actor) => {
  const id = itemOf(actor);
  const answer = await ask(
    actor,
    actor.project.pipeline.attempt(withdrawItem, { params: { id }, body: {} }, via(actor)),
  );
  if (answer?.ok) actor.noted.withdrawn.add(id);
};

const extend: Act = async (actor) => {
  const id = itemOf(actor);
  const asked = actor.me.attempt(extendDeadline, { params: { id }, body: { seconds: 10 } }, via(actor));
  if ((await ask(actor, asked))?.ok) actor.noted.extended.add(id);
};

const ACTS: readonly Act[] = [review, review, review, hold, hold, withdraw, extend];

/** Acts until `over`. Throws on an answer that no race explains. */
export async function act(actor: Actor, over: AbortSignal): Promise<void> {
  const held: Held[] = [];
  while (!over.aborted) await ACTS[below(actor, ACTS.length)]?.(actor, held);
}
