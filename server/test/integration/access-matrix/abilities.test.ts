// Tests that an object's `abilities` match what the routes behind them allow, for every role.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProject } from '@countersign/shared/routes/projects';
import {
  claimItem,
  decideItem,
  extendDeadline,
  readQueueItem,
  reopenItem,
  reviseItem,
  takeOver,
  undoDecision,
} from '@countersign/shared/routes/queue';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { ABILITIES, type OnDeadline, ROLES, type Ability, type Role } from '@countersign/shared/enums';
import { aSubmission, join, openProject, review, type OpenProject } from '../../builders.ts';
import { type Answer, person, type Person } from '../../client.ts';
import { ACCESS_RULES } from './routes.ts';
import { asPerson, refusalCodeOf, openMatrixEnvironment } from './environment.ts';
import { endAllClaims, endLease } from '../support/database-helpers.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;

beforeAll(async () => {
  // Each case adds a colleague, more than one may offer memberships in an hour (RL4).
  const plenty = { quota: 1000, windowSeconds: 1 };
  const limiter = createMemoryLimiter({ ...policiesOf(60_000), offer: plenty }, inside.clock);
  served = await serve({ ...inside.services, limiter });
});
afterAll(() => served.close());

/** The routes behind the abilities of an item; routes.ts names those of a project. */
type Attempt = (who: Person, id: string, fence: number) => Promise<Answer<unknown>>;
const OF_ITEMS: Partial<Record<Ability, Attempt>> = {
  claim: (who, id) => who.attempt(claimItem, { params: { id } }),
  take_over: (who, id) => who.attempt(takeOver, { params: { id } }),
  reopen: (who, id) => who.attempt(reopenItem, { params: { id } }),
  revise: (who, id) =>
    who.attempt(reviseItem, { params: { id }, body: { action: 'reject', reason: 'Policy changed' } }),
  extend_deadline: (who, id) => who.attempt(extendDeadline, { params: { id }, body: { seconds: 60 } }),
  decide: (who, id, fence) => who.attempt(decideItem, { params: { id }, body: { fence, action: 'approve' } }),
  undo: (who, id) => who.attempt(undoDecision, { params: { id } }),
};

describe('PM: the abilities of a project', () => {
  const BEHIND = Object.entries(ACCESS_RULES).flatMap(([name, accessRule]) =>
    'behind' in accessRule && !(accessRule.behind in OF_ITEMS) ? [[name, accessRule.behind] as const] : [],
  );

  it('each have a route behind them', () => {
    const behind = [...BEHIND.map(([, ability]) => ability), ...Object.keys(OF_ITEMS)];
    expect([...new Set(behind)].sort()).toEqual([...ABILITIES].sort());
  });

  it.each(ROLES)('are exactly what a %s may do', async (role) => {
    const home = await openMatrixEnvironment(served, inside);
    const { abilities } = await home.people[role].call(readProject, { params: { id: home.ids.project } });
    for (const [name, ability] of BEHIND) {
      const matrixEnv = ACCESS_RULES[name]?.ends ? await openMatrixEnvironment(served, inside) : home;
      const refused = (await refusalCodeOf(matrixEnv, name, asPerson(matrixEnv, role))) === 'forbidden';
      expect([name, ability, !refused]).toEqual([name, ability, abilities[ability]]);
    }
  });
});

interface Stage {
  project: OpenProject;
  me: Person;
  someone: Person;
}
let made: OpenProject;
const cast: Partial<Record<Role, Person>> = {};

const submit = async ({ project }: Stage, overrides: object = {}) =>
  (await project.pipeline.submit(aSubmission(overrides))).id;
const escalated = { risk_flags: ['legal'] };
const claimed = async (id: string, who: Person) => (await who.attempt(claimItem, { params: { id } }), id);
const approved = async (id: string, who: Person) => (await review(who, id), id);
const overdue = async (stage: Stage, on_deadline: OnDeadline) => {
  const id = await submit(stage, { deadline_seconds: 600, on_deadline });
  await inside.sql(`update item set deadline = now() - '1ms'::interval where id = ?`, [id]);
  await expireItemsOnce(inside.services);
  return id;
};

