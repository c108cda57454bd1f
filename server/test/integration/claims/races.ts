// Runs one race: several people act on a few items at the same moment, and each step's result is recorded.
import fc from 'fast-check';
import { Refusal, type ErrorCode } from '@countersign/shared/errors';
import { LockStoreDown } from '../../../src/claims/claim-lock.ts';
import type { Item } from '../../../src/db/entities/item.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { claimBulk } from '../../../src/usecases/claims/claim-bulk.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { releaseClaim, takeOver } from '../../../src/usecases/claims/end-claim.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aDecision } from '../support/project-fixture.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';

/** What one person does in one step; `late` uses an older fence of theirs, where they have one. */
export interface Move {
  name: keyof typeof MOVES;
  item: number;
  late: boolean;
  reject: boolean;
}

interface Decided {
  itemId: string;
  /** The item's version after it. */
  version: number;
  fence: number;
}

export interface Race {
  projectId: string;
  itemIds: string[];
  processes: ServicesEnvironment[];
  /** Items whose lease the test ended: others may claim these though nothing recorded the expiry. */
  paused: Set<string>;
  /** Every granted claim, `item fence`, and its person. */
  granted: Map<string, Set<string>>;
  decided: Decided[];
  /** People who claimed several: LC4 does not limit them. */
  exempt: Set<string>;
  /** Checks after every step what must always hold. */
  check: (race: Race) => Promise<void>;
}

export interface Racer {
  actor: MemberActor;
  supervises: boolean;
  /** The process they use. */
  process: number;
  /** Every fence they received, by item, in order. */
  fences: Map<string, number[]>;
  /** The items they decided, in order. */
  decided: string[];
}

interface At {
  race: Race;
  racer: Racer;
  itemId: string;
  move: Move;
  testEnv: ServicesEnvironment;
}

/** The refusals that a lost race or a role may cause. Any other error, such as a deadlock, fails the race. */
const EXPECTED_REFUSALS: ErrorCode[] = [
  'claim_held',
  'claim_lost',
  'too_many_claims',
  'already_decided',
  'undo_window_passed',
  'forbidden',
];

function recordGrant({ race, racer }: At, { item, fence }: { item: Pick<Item, 'id'>; fence: number }): void {
  const key = `${item.id} ${fence}`;
  race.granted.set(key, (race.granted.get(key) ?? new Set()).add(racer.actor.userId));
  const fences = racer.fences.get(item.id) ?? [];
  if (fences.at(-1) !== fence) racer.fences.set(item.id, [...fences, fence]);
}

/** The fence they send: their last one, or an older one. */
const fenceOf = ({ racer, itemId, move }: At) => racer.fences.get(itemId)?.at(move.late ? -2 : -1) ?? null;

/** A step with a fence; a person who never held the item has none to send. */
const withFence = (step: (at: At & { fence: number }) => Promise<unknown>) => async (at: At) => {
  const fence = fenceOf(at);
  if (fence !== null) await step({ ...at, fence });
};

const all = (race: Race, work: (process: ServicesEnvironment) => unknown) => Promise.all(race.processes.map(work));

async function take(at: At): Promise<void> {
  recordGrant(at, await claim(at.testEnv.services, at.racer.actor, at.itemId));
}

const finish = withFence(async ({ race, testEnv, racer, itemId, fence, move }) => {
  const input = { itemId, fence, ...aDecision(move.reject ? 'reject' : 'approve') };
  const { version } = await decide(testEnv.services, racer.actor, input);
  race.decided.push({ itemId, version, fence });
  racer.decided.push(itemId);
});

