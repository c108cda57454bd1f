// Tests replaying many deliveries in the background: which ones, in batches, once each, until done or stopped.
import { describe, expect, it } from 'vitest';
import { deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { listReplays } from '../../../src/usecases/webhooks/list-replays.ts';
import { cancelReplay, startReplay, type ReplayFilter } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { summarizeDeliveries } from '../../../src/usecases/webhooks/summarize-deliveries.ts';
import { pauseEndpoint } from '../../../src/delivery/health.ts';
import { replayOnce } from '../../../src/worker/replay.ts';
import { changeLogOf } from '../support/database-helpers.ts';
import { useReplayFixture } from './replay-fixture.ts';
import { aPerson, createProjectFixture } from '../support/project-fixture.ts';

const { testEnv, now, decided, deliver, statusOf, dead } = useReplayFixture();

describe('a replay', () => {
  const start = (filter: Partial<ReplayFilter> = {}, who = now.fixture.supervisor) =>
    startReplay(testEnv.services, who, {
      projectId: now.fixture.projectId,
      status: 'dead',
      from: null,
      to: null,
      ...filter,
    });
  const work = async (batch?: number) => {
    while ((await replayOnce(testEnv.services, batch)).again);
  };
  const stateOf = async (id: string) => {
    const replays = await listReplays(testEnv.services, now.fixture.supervisor, now.fixture.projectId);
    const found = replays.find((replay) => replay.id === id);
    return [found?.state, found?.replayed, found?.total];
  };

  it('takes the dead ones, oldest first, and no others; each event names the requester', async () => {
    const [first, second] = [await dead(), await dead()];
    const fine = await decided();
    await deliver();
    const before = now.got.length;
    const { id, total, state } = await start();
    expect([total, state]).toEqual([2, 'running']);
    await work();
    expect(await stateOf(id)).toEqual(['done', 2, 2]);
    const told = await testEnv.sql<{ who: string; delivery: string }>(
      `select actor ->> 'id' as who, data ->> 'delivery_id' as delivery from event
       where project_id = ? and data ->> 'status' = 'pending' and data ->> 'error' is null order by position`,
      [now.fixture.projectId],
    );
    expect(told).toEqual([first, second].map((delivery) => ({ who: now.fixture.supervisor.userId, delivery })));
    await deliver();
    expect(now.got).toHaveLength(before + 2);
    expect(await Promise.all([first, second, fine].map(statusOf))).toEqual(Array(3).fill('succeeded'));
    expect(await start()).toMatchObject({ state: 'done', total: 0 });
  });

  it('takes those of a time window, and of its own project alone', async () => {
    const ids = [await decided(), await decided(), await decided()];
    await deliver();
    for (const [index, id] of ids.entries())
      await testEnv.sql('update delivery set created_at = ? where id = ?', [
        new Date(Date.UTC(2026, 1, 1 + index)),
        id,
      ]);
    const day = (n: number) => new Date(Date.UTC(2026, 1, n));
    const window = { status: 'succeeded' as const, from: day(2), to: day(2) };
    const other = await createProjectFixture(testEnv.services, { webhook_url: 'http://127.0.0.1:44998/' });
    expect(await start({ projectId: other.projectId, status: 'succeeded' }, other.owner)).toMatchObject({ total: 0 });
    await expect(start(window, other.owner)).rejects.toMatchObject({ code: 'not_found' });
    await start(window);
    await work();
    expect(await Promise.all(ids.map(statusOf))).toEqual(['succeeded', 'pending', 'succeeded']);
  });

  it('runs in batches, continues after a crash, and sends none twice', async () => {
    for (let n = 0; n < 5; n += 1) await decided();
    await deliver();
    await deliver();
    const sent = now.got.length;
    const { id } = await start({ status: 'succeeded' });
    await replayOnce(testEnv.services, 2);
    expect(await stateOf(id)).toEqual(['running', 2, 5]);
    // What a batch made due succeeds again meanwhile: it matches the filter, and is not sent a third time.
    await deliver();
    await Promise.all([replayOnce(testEnv.services, 2), replayOnce(testEnv.services, 2)]);
    await work(2);
    expect(await stateOf(id)).toEqual(['done', 5, 5]);
    await deliver();
    expect(now.got).toHaveLength(sent + 5);
  });

  it('WH8: of pending ones makes each wait no longer, oldest first, within its schedule; asked twice it is one', async () => {
    const ids = [await decided(), await decided(), await decided()];
    now.answers = [500, 500, 500];
    await deliver();
    // The newest would be next otherwise; the other project's is not touched.
    for (const [index, id] of ids.entries())
      await testEnv.sql(
        `update delivery set created_at = now() - make_interval(mins => ?), next_attempt_at = now() + make_interval(mins => ?) where id = ?`,
        [10 - index, 30 - index, id],
      );
    await testEnv.sql(`update webhook_endpoint set open_until = now() + interval '5 minutes' where project_id = ?`, [
      now.fixture.projectId,
    ]);
    const { retryable } = await summarizeDeliveries(testEnv.services, now.fixture.supervisor, now.fixture.projectId);
    expect(retryable).toBe(3);
    const [one, other] = await Promise.all([start({ status: 'pending' }), start({ status: 'pending' })]);
    expect([one.total, other.id]).toEqual([3, one.id]);
    await work();
    expect(await stateOf(one.id)).toEqual(['done', 3, 3]);
    const due = await testEnv.sql<{ id: string; attempt: number; schedule_from: number }>(
      `select id, attempt, schedule_from from delivery where project_id = ? and next_attempt_at <= now() order by next_attempt_at`,
      [now.fixture.projectId],
    );
    expect(due).toEqual(ids.map((id) => ({ id, attempt: 1, schedule_from: 0 })));
    await deliver();
    expect(await Promise.all(ids.map(statusOf))).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(now.got.map(({ attempt }) => attempt)).toEqual(['1', '1', '1', '2', '2', '2']);
    // Nothing waits any more: nothing is started, and nothing is logged.
    expect(await start({ status: 'pending' })).toMatchObject({ state: 'done', total: 0 });
    const lines = (await changeLogOf(testEnv, now.fixture.projectId)).filter(
      ({ action }) => action === 'webhook.resent',
    );
    expect(lines).toMatchObject([
      { changed_by: now.fixture.supervisor.userId, after: { deliveries: 'pending', count: 3, created_since: null } },
    ]);
  });

  it('can be stopped: deliveries under way continue, the others stay unchanged', async () => {
    const ids = [await decided(), await decided(), await decided()];
    await deliver();
    const { id } = await start({ status: 'succeeded' });
    await replayOnce(testEnv.services, 1);
    expect(await cancelReplay(testEnv.services, now.fixture.owner, id)).toMatchObject({
      state: 'cancelled',
      replayed: 1,
    });
    await work();
    expect((await Promise.all(ids.map(statusOf))).sort()).toEqual(['pending', 'succeeded', 'succeeded']);
    // A finished replay does not change when it is stopped again.
    expect(await cancelReplay(testEnv.services, now.fixture.owner, id)).toMatchObject({
      state: 'cancelled',
      replayed: 1,
    });
  });

  it('requested twice is one: the second request returns the running one', async () => {
    await decided();
    await deliver();
    const [one, other] = await Promise.all([start({ status: 'succeeded' }), start({ status: 'succeeded' })]);
    expect(one.id).toBe(other.id);
  });

  it('ends automatically when the URL is removed', async () => {
    const delivery = await decided();
    await deliver();
    const { id } = await start({ status: 'succeeded' });
    await testEnv.services.db.write((tx) => pauseEndpoint(tx, now.fixture.projectId));
    await work();
    expect(await stateOf(id)).toEqual(['cancelled', 0, 1]);
    expect(await statusOf(delivery)).toBe('succeeded');
  });

  it('of a small project does not wait for one of a large project', async () => {
    for (let n = 0; n < 4; n += 1) await decided();
    await deliver();
    await start({ status: 'succeeded' });
    await replayOnce(testEnv.services, 2);
    const { id } = await start({ status: 'succeeded', from: new Date(0) });
    await replayOnce(testEnv.services, 2);
    expect((await stateOf(id))[1]).toBe(2);
  });

  it('PM: is for supervisors and owners; a stranger gets 404', async () => {
    const { id } = await start();
    const stranger = await aPerson(testEnv.services);
    for (const [who, code] of [
      [now.fixture.anna, 'forbidden'],
      [stranger, 'not_found'],
    ] as const) {
      await expect(start({}, who)).rejects.toMatchObject({ code });
      await expect(listReplays(testEnv.services, who, now.fixture.projectId)).rejects.toMatchObject({ code });
      await expect(cancelReplay(testEnv.services, who, id)).rejects.toMatchObject({ code });
    }
    const unknown = testEnv.services.ids.uuid();
    await expect(cancelReplay(testEnv.services, now.fixture.owner, unknown)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is refused without a URL', async () => {
    await testEnv.services.db.write((tx) => pauseEndpoint(tx, now.fixture.projectId));
    await expect(start()).rejects.toMatchObject({ code: 'validation_failed', detail: /paused/ });
  });

  it('AR2: ends with its project', async () => {
    await decided();
    await deliver();
    const { id } = await start({ status: 'succeeded' });
    await deleteProject(testEnv.services, now.fixture.owner, now.fixture.projectId);
    await work();
    expect(await testEnv.sql('select state, replayed from replay where id = ?', [id])).toEqual([
      { state: 'cancelled', replayed: 0 },
    ]);
  });

  it('selects by status as the log does, page by page', async () => {
    const id = await dead();
    await decided();
    await deliver();
    const query = { projectId: now.fixture.projectId, after: undefined, limit: 10 };
    const page = await listDeliveries(testEnv.services, now.fixture.supervisor, { ...query, status: 'dead' });
    expect(page.rows.map((row) => row.id)).toEqual([id]);
    expect((await listDeliveries(testEnv.services, now.fixture.supervisor, query)).rows).toHaveLength(2);
  });
});
