// Runs random lifecycles against the model, and checks event log and figures against the rules (I1, I3, I4, I6, I9).
import { randomUUID } from 'node:crypto';
import fc, { type AsyncCommand } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '@countersign/shared/errors';
import { ON_DEADLINE, type OnDeadline } from '@countersign/shared/enums';
import { REVIEW_ACTIONS, REVISION_ACTIONS, type ReviewAction } from '@countersign/shared/review-actions';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { releaseClaim, takeOver } from '../../../src/usecases/claims/end-claim.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { extendDeadline } from '../../../src/usecases/items/extend-deadline.ts';
import { withdrawItem } from '../../../src/usecases/items/withdraw-item.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { expectCounted, relayAll, sumsOf } from '../analytics/rollup-checks.ts';
import { endLease, eventsOf, rowOf } from '../support/database-helpers.ts';
import * as rules from './item-model.ts';
import { aDecision, createProjectFixture, aSubmission, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const KINDS = {
  queued: {},
  escalated: { riskFlags: ['legal'] },
  auto_approved: { confidence: 1 },
  rejected: { confidence: 0 },
};

interface Model {
  fixture: ProjectFixture;
  modelItems: rules.ModelItem[];
  /** The figures before the first step, by status. */
  counted: [string, number][];
}

/** One step: which item, who, and a fence that may be outdated. */
interface Given {
  item: number;
  who: rules.Who;
  action: ReviewAction;
  late: boolean;
  kind: keyof typeof KINDS;
  onDeadline: OnDeadline;
}

type Step = (model: Model, given: Given) => Promise<void>;

let fixture: ProjectFixture;
let keys = 0;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
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

const send = (model: Model, key: string, { kind, onDeadline }: Pick<Given, 'kind' | 'onDeadline'>) => {
  const idempotency = { key, bodySha256: `${kind} ${onDeadline}` };
  const deadline = { until: { seconds: 86_400 }, onDeadline, pointer: '' };
  return submit(
    testEnv.services,
    model.fixture.pipeline,
    aSubmission({ ...KINDS[kind], allowedActions: ['approve', 'edit', 'reject', 'respond'], deadline, idempotency }),
  );
};

/** A step on an existing item; without one it does nothing. */
const on =
  (
    step: (
      modelItem: rules.ModelItem,
      given: Given & { fence: number; full: boolean; actor: ProjectFixture[rules.Who] },
    ) => Promise<void>,
  ): Step =>
  async (model, given) => {
    const modelItem = model.modelItems[given.item % Math.max(1, model.modelItems.length)];
    if (modelItem === undefined) return;
    const full = rules.claimLimitReached(model.modelItems, given.who);
    await step(modelItem, {
      ...given,
      full,
      fence: modelItem.fence - (given.late ? 1 : 0),
      actor: model.fixture[given.who],
    });
  };

const STEPS: Record<string, Step> = {
  submit: async (model, { kind, onDeadline }) => {
    keys += 1;
    const { item } = await send(model, `key ${keys}`, { kind, onDeadline });
    expect(item.status).toBe(kind);
    model.modelItems.push(rules.newModelItem(item.id, `key ${keys}`, { status: kind, onDeadline }));
  },
  submitAgain: async (model, { item }) => {
    const modelItem = model.modelItems[item % Math.max(1, model.modelItems.length)];
    if (modelItem === undefined) return;
    const [{ kind } = { kind: '' }] = await testEnv.sql<{ kind: string }>(
      'select body_sha256 as kind from idempotency_key where key = ? and project_id = ?',
      [modelItem.key, model.fixture.projectId],
    );
    const [was, onDeadline] = kind.split(' ') as [Given['kind'], OnDeadline];
    const again = await send(model, modelItem.key, { kind: was, onDeadline });
    expect([again.replayed, again.item.id, again.item.status]).toEqual([true, modelItem.id, modelItem.status]);
  },
  claim: on(async (modelItem, { who, actor, full }) => {
    expect(await outcomeOf(claim(testEnv.services, actor, modelItem.id))).toBe(rules.claims(modelItem, who, full));
  }),
  takeOver: on(async (modelItem, { who, actor, full }) => {
    expect(await outcomeOf(takeOver(testEnv.services, actor, modelItem.id))).toBe(
      rules.takesOver(modelItem, who, full),
    );
  }),
  reopen: on(async (modelItem, { who, actor }) => {
    const reopening = reopen(testEnv.services, actor, { itemId: modelItem.id, reason: null });
    expect(await outcomeOf(reopening)).toBe(rules.reopens(modelItem, who));
  }),
  claimNext: async (model, { who }) => {
    const next = claimNext(testEnv.services, model.fixture[who], { projectId: model.fixture.projectId });
    if (rules.claimLimitReached(model.modelItems, who)) return expect(await outcomeOf(next)).toBe('too_many_claims');
    const grant = await next;
    const free = model.modelItems.filter(
      (modelItem) => modelItem.claim !== 'live' && rules.claims({ ...modelItem }, who) === 'ok',
    );
    const taken = free.find(({ id }) => id === grant?.item.id);
    expect(grant === null).toBe(free.length === 0);
    if (grant === null || taken === undefined) return expect(grant).toBeNull();
    rules.claims(taken, who);
    expect(grant.fence).toBe(taken.fence);
  },
  renew: on(async (modelItem, { who, actor, fence, full }) => {
    const renewing = renewClaim(testEnv.services, actor, { itemId: modelItem.id, fence });
    expect(await outcomeOf(renewing)).toBe(rules.renews(modelItem, who, { fence, full }));
  }),
  release: on(async (modelItem, { who, actor, fence }) => {
    const releasing = releaseClaim(testEnv.services, actor, { itemId: modelItem.id, fence });
    expect(await outcomeOf(releasing)).toBe(rules.releases(modelItem, who, fence));
  }),
  endLease: on(async (modelItem) => {
    if (modelItem.claim !== 'live') return;
    await endLease(testEnv, modelItem.id);
    modelItem.claim = 'ended';
  }),
  expire: async (model) => {
    await expireClaimsOnce(testEnv.services);
    model.modelItems.forEach(rules.expiresClaim);
  },
  decide: on(async (modelItem, { who, actor, action, fence }) => {
    const deciding = decide(testEnv.services, actor, { itemId: modelItem.id, fence, ...aDecision(action) });
    expect(await outcomeOf(deciding)).toBe(rules.decides(modelItem, who, { action, fence }));
  }),
  undo: on(async (modelItem, { who, actor }) => {
    expect(await outcomeOf(undoDecision(testEnv.services, actor, modelItem.id))).toBe(rules.undoes(modelItem, who));
  }),
  finalize: on(async (modelItem) => {
    const over = `update decision set undo_until = now() - '1ms'::interval where item_id = ? and final_at is null`;
    await testEnv.sql(over, [modelItem.id]);
    await finalizeOnce(testEnv.services);
    rules.finalizes(modelItem);
  }),
  withdraw: on(async (modelItem) => {
    const withdrawing = withdrawItem(testEnv.services, fixture.pipeline, { itemId: modelItem.id, reason: null });
    expect(await outcomeOf(withdrawing)).toBe(rules.withdraws(modelItem));
  }),
  revise: on(async (modelItem, { who, actor, action, late }) => {
    const to = REVISION_ACTIONS.find((one) => one === action) ?? 'reject';
    // Unlike any before, so that only approving again changes nothing.
    const text = JSON.stringify(`Revision ${(keys += 1)}`);
    const output = to === 'edit' ? { value: JSON.parse(text) as unknown, raw: text } : null;
    const revising = revise(testEnv.services, actor, {
      ...{ itemId: modelItem.id, action: to, output, reason: text, note: null },
      revises: late ? randomUUID() : undefined,
    });
    expect(await outcomeOf(revising)).toBe(rules.revises(modelItem, who, { action: to, late }));
  }),
  passDeadline: on(async (modelItem) => {
    await testEnv.sql(`update item set deadline = now() - '1ms'::interval where id = ?`, [modelItem.id]);
    await expireItemsOnce(testEnv.services);
    rules.passesDeadline(modelItem);
  }),
  extend: on(async (modelItem, { who, actor }) => {
    const extending = extendDeadline(testEnv.services, actor, { itemId: modelItem.id, seconds: 600 });
    expect(await outcomeOf(extending)).toBe(rules.extendsDeadline(modelItem, who));
  }),
  flushLocks: async () => {
    await testEnv.lock.flush();
  },
  relay: async () => {
    await relayAll(testEnv);
  },
  lockStoreDown: async () => {
    testEnv.lock.down = true;
  },
  lockStoreUp: async () => {
    await testEnv.lock.flush();
    testEnv.lock.down = false;
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
  'revise',
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
    onDeadline: fc.constantFrom(...ON_DEADLINE),
  })
  .map(({ name, ...given }) => commandOf(name, given));

/** The steps that were taken, by name. */
const taken = new Set<string>();

function commandOf(name: string, given: Given): AsyncCommand<Model, object> {
  return {
    check: () => true,
    run: async (model) => {
      await STEPS[name]?.(model, given);
      taken.add(name);
    },
    toString: () => `${name} ${JSON.stringify(given)}`,
  };
}

/** Every step once, in the order of the table, on one item: independent of what is drawn. */
const EVERY_STEP = Object.keys(STEPS).map((name) =>
  commandOf(name, { item: 0, who: 'supervisor', action: 'approve', late: false, kind: 'queued', onDeadline: 'expire' }),
);

/** Each refusal of an item that its deadline rejected, and a supervisor approved afterwards. */
const REVISED_AFTER_DEADLINE = [
  'submit',
  'passDeadline',
  'revise',
  'renew',
  'claim',
  'decide',
  'withdraw',
  'reopen',
].map((name) =>
  commandOf(name, { item: 0, who: 'supervisor', action: 'approve', late: false, kind: 'queued', onDeadline: 'reject' }),
);

/** The row matches the model, and the event log describes a lifecycle that the rules allow. */
async function expectValidItem(model: Model, modelItem: rules.ModelItem): Promise<void> {
  const [row, eventLog] = [await rowOf(testEnv, modelItem.id), await eventsOf(testEnv, modelItem.id)];
  const holder = modelItem.claim === 'none' ? null : model.fixture[modelItem.holder as rules.Who].userId;
  const provisional = modelItem.decided && !modelItem.decided.final ? modelItem.decided.from : null;
  expect(row).toMatchObject({ status: modelItem.status, public_status: provisional, claim_fence: modelItem.fence });
  expect(row.claim_expires_at === null ? null : row.claimed_by, 'I4: who holds it').toBe(holder);
  const told = (type: string) => eventLog.filter((event) => event.type === type);
  expect(told('item.claimed'), 'I3: every fence has an event').toHaveLength(row.claim_fence);
  const decisions = await testEnv.sql<{ final: boolean }>(
    'select final_at is not null as final from decision where item_id = ? order by revision',
    [modelItem.id],
  );
  const first = modelItem.decided ? [{ final: modelItem.decided.final }] : [];
  expect(decisions, 'I1').toEqual([...first, ...Array.from({ length: modelItem.revisions }, () => ({ final: true }))]);
  expect(told('decision.revised'), 'RV2: every revision has an event').toHaveLength(modelItem.revisions);
  // An item that routing rejected was final on arrival; once reopened, a person decides it once more.
  const finals = Number(modelItem.decided?.final ?? false) + Number(modelItem.rejectedByRouting);
  expect(told('item.finalized').length, 'I1: final once').toBe(finals);
  expect(rules.followEventLog(eventLog), 'I6: the event log ends with the status of the item').toBe(modelItem.status);
  const versions = eventLog.map(({ data }) => data.version);
  expect(versions, 'I6: every change has an event').toEqual(
    Array.from({ length: row.version }, (_, index) => index + 1),
  );
}

/** The figures match the items of the project; tests before may leave leases that ended without an event. */
async function expectFigures(model: Model): Promise<void> {
  await relayAll(testEnv);
  await expectCounted(testEnv, model.fixture.projectId);
  const now = Object.entries(await sumsOf(testEnv, model.fixture.projectId, 'status'));
  const was = new Map(model.counted);
  const gained = now.map(([status, n]) => [status, n - (was.get(status) ?? 0)]).filter(([, n]) => n !== 0);
  const expected = Map.groupBy(model.modelItems, ({ status }) => status);
  expect(Object.fromEntries(gained), 'I9: by where they are').toEqual(
    Object.fromEntries([...expected].map(([status, modelItems]) => [status, modelItems.length])),
  );
}

describe('an item’s lifecycle', () => {
  it(
    'I1, I3, I4, I6, I9: follows the model for any actions of people, workers and the lock store, in any order',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands([step], { maxCommands: 60, size: '+1' }), async (commands) => {
          testEnv.lock.down = false;
          await testEnv.sql(
            `update item set status = 'rejected', claimed_by = null, claim_expires_at = null
             where project_id = ? and status in ('queued', 'escalated')`,
            [fixture.projectId],
          );
          await relayAll(testEnv);
          const counted = Object.entries(await sumsOf(testEnv, fixture.projectId, 'status'));
          const model: Model = { fixture, modelItems: [], counted };
          await fc.asyncModelRun(() => ({ model, real: {} }), commands);
          for (const modelItem of model.modelItems) await expectValidItem(model, modelItem);
          await expectFigures(model);
        }),
        { numRuns: 20, examples: [[EVERY_STEP], [REVISED_AFTER_DEADLINE]] },
      );
      expect(taken).toEqual(new Set(Object.keys(STEPS)));
    },
  );
});
