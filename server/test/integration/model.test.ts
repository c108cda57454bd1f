// Random lives of items, step by step against the model, and the ledger against the rules afterwards (I1, I3, I4, I6), and the figures against both (I9).
import fc, { type AsyncCommand } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '@countersign/shared/errors';
import { REVIEW_ACTIONS, type ReviewAction } from '@countersign/shared/words';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { decide } from '../../src/usecases/decide.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import { reopen } from '../../src/usecases/reopen.ts';
import { submit } from '../../src/usecases/submit.ts';
import { takeOver } from '../../src/usecases/take-over.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { lapseOnce } from '../../src/worker/lapse-claims.ts';
import { expectCounted, relayAll, sumsOf } from './counted.ts';
import { endLease, eventsOf, rowOf } from './looking.ts';
import * as rules from './model.ts';
import { aDecision, aScene, aSubmission, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const KINDS = {
  queued: {},
  escalated: { riskFlags: ['legal'] },
  auto_approved: { confidence: 1 },
  rejected: { confidence: 0 },
};

interface Model {
  scene: Scene;
  pieces: rules.Piece[];
  /** The figures before the first of them, by status. */
  counted: [string, number][];
}

/** One step: which item, who, and a fence that may be an old one. */
interface Given {
  item: number;
  who: rules.Who;
  action: ReviewAction;
  late: boolean;
  kind: keyof typeof KINDS;
}

type Step = (model: Model, given: Given) => Promise<void>;

let scene: Scene;
let keys = 0;

beforeAll(async () => {
  scene = await aScene(world.services, { undo_window_seconds: 30 });
});

async function outcomeOf(work: Promise<unknown>): Promise<rules.Outcome> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const send = (model: Model, key: string, kind: Given['kind']) => {
  const idempotency = { key, bodySha256: kind };
  return submit(world.services, model.scene.pipeline, aSubmission({ ...KINDS[kind], idempotency }));
};

/** A step on an item that is there; without one there is nothing to do. */
const on =
  (
    step: (
      piece: rules.Piece,
      given: Given & { fence: number; full: boolean; actor: Scene[rules.Who] },
    ) => Promise<void>,
  ): Step =>
  async (model, given) => {
    const piece = model.pieces[given.item % Math.max(1, model.pieces.length)];
    if (piece === undefined) return;
    const full = rules.handsFull(model.pieces, given.who);
    await step(piece, { ...given, full, fence: piece.fence - (given.late ? 1 : 0), actor: model.scene[given.who] });
  };

const STEPS: Record<string, Step> = {
  submit: async (model, { kind }) => {
    keys += 1;
    const { item } = await send(model, `key ${keys}`, kind);
    expect(item.status).toBe(kind);
    model.pieces.push(rules.newPiece(item.id, `key ${keys}`, kind));
  },
  submitAgain: async (model, { item }) => {
    const piece = model.pieces[item % Math.max(1, model.pieces.length)];
    if (piece === undefined) return;
    const [{ kind } = { kind: '' }] = await world.sql<{ kind: string }>(
      'select body_sha256 as kind from idempotency_key where key = ? and project_id = ?',
      [piece.key, model.scene.projectId],
    );
    const again = await send(model, piece.key, kind as Given['kind']);
    expect([again.replayed, again.item.id, again.item.status]).toEqual([true, piece.id, piece.status]);
  },
  claim: on(async (piece, { who, actor, full }) => {
    expect(await outcomeOf(claim(world.services, actor, piece.id))).toBe(rules.claims(piece, who, full));
  }),
  takeOver: on(async (piece, { who, actor, full }) => {
    expect(await outcomeOf(takeOver(world.services, actor, piece.id))).toBe(rules.takesOver(piece, who, full));
  }),
  reopen: on(async (piece, { who, actor }) => {
    const reopening = reopen(world.services, actor, { itemId: piece.id, reason: null });
    expect(await outcomeOf(reopening)).toBe(rules.reopens(piece, who));
  }),
  claimNext: async (model, { who }) => {
    const next = claimNext(world.services, model.scene[who], { projectId: model.scene.projectId });
    if (rules.handsFull(model.pieces, who)) return expect(await outcomeOf(next)).toBe('too_many_claims');
    const grant = await next;
    const free = model.pieces.filter((piece) => piece.claim !== 'live' && rules.claims({ ...piece }, who) === 'ok');
    const taken = free.find(({ id }) => id === grant?.item.id);
    expect(grant === null).toBe(free.length === 0);
    if (grant === null || taken === undefined) return expect(grant).toBeNull();
    rules.claims(taken, who);
    expect(grant.fence).toBe(taken.fence);
  },
  renew: on(async (piece, { who, actor, fence, full }) => {
    const renewing = renewClaim(world.services, actor, { itemId: piece.id, fence });
    expect(await outcomeOf(renewing)).toBe(rules.renews(piece, who, { fence, full }));
  }),
  release: on(async (piece, { who, actor, fence }) => {
    const releasing = releaseClaim(world.services, actor, { itemId: piece.id, fence });
    expect(await outcomeOf(releasing)).toBe(rules.releases(piece, who, fence));
  }),
  endLease: on(async (piece) => {
    if (piece.claim !== 'live') return;
    await endLease(world, piece.id);
    piece.claim = 'ended';
  }),
  lapse: async (model) => {
    await lapseOnce(world.services);
    model.pieces.forEach(rules.lapses);
  },
  decide: on(async (piece, { who, actor, action, fence }) => {
    const deciding = decide(world.services, actor, { itemId: piece.id, fence, ...aDecision(action) });
    expect(await outcomeOf(deciding)).toBe(rules.decides(piece, who, { action, fence }));
  }),
  undo: on(async (piece, { who, actor }) => {
    expect(await outcomeOf(undoDecision(world.services, actor, piece.id))).toBe(rules.undoes(piece, who));
  }),
  finalize: on(async (piece) => {
    const over = `update decision set undo_until = now() - '1ms'::interval where item_id = ? and final_at is null`;
    await world.sql(over, [piece.id]);
    await finalizeOnce(world.services);
    rules.finalizes(piece);
  }),
  loseLocks: async () => {
    await world.lock.flush();
  },
  relay: async () => {
    await relayAll(world);
  },
  lockStoreAway: async () => {
    world.lock.down = true;
  },
  lockStoreBack: async () => {
    await world.lock.flush();
    world.lock.down = false;
  },
};

const OFTEN = [
  'submit',
  'claim',
  'claim',
  'decide',
  'decide',
  'decide',
  'undo',
  'finalize',
  'renew',
  'release',
  'endLease',
];
const step = fc
  .record({
    name: fc.constantFrom(...OFTEN, ...Object.keys(STEPS)),
    item: fc.nat({ max: 5 }),
    who: fc.constantFrom(...rules.PEOPLE),
    action: fc.constantFrom(...REVIEW_ACTIONS, 'approve' as const, 'reject' as const),
    late: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
    kind: fc.constantFrom<Given['kind']>(
      'queued',
      'queued',
      'queued',
      'escalated',
      'escalated',
      'auto_approved',
      'rejected',
    ),
  })
  .map(({ name, ...given }): AsyncCommand<Model, object> => ({
    check: () => true,
    run: async (model) => {
      await STEPS[name]?.(model, given);
    },
    toString: () => `${name} ${JSON.stringify(given)}`,
  }));

/** The row is what the model says, and the ledger tells a life that the rules allow. */
async function expectLawful(model: Model, piece: rules.Piece): Promise<void> {
  const [row, ledger] = [await rowOf(world, piece.id), await eventsOf(world, piece.id)];
  const holder = piece.claim === 'none' ? null : model.scene[piece.holder as rules.Who].userId;
  const provisional = piece.decided && !piece.decided.final ? piece.decided.from : null;
  expect(row).toMatchObject({ status: piece.status, public_status: provisional, claim_fence: piece.fence });
  expect(row.claim_expires_at === null ? null : row.claimed_by, 'I4: who holds it').toBe(holder);
  const told = (type: string) => ledger.filter((event) => event.type === type);
  expect(told('item.claimed'), 'I3: every fence was told').toHaveLength(row.claim_fence);
  const decisions = await world.sql<{ final: boolean }>(
    'select final_at is not null as final from decision where item_id = ?',
    [piece.id],
  );
  expect(decisions, 'I1').toEqual(piece.decided ? [{ final: piece.decided.final }] : []);
  // What routing rejected was final on arrival; reopened, it is decided by somebody once more.
  const finals = Number(piece.decided?.final ?? false) + Number(piece.reopened);
  expect(told('item.finalized').length, 'I1: final once').toBe(
    finals + Number(piece.status === 'rejected' && !piece.decided),
  );
  expect(rules.walk(ledger), 'I6: the ledger ends where the item is').toBe(piece.status);
  const versions = ledger.map(({ data }) => data.version);
  expect(versions, 'I6: every change was told').toEqual(Array.from({ length: row.version }, (_, index) => index + 1));
}

/** The figures say where the items of the project are; ends of a test before are not told to the ledger. */
async function expectFigures(model: Model): Promise<void> {
  await relayAll(world);
  await expectCounted(world, model.scene.projectId);
  const now = Object.entries(await sumsOf(world, model.scene.projectId, 'status'));
  const was = new Map(model.counted);
  const gained = now.map(([status, n]) => [status, n - (was.get(status) ?? 0)]).filter(([, n]) => n !== 0);
  const expected = Map.groupBy(model.pieces, ({ status }) => status);
  expect(Object.fromEntries(gained), 'I9: by where they are').toEqual(
    Object.fromEntries([...expected].map(([status, pieces]) => [status, pieces.length])),
  );
}

describe('an item’s life', () => {
  it(
    'I1, I3, I4, I6, I9: by model: whatever people, workers and the lock store do, in whatever order',
    { timeout: 120_000 },
    async () => {
      let steps = 0;
      await fc.assert(
        fc.asyncProperty(fc.commands([step], { maxCommands: 60, size: '+1' }), async (commands) => {
          world.lock.down = false;
          await world.sql(
            `update item set status = 'rejected', claimed_by = null, claim_expires_at = null
             where project_id = ? and status in ('queued', 'escalated')`,
            [scene.projectId],
          );
          await relayAll(world);
          const counted = Object.entries(await sumsOf(world, scene.projectId, 'status'));
          const model: Model = { scene, pieces: [], counted };
          await fc.asyncModelRun(() => ({ model, real: {} }), commands);
          steps += [...commands].length;
          for (const piece of model.pieces) await expectLawful(model, piece);
          await expectFigures(model);
        }),
        { numRuns: 20 },
      );
      expect(steps).toBeGreaterThan(200);
    },
  );
});
