// Runs random work on one project as a pipeline and several people at once: anything the contract allows, in any order.
import { releaseProject, stopProject } from '@countersign/shared/routes/team';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import {
  claimItem,
  claimNext,
  decideItem,
  listQueue,
  releaseClaim,
  reopenItem,
  undoDecision,
} from '@countersign/shared/routes/queue';
import type { Granted } from '@countersign/shared/schemas/queue';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import type { ReviewAction } from '@countersign/shared/review-actions';
import fc from 'fast-check';
import { aSubmission, type OpenProject } from '../../server/test/builders.ts';
import type { Answer, Person, Via } from '../../server/test/client.ts';

/** How often each step runs, in percent. */
const WEIGHTS = {
  ...{ submit: 36, again: 3, claim: 24, decide: 23, release: 3, undo: 5, reopen: 2 },
  ...{ stop: 1, resume: 2, rules: 1 },
} as const;

/** The random numbers choose among what exists. `share`: from 0 to 1. */
interface Step {
  kind: keyof typeof WEIGHTS;
  share: number;
  pick: number;
  action: ReviewAction;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Step['kind']) })),
  ),
  // Without the generators' bias to extremes: most arrivals are to be queued.
  share: fc.noBias(fc.integer({ min: 0, max: 1000 })).map((thousandths) => thousandths / 1000),
  pick: fc.nat(),
  action: fc.constantFrom<ReviewAction[]>('approve', 'approve', 'edit', 'reject', 'escalate'),
});

const COMPLETED: Partial<Record<ReviewAction, object>> = {
  edit: { output: 'What a person wrote.', reason: 'Wrong fact' },
  reject: { reason: 'Incomplete' },
  escalate: { reason: 'Against policy' },
};

/** A person who takes one step after another, with their claims and decisions. */
interface Actor {
  person: Person;
  held: Granted[];
  decided: string[];
}

interface ProjectState {
  project: OpenProject;
  /** What was submitted, by idempotency key; and what routing rejected. */
  sent: { key: string; body: string }[];
  refused: string[];
}

interface Given {
  on: ProjectState;
  actor: Actor;
  one: Step;
  via: Via;
}
/** Undefined when there is nothing to act on. */
type StepRunner = (given: Given) => Promise<Answer<unknown>> | undefined;

function send({ on, via }: Given, { key, body }: ProjectState['sent'][number]): Promise<Answer<unknown>> {
  return on.project.pipeline.submitRaw(body, { ...via, idempotencyKey: key }).then((answer) => {
    if (answer.ok && answer.reply.status === 'rejected') on.refused.push(answer.reply.id);
    return answer;
  });
}

async function claim({ on, actor, via }: Given): Promise<Answer<unknown>> {
  const answer = await actor.person.attempt(claimNext, { body: { project_id: on.project.id } }, via);
  if (answer.ok && answer.reply !== undefined) actor.held.push(answer.reply);
  if (!answer.ok && answer.problem.code === 'too_many_claims') actor.held = await heldClaims(actor.person, via);
  return answer;
}

/** Loads the held items as a fresh page would: an undo returned one, or a response was lost. */
async function heldClaims(person: Person, via: Via): Promise<Granted[]> {
  const mine = await person.attempt(listQueue, { query: { view: 'mine' } }, via);
  const items = mine.ok ? mine.reply.data : [];
  const again = await Promise.all(items.map(({ id }) => person.attempt(claimItem, { params: { id } }, via)));
  return again.flatMap((answer) => (answer.ok ? [answer.reply] : []));
}

