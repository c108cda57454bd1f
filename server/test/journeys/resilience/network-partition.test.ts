// Tests partitions: ended sessions, a frozen relay, a silent network. Work continues or gets 503, and recovers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimItem, decideItem, releaseClaim } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject, review } from '../../builders.ts';
import { people, person, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { decideInBackground, submitInBackground } from '../../background-load.ts';
import { type OwnRedis, startOwnRedis } from '../../own-redis.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { expectInvariants } from '../../run-script.ts';
import { scaled } from '../../soak.ts';
import {
  WITH_REDIS,
  showLogOnFailure,
  startTestEnvironment,
  useTestEnvironment,
  type TestEnvironment,
} from '../../test-environment.ts';
import { endOldLeases } from './expire-leases.ts';

const HEALTHY = { status: 'ok', database: true, lock_store: true };
const DEGRADED = { status: 'degraded', database: true, lock_store: false };
/** A silent relay is replaced after fifteen seconds. */
const FROZEN_MS = 40_000;
/** A silent process is dropped after three heartbeats of two seconds; the rest is for a slow machine. */
const SILENCE_MS = 60_000;
/** Sessions to end under load, one after another: two of them are the relay's. */
const ENDED = scaled(10, 100);

/** The state that a process reports. */
const readiness = async (testEnv: TestEnvironment, process: number): Promise<unknown> =>
  (await fetch(`${testEnv.url(process)}/readyz`)).json();

/** Ends one matching session of the environment's database; false when there is none. */
async function endSession(testEnv: TestEnvironment, fits = 'true'): Promise<boolean> {
  const rows = await testEnv.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity a
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and (${fits})
     order by random() limit 1`,
  );
  return rows.length > 0;
}

/** Selects the relay's session of this environment: others on the same server have theirs. */
const HOLDS_LEADER_LOCK = `a.datname = current_database() and exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.granted
  and l.classid::bigint << 32 | l.objid::bigint = 7202611202)`;

const hasLeader = (testEnv: TestEnvironment) =>
  expect
    .poll(() => testEnv.sql(`select pid from pg_stat_activity a where ${HOLDS_LEADER_LOCK}`), { interval: 50 })
    .toHaveLength(1);

describe.runIf(WITH_REDIS)('sessions of PostgreSQL that end', () => {
  const testEnv = useTestEnvironment();
  let receiver: Receiver;
  let project: OpenProject;
  let reviewer: Person;
  let live: Live;

  beforeAll(async () => {
    const owner = await person(testEnv);
    reviewer = await person(testEnv);
    receiver = await startReceiver();
    project = await openProject(owner, { receiver });
    await join(project, reviewer);
    live = await connectLive(reviewer, { process: 1 });
    await live.entered(project.id);
  });
  afterAll(async () => {
    // Closing checks for gaps in the event log.
    live.close();
    await receiver.close();
  });

  it(
    'I1, I2, I5, I6: one after the other under load: what was answered is stored, has its events once and in order, and its webhook arrives',
    { concurrent: false, timeout: 240_000 },
    async () => {
      const before = testEnv.urls;
      const submitting = submitInBackground(project, { processes: 2 });
      const deciding = decideInBackground(project, reviewer, 1);
      await expect.poll(() => deciding.decided.length, { message: 'decisions' }).toBeGreaterThan(0);
      for (let n = 0; n < ENDED; n += 1) {
        const so = submitting.accepted.length;
        await hasLeader(testEnv);
        // Every fifth is the relay's.
        expect(await endSession(testEnv, n % 5 === 0 ? HOLDS_LEADER_LOCK : 'true')).toBe(true);
        await expect.poll(() => submitting.accepted.length, { interval: 20 }).toBeGreaterThan(so);
      }
      const { accepted, refused } = await submitting.end();
      const { decided, refused: alsoRefused } = await deciding.end();
      expect([refused, alsoRefused, testEnv.urls]).toEqual([[], [], before]);

      const queued = () => live.events.filter(({ type }) => type === 'item.queued');
      await expect.poll(() => queued().length, { interval: 100 }).toBe(accepted.length);
      expect(new Set(queued().map((domainEvent) => 'item_id' in domainEvent && domainEvent.item_id))).toEqual(
        new Set(accepted),
      );
      // A delivery whose worker lost its session during it is sent again when its lease is over.
      const withoutSettings = async () => {
        await endOldLeases(testEnv);
        const arrived = new Set(receiver.arrivals.map(({ event }) => event.item_id));
        return decided.filter((id) => !arrived.has(id));
      };
      await expect.poll(withoutSettings).toEqual([]);
      for (const id of decided) {
        const ids = receiver.arrivals.filter(({ event }) => event.item_id === id).map(({ webhookId }) => webhookId);
        expect(new Set(ids).size).toBe(1);
      }
      await expectInvariants(testEnv.env);
    },
  );

  it('do not affect the next request when all end at once while idle', { concurrent: false }, async () => {
    while (await endSession(testEnv));
    const { id } = await project.pipeline.submit(aSubmission());
    await live.next('item.queued', (domainEvent) => domainEvent.item_id === id);
  });
});

describe.runIf(WITH_REDIS)('a relay that is frozen', () => {
  const testEnv = useTestEnvironment({ roles: ['web', 'worker', 'worker'] });

  it('I6: is replaced, and has lost its leadership when it resumes', async () => {
    const owner = await person(testEnv);
    const project = await openProject(owner);
    const live = await connectLive(owner);
    await live.entered(project.id);
    const told = async (within?: number) => {
      const { id } = await project.pipeline.submit(aSubmission());
      await live.next('item.queued', (domainEvent) => domainEvent.item_id === id, within);
    };
    await testEnv.kill9(2);
    await told();
    await testEnv.restart(2);
    testEnv.freeze(1);
    await told(FROZEN_MS);
    testEnv.thaw(1);
    for (let n = 0; n < 5; n += 1) await told();
    live.close();
    await expectInvariants(testEnv.env);
  }, 240_000);
});

describe.runIf(WITH_REDIS)('a network to Redis that drops everything, for one of two servers', () => {
  let redis: OwnRedis;
  let testEnv: TestEnvironment;
  let ana: Person;
  let bo: Person;
  let project: OpenProject;
  let lives: [Live, Live];

  showLogOnFailure(() => testEnv);
  beforeAll(async () => {
    redis = await startOwnRedis();
    testEnv = await startTestEnvironment({ env: { REDIS_URL: redis.server }, own: { 1: { REDIS_URL: redis.url } } });
    [ana, bo] = (await people(testEnv, 2)) as [Person, Person];
    project = await openProject(ana);
    await join(project, bo);
    lives = [await connectLive(ana, { process: 0 }), await connectLive(bo, { process: 1 })];
    for (const live of lives) await live.entered(project.id);
  });
  afterAll(async () => {
    lives.forEach((live) => live.close());
    await testEnv.stop();
    await redis.stop();
  });

  const arrive = async () => (await project.pipeline.submit(aSubmission())).id;

  /** Both pages show these as online. */
  const expectOnline = async (pool: Person[], of: readonly Live[] = lives) => {
    const ids = pool.map(({ id }) => id).sort();
    const seen = (live: Live) => live.people(project.id).map((who) => who.user_id);
    for (const live of of) await expect.poll(() => seen(live).sort(), { timeout: SILENCE_MS }).toEqual(ids);
  };

  it('LC1, I3, I4: fences decide between the two, every event reaches both, and it recovers automatically', async () => {
    await expectOnline([ana, bo]);
    redis.blackhole(true);
    await expect.poll(() => readiness(testEnv, 1), { timeout: SILENCE_MS }).toEqual(DEGRADED);
    // One late response of Redis counts as none.
    await expect.poll(() => readiness(testEnv, 0)).toEqual(HEALTHY);

    for (const [holder, at, other] of [
      [ana, 0, bo],
      [bo, 1, ana],
    ] as const) {
      const id = await arrive();
      const params = { id };
      const { fence } = await holder.call(claimItem, { params }, { process: at });
      await other.refused('claim_held', claimItem, { params }, { process: 1 - at });
      await holder.call(releaseClaim, { params, body: { fence } }, { process: at });
      const next = await other.call(claimItem, { params }, { process: 1 - at });
      await holder.refused('claim_lost', decideItem, { params, body: { fence, action: 'approve' } }, { process: at });
      await other.call(decideItem, { params, body: { fence: next.fence, action: 'approve' } }, { process: 1 - at });
      for (const live of lives) await live.next('item.finalized', (domainEvent) => domainEvent.item_id === id);
    }
    // People at the other server are invisible from here meanwhile; a page shows nobody who may be gone.
    await expectOnline([ana], [lives[0]]);

    redis.blackhole(false);
    await expect.poll(() => readiness(testEnv, 1), { timeout: SILENCE_MS }).toEqual(HEALTHY);
    await expectOnline([ana, bo]);
    for (const process of [0, 1]) await review(bo, await arrive(), 'approve', { process });
    await expectInvariants(testEnv.env);
  }, 240_000);
});