/** Situations of an item, each created per test; `me` has the role under test, `someone` is a supervisor. */
const SITUATIONS: Record<string, (stage: Stage) => Promise<string>> = {
  'queued, free': (stage) => submit(stage),
  'queued, held by me': async (stage) => claimed(await submit(stage), stage.me),
  'queued, held by someone else': async (stage) => claimed(await submit(stage), stage.someone),
  'queued, free, with my claim limit reached': async (stage) => {
    for (let held = 0; held < MAX_CLAIMS; held += 1) await claimed(await submit(stage), stage.me);
    return submit(stage);
  },
  'queued, free, with my claim limit reached by leases that expired unnoticed': async (stage) => {
    for (let held = 0; held < MAX_CLAIMS; held += 1)
      await endLease(inside, await claimed(await submit(stage), stage.me));
    return submit(stage);
  },
  'queued, held by someone else, with my claim limit reached': async (stage) => {
    for (let held = 0; held < MAX_CLAIMS; held += 1) await claimed(await submit(stage), stage.me);
    return claimed(await submit(stage), stage.someone);
  },
  'escalated, free': (stage) => submit(stage, escalated),
  'escalated, held by me if I may': async (stage) => claimed(await submit(stage, escalated), stage.me),
  'escalated, held by someone else': async (stage) => claimed(await submit(stage, escalated), stage.someone),
  'decided by me within the undo window': async (stage) => approved(await submit(stage), stage.me),
  'decided by someone else within the undo window': async (stage) => approved(await submit(stage), stage.someone),
  'decided by me, after the undo window': async (stage) => {
    const id = await approved(await submit(stage), stage.me);
    await inside.sql(
      'update decision set undo_until = now() - make_interval(secs => 0.001), final_at = now() where item_id = ?',
      [id],
    );
    return id;
  },
  'queued, with a deadline': (stage) => submit(stage, { deadline_seconds: 600 }),
  'escalated, with a deadline': (stage) => submit(stage, { ...escalated, deadline_seconds: 600 }),
  'queued, with a deadline that was extended': async (stage) => {
    const id = await submit(stage, { deadline_seconds: 600 });
    await stage.someone.call(extendDeadline, { params: { id }, body: { seconds: 60 } });
    return id;
  },
  'ended by its deadline': (stage) => overdue(stage, 'expire'),
  'rejected by its deadline': (stage) => overdue(stage, 'reject'),
  'auto-approved': (stage) => submit(stage, { confidence: 1 }),
  'rejected by routing': (stage) => submit(stage, { confidence: 0 }),
};

describe('PM: the abilities of an item', () => {
  beforeAll(async () => {
    const settings = { undo_window_seconds: 30, escalate_flags: ['legal'], below_review: 'reject' as const };
    made = await openProject(await person(served.testEnv), { settings });
    cast.owner = made.owner;
    for (const role of ['reviewer', 'supervisor'] as const)
      await join(made, (cast[role] = await person(served.testEnv)), role);
  });

  const cases = ROLES.flatMap((role) => Object.keys(SITUATIONS).map((situation) => [role, situation] as const));

  it.each(cases)('are exactly what a %s may do to an item that is %s', async (role, situation) => {
    const someone = await person(served.testEnv);
    await join(made, someone, 'supervisor');
    const stage = { project: made, me: cast[role] as Person, someone };
    for (const [ability, attempt] of Object.entries(OF_ITEMS) as [Ability, Attempt][]) {
      await endAllClaims(inside);
      const id = (await SITUATIONS[situation]?.(stage)) ?? '';
      const { abilities } = await stage.me.call(readQueueItem, { params: { id } });
      const [row] = await inside.sql<{ fence: number }>('select claim_fence as fence from item where id = ?', [id]);
      const { ok } = await attempt(stage.me, id, Number(row?.fence));
      // Taking over an item that nobody holds is a claim, for a person who pressed as its holder released it.
      const expected = abilities[ability] || (ability === 'take_over' && role !== 'reviewer' && abilities.claim);
      expect([ability, ok], JSON.stringify(abilities)).toEqual([ability, expected]);
    }
  });
});
