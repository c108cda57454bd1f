// Tests a Redis outage: work continues under the fence alone (LC1), the service reports it, and recovers automatically.
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { claimItem, claimNext, decideItem, releaseClaim, renewClaim } from '@countersign/shared/routes/queue';
import { endSession, readSession } from '@countersign/shared/routes/session';
import { aSubmission, join, openProject, type OpenProject, review } from '../../builders.ts';
import { browser, people, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { WITH_REDIS } from '../../test-environment.ts';
import { type OwnRedis, useEnvironmentWithOwnRedis } from '../../own-redis.ts';

describe.runIf(WITH_REDIS)('without Redis', () => {
  const testEnv = useEnvironmentWithOwnRedis();
  let owner: Person;
  let reviewer: Person;
  let project: OpenProject;
  let live: Live;

  beforeAll(async () => {
    [owner, reviewer] = (await people(testEnv, 2)) as [Person, Person];
    project = await openProject(owner);
    await join(project, reviewer);
    live = await connectLive(reviewer, { process: 1 });
  });
  afterAll(() => live.close());

  const arrive = async () => (await project.pipeline.submit(aSubmission())).id;

  it('claims and decisions made before it persist, new ones use the fence, and recover when it is back', async () => {
    const before = await arrive();
    const held = await owner.call(claimItem, { params: { id: before } });
    // A claim does not wait for a late response of Redis: its lock may come after it.
    await expect.poll(() => lockOf(testEnv.redis, before)).toBe(`${held.fence}:${owner.id}`);

    await testEnv.redis.crash();
    await everywhere(DEGRADED);

    await reviewer.refused('claim_held', claimItem, { params: { id: before } }, { process: 1 });
    await owner.call(renewClaim, { params: { id: before }, body: { fence: held.fence } }, { process: 1 });
    await owner.call(decideItem, { params: { id: before }, body: { fence: held.fence, action: 'approve' } });
    await live.next('item.finalized', (event) => event.item_id === before);

    await decideWithoutRedis(await arrive());
    await raceWithoutRedis(await arrive());
    const during = await arrive();
    const { fence } = await owner.call(claimItem, { params: { id: during } });

    await testEnv.redis.startAnother();
    await everywhere(HEALTHY);

    // The new Redis knows nothing of the claim that was granted without it; the database does.
    await reviewer.refused('claim_held', claimItem, { params: { id: during } }, { process: 1 });
    await owner.call(renewClaim, { params: { id: during }, body: { fence } });
    await expect.poll(() => lockOf(testEnv.redis, during)).toBe(`${fence}:${owner.id}`);
    await owner.call(decideItem, { params: { id: during }, body: { fence, action: 'approve' } });
    await expect.poll(() => lockOf(testEnv.redis, during)).toBeNull();
    const after = await arrive();
    await live.next('item.queued', (event) => event.item_id === after);
    expect(await review(reviewer, after, 'edit', { process: 1 })).toMatchObject({ status: 'approved' });
  });

  /** One after another: held, released, claimed again with a higher fence; the old one is refused (I3). */
  async function decideWithoutRedis(id: string): Promise<void> {
    const params = { id };
    const first = await owner.call(claimItem, { params });
    expect(await reviewer.refused('claim_held', claimItem, { params }, { process: 1 })).toMatchObject({
      holder: { user_id: owner.id },
    });
    await owner.call(releaseClaim, { params, body: { fence: first.fence } });
    const second = await reviewer.call(claimItem, { params }, { process: 1 });
    expect(second.fence).toBeGreaterThan(first.fence);
    await owner.refused('claim_lost', decideItem, { params, body: { fence: first.fence, action: 'approve' } });
    await reviewer.call(decideItem, { params, body: { fence: second.fence, action: 'approve' } }, { process: 1 });
  }

  /** At once from both processes: still one holder (I4). */
  async function raceWithoutRedis(id: string): Promise<void> {
    const claims = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? owner : reviewer).attempt(claimItem, { params: { id } }, { process: n >> 1 }),
    );
    const nextAttempts = [owner, reviewer].map((who) => who.attempt(claimNext, { body: { project_id: project.id } }));
    const granted = (await Promise.all([...claims, ...nextAttempts])).flatMap((answer) =>
      answer.ok && answer.reply?.item.id === id ? [answer.reply] : [],
    );
    expect(new Set(granted.map(({ fence, item }) => `${fence} ${item.claim?.user_id}`)).size).toBe(1);
  }

  it('kills no process when it dies during work, repeatedly', async () => {
    for (let round = 0; round < 3; round += 1) {
      const leavers = await people(testEnv, 8);
      const cookies = leavers.map((leaver) => leaver.cookieHeader());
      // Signing out notifies the other processes through Redis: some notifications are under way when Redis dies, some start
      // without it.
      const leaving = leavers.slice(4).map((leaver, n) => leaver.call(endSession, {}, { process: n }));
      await testEnv.redis.crash();
      await Promise.all(leaving);
      await Promise.all(leavers.slice(0, 4).map((leaver, n) => leaver.call(endSession, {}, { process: n })));
      for (const [process, cookie] of cookies.entries()) {
        await browser(testEnv).refused('session_missing', readSession, {}, { process, headers: { cookie } });
      }
      await testEnv.redis.startAnother();
      await everywhere(HEALTHY);
    }
    await review(reviewer, await arrive(), 'approve', { process: 1 });
  });

  /** Every process reports it on /readyz, which stays 200: it can work. */
  async function everywhere(expected: object): Promise<void> {
    const ask = async () => {
      for (const url of testEnv.urls) {
        const answer = await fetch(`${url}/readyz`);
        const body: unknown = await answer.json();
        expect({ status: answer.status, body }).toEqual({ status: 200, body: expected });
      }
    };
    await vi.waitFor(ask, { timeout: 25_000 });
  }
});

const HEALTHY = { status: 'ok', database: true, lock_store: true };
const DEGRADED = { status: 'degraded', database: true, lock_store: false };

async function lockOf(redis: OwnRedis, itemId: string): Promise<string | null> {
  const client = await createClient({ url: redis.server }).connect();
  try {
    return await client.get(`countersign:claim:${itemId}`);
  } finally {
    await client.close();
  }
}