const STEP_RUNNERS: Record<Step['kind'], StepRunner> = {
  submit: (given) => {
    const { pick, share } = given.one;
    const item = aSubmission({
      confidence: Math.sqrt(share),
      ...(pick % 7 === 0 ? { risk_flags: [['legal', 'odd', 'rude'][pick % 3] as string] } : {}),
      metadata: { model: `model-${pick % 4}` },
    });
    const sent = {
      key: `step-${given.on.sent.length}`,
      body: JSON.stringify({ project_id: given.on.project.id, ...item }),
    };
    given.on.sent.push(sent);
    return send(given, sent);
  },
  again: (given) => {
    const earlier = given.on.sent[given.one.pick % Math.max(1, given.on.sent.length)];
    return earlier && send(given, earlier);
  },
  // A person at the claim limit decides, and one without a claim claims: else half of the steps would do nothing.
  claim: (given) => (given.actor.held.length < MAX_CLAIMS ? claim(given) : STEP_RUNNERS.decide(given)),
  decide: (given) => {
    const { actor, one, via } = given;
    const held = actor.held.shift();
    if (held === undefined) return claim(given);
    actor.decided.push(held.item.id);
    const action = held.item.status === 'escalated' && one.action === 'escalate' ? 'reject' : one.action;
    const body = { fence: held.fence, action, ...COMPLETED[action] };
    return actor.person.attempt(decideItem, { params: { id: held.item.id }, body }, via);
  },
  release: ({ actor, via }) => {
    const held = actor.held.pop();
    if (held === undefined) return undefined;
    return actor.person.attempt(releaseClaim, { params: { id: held.item.id }, body: { fence: held.fence } }, via);
  },
  undo: ({ actor, via }) => {
    const id = actor.decided.pop();
    return id === undefined ? undefined : actor.person.attempt(undoDecision, { params: { id } }, via);
  },
  reopen: ({ on, actor, via }) => {
    const id = on.refused.pop();
    return id === undefined ? undefined : actor.person.attempt(reopenItem, { params: { id } }, via);
  },
  stop: ({ on, actor, via }) => actor.person.attempt(stopProject, { params: { id: on.project.id } }, via),
  resume: ({ on, actor, via }) => actor.person.attempt(releaseProject, { params: { id: on.project.id } }, via),
  rules: async ({ on, actor, one: { share }, via }) => {
    const params = { id: on.project.id };
    const before = await actor.person.attempt(readProject, { params }, via);
    if (!before.ok) return before;
    const { settings_version } = before.reply;
    const rules = { auto_threshold: 0.5 + share / 2, review_threshold: share / 2 };
    return actor.person.attempt(changeProject, { params, body: { settings_version, ...rules } }, via);
  },
};

export interface RandomActionCounts {
  taken: number;
  succeeded: number;
}

/**
 * Runs this many steps, the whole team at once; `seed` selects them, `up` waits for processes that may be asked, and `taken` is
 * called after each step. Throws on a server fault (500).
 */
export async function runRandomActions(
  project: OpenProject,
  team: readonly Person[],
  { count, seed, up, taken }: { count: number; seed: number; up: () => Promise<readonly number[]>; taken: () => void },
): Promise<RandomActionCounts> {
  const on: ProjectState = { project, sent: [], refused: [] };
  const ran = { taken: 0, succeeded: 0 };
  const runSteps = async (person: Person, index: number) => {
    const actor: Actor = { person, held: [], decided: [] };
    const steps = fc.sample(step, { numRuns: Math.ceil(count / team.length), seed: seed + index });
    for (const one of steps) {
      const processes = await up();
      const via = { process: processes[one.pick % processes.length] ?? 0 };
      if (await succeeds(STEP_RUNNERS[one.kind]({ on, actor, one, via }))) ran.succeeded += 1;
      ran.taken += 1;
      taken();
    }
  };
  await Promise.all(team.map(runSteps));
  return ran;
}

async function succeeds(work: Promise<Answer<unknown>> | undefined): Promise<boolean> {
  try {
    const answer = await work;
    if (answer?.status === 500) throw new Error(answer.text);
    return answer?.ok === true;
  } catch (error) {
    // No response: a process died during the request, and the event log has the outcome.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