const MOVES = {
  claim: take,
  next: async (at: At) => {
    const grant = await claimNext(at.testEnv.services, at.racer.actor, { projectId: at.race.projectId });
    if (grant !== null) recordGrant(at, grant);
  },
  renew: withFence(async (at) => recordGrant(at, await renewClaim(at.testEnv.services, at.racer.actor, at))),
  release: withFence(({ testEnv, racer, itemId, fence }) =>
    releaseClaim(testEnv.services, racer.actor, { itemId, fence }),
  ),
  decide: finish,
  work: async (at: At) => {
    await take(at);
    await finish(at);
  },
  /** Decided and undone at once. */
  decideAndUndo: async (at: At) => {
    await take(at);
    await finish(at);
    await undoDecision(at.testEnv.services, at.racer.actor, at.itemId);
  },
  takeOver: async (at: At) => recordGrant(at, await takeOver(at.testEnv.services, at.racer.actor, at.itemId)),
  bulkClaim: async (at: At) => {
    const { race, racer, testEnv } = at;
    if (racer.supervises) race.exempt.add(racer.actor.userId);
    const itemIds = race.itemIds.slice(0, 2);
    const taken = await claimBulk(testEnv.services, racer.actor, { projectId: race.projectId, itemIds });
    taken.forEach((grant) => recordGrant(at, grant));
  },
  undo: ({ testEnv, racer, itemId, move }: At) => {
    const own = move.late ? racer.decided[0] : racer.decided.at(-1);
    return undoDecision(testEnv.services, racer.actor, own ?? itemId);
  },
  /** The lease ends everywhere. */
  pause: async ({ race, testEnv, itemId }: At) => {
    race.paused.add(itemId);
    await endInDatabase(testEnv, itemId);
    // A lock store that does not answer keeps the lock: that is a race as well.
    await testEnv.lock.expire(itemId).catch(unlessDown);
  },
  /** The lease ends in the database, while the lock store still has it. */
  renewedElsewhere: async ({ race, testEnv, itemId }: At) => {
    race.paused.add(itemId);
    await endInDatabase(testEnv, itemId);
  },
  expire: ({ testEnv }: At) => expireClaimsOnce(testEnv.services),
  finalize: async ({ testEnv, itemId }: At) => {
    await testEnv.sql(
      'update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ? and final_at is null',
      [itemId],
    );
    await finalizeOnce(testEnv.services);
  },
  relay: ({ testEnv }: At) => relayOnce(testEnv.services, testEnv.signals),
  flush: ({ race }: At) => all(race, (process) => process.lock.flush()),
  lockStoreDown: ({ race }: At) => all(race, (process) => (process.lock.down = true)),
  lockStoreUp: ({ race }: At) => all(race, (process) => (process.lock.down = false)),
} as const satisfies Record<string, (at: At) => unknown>;

function unlessDown(error: unknown): void {
  if (!(error instanceof LockStoreDown)) throw error;
}

const endInDatabase = (testEnv: ServicesEnvironment, itemId: string) =>
  testEnv.sql(
    `update item set claim_expires_at = now() - interval '1 second' where id = ? and claim_expires_at is not null`,
    [itemId],
  );

const WEIGHTED_MOVES: (keyof typeof MOVES)[] = [
  ...Array.from({ length: 6 }, () => 'claim' as const),
  ...Array.from({ length: 6 }, () => 'decide' as const),
  ...Array.from({ length: 4 }, () => 'next' as const),
  ...Array.from({ length: 3 }, () => 'pause' as const),
  ...Array.from({ length: 3 }, () => 'undo' as const),
  ...Array.from({ length: 3 }, () => 'decideAndUndo' as const),
  ...Array.from({ length: 3 }, () => 'takeOver' as const),
  'work',
  'renew',
  'finalize',
];

const moveArbitrary: fc.Arbitrary<Move> = fc.record({
  name: fc.constantFrom(...WEIGHTED_MOVES, ...(Object.keys(MOVES) as Move['name'][])),
  item: fc.nat({ max: 7 }),
  late: fc.nat({ max: 3 }).map((one) => one === 0),
  reject: fc.boolean(),
});

/** Two to ten tabs of two to ten people with a few steps each, on one to eight items. */
export const raceArbitrary = fc.record({
  moves: fc.array(fc.array(moveArbitrary, { minLength: 2, maxLength: 8, size: 'max' }), {
    minLength: 2,
    maxLength: 10,
    size: 'max',
  }),
  people: fc.integer({ min: 2, max: 10 }),
  items: fc.integer({ min: 1, max: 8 }),
});

/**
 * A race of the two supervisors with one result: one of them takes an item over from the other, one item stays decided, and one
 * decision is undone.
 */
export const EACH_OUTCOME: { moves: Move[][]; people: number; items: number } = {
  people: 2,
  items: 3,
  moves: [
    [movesTo('takeOver', 0), movesTo('work', 1)],
    [movesTo('takeOver', 0), movesTo('decideAndUndo', 2)],
  ],
};

function movesTo(name: Move['name'], item: number): Move {
  return { name, item, late: false, reject: false };
}

export function newRace(on: Pick<Race, 'processes' | 'projectId' | 'itemIds' | 'check'>): Race {
  const nothing = { paused: new Set<string>(), granted: new Map<string, Set<string>>(), exempt: new Set<string>() };
  return { ...on, decided: [], ...nothing };
}

/** Runs it: all people at once, each with their steps in order. Throws what no race explains. */
export async function run(race: Race, racers: { racer: Racer; moves: Move[] }[]): Promise<void> {
  const one = async ({ racer, moves }: { racer: Racer; moves: Move[] }) => {
    for (const move of moves) {
      const itemId = race.itemIds[move.item % race.itemIds.length] ?? '';
      const testEnv = race.processes[racer.process % race.processes.length] as ServicesEnvironment;
      await allowExpectedRefusals(async () => MOVES[move.name]({ race, racer, itemId, move, testEnv }));
      await race.check(race);
    }
  };
  await Promise.all(racers.map(one));
}

async function allowExpectedRefusals(step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof Refusal && EXPECTED_REFUSALS.includes(error.code))) throw error;
  }
}
