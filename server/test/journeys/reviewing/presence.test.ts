// Tests presence over real processes, and its recovery from crashes, restarts and a Redis outage.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeMember } from '@countersign/shared/routes/projects';
import { join, openProject, type OpenProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { WITH_REDIS, useTestEnvironment, type TestEnvironment } from '../../test-environment.ts';
import { useEnvironmentWithOwnRedis } from '../../own-redis.ts';

/** A killed process is dropped after three heartbeats of two seconds; the rest is for a slow machine. */
const SILENCE = { timeout: 60_000 };
const SOON = { timeout: 60_000 };
const IN_TURN = { concurrent: false };

/** A project of the first with the others as members, and the presence that their page shows. */
async function shift(testEnv: TestEnvironment, count: number): Promise<{ project: OpenProject; pool: Person[] }> {
  const pool = await people(testEnv, count);
  const project = await openProject(pool[0] as Person);
  for (const who of pool.slice(1)) await join(project, who);
  return { project, pool };
}

const online = (live: Live, project: OpenProject) =>
  live
    .people(project.id)
    .map(({ user_id: id }) => id)
    .sort();
const ids = (...pool: (Person | undefined)[]) => pool.map((who) => who?.id).sort();

describe('PR1: who is online', () => {
  const testEnv = useTestEnvironment();
  let project: OpenProject;
  let pool: Person[];
  const open: Live[] = [];
  const connect = async (who: Person | undefined, process: number) => {
    const live = await connectLive(who as Person, { process });
    open.push(live);
    return live;
  };

  beforeAll(async () => {
    ({ project, pool } = await shift(testEnv, 3));
  });
  afterAll(() => open.forEach((live) => live.close()));

  it('is seen from every process within a second or so: who came, what they look at, who left', IN_TURN, async () => {
    const [ana, bo] = [await connect(pool[0], 0), await connect(pool[1], 1)];
    await vi.waitFor(() => expect(online(ana, project)).toEqual(ids(pool[0], pool[1])), SOON);
    await vi.waitFor(() => expect(online(bo, project)).toEqual(ids(pool[0], pool[1])), SOON);
    const item = randomUUID();
    bo.reportPresence({ project_id: project.id, item_id: item, idle: false });
    await vi.waitFor(() => expect(ana.people(project.id).flatMap((who) => who.viewing)).toEqual([item]), SOON);
    bo.close();
    await vi.waitFor(() => expect(online(ana, project)).toEqual(ids(pool[0])), SOON);
  });

  it('T4: is not sent to a removed member, who disappears for the others', IN_TURN, async () => {
    const [ana, cem] = [await connect(pool[0], 0), await connect(pool[2], 1)];
    await vi.waitFor(() => expect(online(ana, project)).toEqual(ids(pool[0], pool[2])), SOON);
    await vi.waitFor(() => expect(online(cem, project)).toEqual(ids(pool[0], pool[2])), SOON);
    await (pool[0] as Person).call(removeMember, { params: { id: project.id, user_id: (pool[2] as Person).id } });
    await vi.waitFor(() => expect(online(ana, project)).toEqual(ids(pool[0])), SOON);
    const item = randomUUID();
    ana.reportPresence({ project_id: project.id, item_id: item, idle: false });
    await vi.waitFor(() => expect(ana.people(project.id)[0]?.viewing).toEqual([item]), SOON);
    expect(cem.people(project.id).flatMap((who) => who.viewing)).toEqual([]);
    await join(project, pool[2] as Person);
  });

  it('is sent again after a restart, to everybody who reconnects', IN_TURN, async () => {
    await Promise.all(testEnv.urls.map((_, process) => testEnv.restart(process)));
    const back = await Promise.all(pool.map((who, process) => connect(who, process)));
    for (const live of back) await vi.waitFor(() => expect(online(live, project)).toEqual(ids(...pool)), SILENCE);
  });

  it.runIf(WITH_REDIS)('no longer includes the people of a killed process', IN_TURN, async () => {
    const [ana, bo] = [await connect(pool[0], 0), await connect(pool[1], 1)];
    await vi.waitFor(() => expect(online(ana, project)).toContain(pool[1]?.id), SOON);
    for (const live of open) if (live !== ana) live.close();
    const killed = bo.closed();
    await testEnv.kill9(1);
    await killed;
    await vi.waitFor(() => expect(online(ana, project)).toEqual(ids(pool[0])), SILENCE);
    await testEnv.restart(1);
    const again = await connect(pool[1], 1);
    for (const live of [ana, again])
      await vi.waitFor(() => expect(online(live, project)).toEqual(ids(pool[0], pool[1])), SOON);
  });
});

describe.runIf(WITH_REDIS)('without Redis', () => {
  const testEnv = useEnvironmentWithOwnRedis();

  it('PR1, LC6: each process shows its own people and says that live assignment is degraded; both heal', async () => {
    const { project, pool } = await shift(testEnv, 2);
    const lives = await Promise.all(pool.map((who, process) => connectLive(who, { process })));
    const [ana, bo] = lives as [Live, Live];
    const both = async (expected: { degraded: boolean; people: (Person | undefined)[][] }) => {
      for (const [index, live] of lives.entries()) {
        await vi.waitFor(() => {
          expect(live.degraded()).toBe(expected.degraded);
          expect(online(live, project)).toEqual(ids(...(expected.people[index] ?? [])));
        }, SILENCE);
      }
    };
    await both({ degraded: false, people: [pool, pool] });

    await testEnv.redis.crash();
    await both({ degraded: true, people: [[pool[0]], [pool[1]]] });
    const item = randomUUID();
    bo.reportPresence({ project_id: project.id, item_id: item, idle: false });
    await vi.waitFor(() => expect(bo.people(project.id)[0]?.viewing).toEqual([item]), SOON);

    await testEnv.redis.startAnother();
    await both({ degraded: false, people: [pool, pool] });
    await vi.waitFor(() => expect(ana.people(project.id).flatMap((who) => who.viewing)).toEqual([item]), SOON);
    lives.forEach((live) => live.close());
  });
});
