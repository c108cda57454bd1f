// Tests KE1 and KE2: what is deleted after its retention period, what stays, and what is refused afterwards.
import { describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseGone } from '../../../src/db/database.ts';
import { presentDelivery } from '../../../src/presenters/delivery.ts';
import { NO_EXTRAS } from '../../../src/usecases/webhooks/delivery-extras.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { listPublicEvents } from '../../../src/usecases/decisions/list-public-events.ts';
import { readHistory } from '../../../src/usecases/items/read-item.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { replayDelivery, startReplay } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import type { Next } from '../../../src/worker/loop.ts';
import { createRetentionJob, RETENTION_POLL_MS } from '../../../src/worker/retention.ts';
import { replayOnce } from '../../../src/worker/replay.ts';
import {
  DAY_MS,
  faultsOf,
  runRetention,
  setRetention,
  settle,
  useRetentionFixture,
  tablesContaining,
} from './retention-fixture.ts';
import { anItem, createProjectFixture, review } from '../support/project-fixture.ts';
import { passTime, withClockOff } from '../support/deadline-clock.ts';

const {
  testEnv,
  now,
  days,
  pass,
  submitted,
  decidedAndSent,
  deliveryOf,
  detailOf,
  publicOf,
  supervisorViewOf,
  setExcluded,
  gone,
  mark,
} = useRetentionFixture();

const page = () => ({ projectId: now.fixture.projectId, after: undefined, limit: 100 });
const catchUpFeed = async () => {
  const { rows } = await listPublicEvents(testEnv.services, now.fixture.pipeline, { after: undefined, limit: 100 });
  return rows.map(({ itemId }) => itemId);
};

describe('KE1: the period', () => {
  it('KE1: nothing is deleted unless an owner said so', async () => {
    const id = await decidedAndSent();
    await pass(4000);
    expect(await publicOf(id)).toMatchObject({ input: { question: mark('input') } });
    expect((await detailOf(id)).attempts).toHaveLength(1);
  });

  it('KE1: nothing is deleted before its period is over, and then it is', async () => {
    await days({ retention_payload_days: 7 });
    const id = await decidedAndSent();
    await pass(6.9);
    expect(await publicOf(id)).not.toHaveProperty('emptied_at');
    await pass(0.2);
    expect(await publicOf(id)).toMatchObject({ emptied_at: expect.any(String) as string });
  });

  it('KE1: an item in the queue stays, however long; the period starts at its last event', async () => {
    await days({ retention_payload_days: 7, retention_attempt_days: 7, retention_item_days: 30 });
    const { id } = await submitted();
    await settle(testEnv);
    await pass(400);
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'escalate' });
    await settle(testEnv);
    await pass(400);
    await review(testEnv.services, now.fixture.supervisor, { itemId: id, action: 'approve' });
    await settle(testEnv);
    await pass(6);
    expect(await publicOf(id)).toMatchObject({ input: { question: mark('input') } });
    await pass(2);
    expect(await publicOf(id)).toMatchObject({ input: null });
    await pass(23);
    expect(await gone(id)).toBe(true);
  });

  it('KE1: a replayed delivery restarts the period, and a pending one is not redacted', async () => {
    await days({ retention_payload_days: 7, retention_attempt_days: 7 });
    const id = await decidedAndSent();
    await passTime(testEnv, 6 * DAY_MS);
    await replayDelivery(testEnv.services, now.fixture.supervisor, await deliveryOf(id));
    await pass(30);
    expect((await detailOf(id)).body).toContain(mark(''));
    await settle(testEnv);
    expect(now.got).toHaveLength(2);
    await pass(6);
    expect((await detailOf(id)).attempts).toHaveLength(2);
    await pass(2);
    expect(await detailOf(id)).toMatchObject({ body: '', attempts: [], attempt: 2 });
  });

  it.each([-400, 400])('KE1: is the same for a worker whose clock is %i days off', async (off) => {
    await days({ retention_payload_days: 7 });
    const id = await decidedAndSent();
    const retentionJob = createRetentionJob(withClockOff(testEnv, off * DAY_MS));
    while ((await retentionJob.runOnce()).again === true);
    expect(await publicOf(id)).not.toHaveProperty('emptied_at');
    await passTime(testEnv, 8 * DAY_MS);
    while ((await retentionJob.runOnce()).again === true);
    expect(await publicOf(id)).toMatchObject({ emptied_at: expect.any(String) as string });
  });

  it('KE1: with every batch size, everything past its period is redacted, and nothing else', async () => {
    await days({ retention_payload_days: 7 });
    const old = [
      await decidedAndSent(),
      await decidedAndSent(),
      await decidedAndSent('reject'),
      (await submitted({ confidence: 1 })).id,
    ];
    await settle(testEnv);
    await passTime(testEnv, 5 * DAY_MS);
    const young = [await decidedAndSent(), (await submitted({ confidence: 0.1 })).id];
    await settle(testEnv);
    await passTime(testEnv, 3 * DAY_MS);
    await runRetention(testEnv, 1);
    const redacted = await testEnv.sql<{ id: string }>('select id from item where emptied_at is not null', []);
    // A rejection is a learning, which quotes it (KE5).
    const expected = old.filter((_, index) => index !== 2);
    expect(redacted.map(({ id }) => id)).toEqual(expect.arrayContaining(expected));
    for (const id of [...young, old[2] ?? '']) expect(await publicOf(id)).not.toHaveProperty('emptied_at');
  });
});

describe('KE1: what cannot be redacted', () => {
  it('KE1: is skipped for a while, and the others continue', async () => {
    await days({ retention_payload_days: 7 });
    const id = await decidedAndSent();
    const other = await createProjectFixture(testEnv.services);
    await setRetention(testEnv, other, { retention_payload_days: 7 });
    const theirs = await anItem(testEnv.services, other, { confidence: 1 });
    await settle(testEnv);
    await testEnv.sql(
      `create function keeping_fails() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    const removeFailure = () => testEnv.sql('drop function if exists keeping_fails cascade');
    onTestFinished(async () => void (await removeFailure()));
    await testEnv.sql(
      `create trigger keeping_fails before update on item for each row when (old.project_id = '${now.fixture.projectId}')
       execute function keeping_fails()`,
    );
    const retentionJob = createRetentionJob(testEnv.services);
    await passTime(testEnv, 8 * DAY_MS);
    const failures: unknown[] = [];
    const goOn = async (): Promise<Next> => {
      for (;;) {
        const next = await retentionJob.runOnce().catch((error: unknown): Next => {
          failures.push(error);
          return { again: true };
        });
        if (next.again !== true) return next;
      }
    };
    const before = testEnv.clock.now().getTime();
    const { at } = await goOn();
    expect(at?.getTime()).toBeGreaterThanOrEqual(before + RETENTION_POLL_MS);
    expect(at?.getTime()).toBeLessThanOrEqual(testEnv.clock.now().getTime() + RETENTION_POLL_MS);
    expect(failures).toHaveLength(1);
    await removeFailure();
    const redacted = async () => {
      const rows = await testEnv.sql<{ id: string }>('select id from item where emptied_at is not null');
      return [theirs.id, id].map((one) => rows.some((row) => row.id === one));
    };
    expect(await redacted()).toEqual([true, false]);
    await passTime(testEnv, RETENTION_POLL_MS - 60_000);
    await goOn();
    expect(await redacted()).toEqual([true, false]);
    await passTime(testEnv, 60_000);
    expect(await goOn()).toEqual({ at: null });
    expect(await redacted()).toEqual([true, true]);
  });
});

it('KE1: is not assumed because the database failed during the batch', async () => {
  await days({ retention_payload_days: 7 });
  const id = await decidedAndSent();
  const { db } = testEnv.services;
  let isGone = true;
  const write: typeof db.write = (work) =>
    db.write(async (tx) => {
      const done = await work(tx);
      if (isGone) throw new DatabaseGone();
      return done;
    });
  const retentionJob = createRetentionJob({ ...testEnv.services, db: { ...db, write } });
  await passTime(testEnv, 8 * DAY_MS);
  await expect(retentionJob.runOnce()).rejects.toThrow(DatabaseGone);
  isGone = false;
  while ((await retentionJob.runOnce()).again === true);
  expect(await publicOf(id)).toMatchObject({ emptied_at: expect.any(String) as string });
});

describe('KE2: payloads', () => {
  it('KE2: are in no table; ids, times, reasons, history and figures stay', async () => {
    await days({ retention_payload_days: 7 });
    now.says = mark('answer');
    const { id } = await submitted();
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'escalate', note: mark('doubt') });
    const output = { value: mark('output'), raw: JSON.stringify(mark('output')) };
    await review(testEnv.services, now.fixture.supervisor, { itemId: id, action: 'edit', output, note: mark('note') });
    await settle(testEnv);
    const before = await supervisorViewOf(id);
    const history = () => readHistory(testEnv.services, now.fixture.supervisor, { itemId: id, after: undefined });
    const types = async () => (await history()).events.map(({ type, seq, actor }) => ({ type, seq, actor }));
    const domainEvents = await types();
    expect(await tablesContaining(testEnv, mark(''))).toEqual(
      expect.arrayContaining(['attempt', 'decision', 'delivery', 'event', 'item']),
    );
    await setExcluded(id);
    await pass(8);
    expect(await tablesContaining(testEnv, mark(''))).toEqual([]);
    const after = await supervisorViewOf(id);
    expect(after).toMatchObject({ status: 'approved', version: before.version, created_at: before.created_at });
    expect(after.decision).toMatchObject({ action: 'edit', reason: 'Wrong fact', output: null, note: null });
    expect(after.emptied_at).toEqual(expect.any(String));
    expect(await types()).toEqual(domainEvents);
    expect(await faultsOf(testEnv)).toEqual([]);
  });

  it('KE2: are in no table either when the item was audited', async () => {
    await days({ retention_payload_days: 7, audit_rate: 1 });
    const { id } = await submitted({ confidence: 1 });
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'approve', note: mark('verdict') });
    await settle(testEnv);
    expect(await tablesContaining(testEnv, mark(''))).toEqual(expect.arrayContaining(['decision', 'event', 'item']));
    await pass(8);
    expect(await publicOf(id)).toMatchObject({ status: 'auto_approved', emptied_at: expect.any(String) as string });
    expect(await tablesContaining(testEnv, mark(''))).toEqual([]);
    expect(await faultsOf(testEnv)).toEqual([]);
  });

  it('KE2: leave no value of the metadata by which an item was reserved', async () => {
    await days({ retention_payload_days: 7 });
    const { projectId, owner, anna } = now.fixture;
    const [project] = await testEnv.sql<{ v: number }>('select settings_version as v from project where id = ?', [
      projectId,
    ]);
    const skill = { match: { metadata: '/m', value: mark('metadata') }, people: [anna.userId], after_minutes: 30 };
    const change = { projectId, settingsVersion: Number(project?.v), changes: { skills: [skill] } };
    await changeSettings(testEnv.services, owner, change);
    const { id } = await submitted();
    await review(testEnv.services, anna, { itemId: id, action: 'approve' });
    await settle(testEnv);
    const named = () =>
      testEnv.sql(
        `select id from item where id = ? and reserved_for is not null
         union all select id from event where item_id = ? and data::text like '%' || ? || '%'`,
        [id, id, mark('metadata')],
      );
    expect(await named()).toHaveLength(2);
    await pass(8);
    expect(await named()).toEqual([]);
    expect(await faultsOf(testEnv)).toEqual([]);
  });

  it('KE2: are marked as redacted in the API, and the catch-up feed no longer lists the item', async () => {
    await days({ retention_payload_days: 7 });
    const id = await decidedAndSent();
    expect(await catchUpFeed()).toEqual([id]);
    await passTime(testEnv, 5 * DAY_MS);
    const younger = await decidedAndSent();
    await pass(3);
    expect(await publicOf(id)).toMatchObject({
      ...{ status: 'approved', input: null, suggestion: null, metadata: null },
      emptied_at: expect.any(String) as string,
    });
    expect(await catchUpFeed()).toEqual([younger]);
  });

  it('KE2: are not sent again, alone or with others, and the delivery log does not offer it', async () => {
    await days({ retention_payload_days: 7 });
    const { services } = testEnv;
    const id = await decidedAndSent();
    await passTime(testEnv, 5 * DAY_MS);
    const younger = await decidedAndSent();
    const offered = async () => {
      const list = await listDeliveries(services, now.fixture.supervisor, page());
      const aside = (row: string) => list.extras.get(row) ?? NO_EXTRAS;
      return list.rows.filter((row) => presentDelivery(row, list, aside(row.id)).abilities.replay).map((r) => r.itemId);
    };
    expect((await offered()).sort()).toEqual([id, younger].sort());
    await pass(3);
    expect(await offered()).toEqual([younger]);
    const sent = now.got.length;
    await expect(replayDelivery(services, now.fixture.supervisor, await deliveryOf(id))).rejects.toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining('was deleted') as string,
    });
    const filter = { projectId: now.fixture.projectId, status: 'succeeded' as const, from: null, to: null };
    expect(await startReplay(services, now.fixture.supervisor, filter)).toMatchObject({ total: 1 });
    while ((await replayOnce(services)).again);
    await settle(testEnv);
    expect(now.got.slice(sent).map(({ body }) => body.includes(younger))).toEqual([true]);
  });

  it('KE2: of an item that routing rejected allow a reopen until they are redacted', async () => {
    await days({ retention_payload_days: 7 });
    const [low, lower] = [await submitted({ confidence: 0.1 }), await submitted({ confidence: 0.1 })];
    await settle(testEnv);
    await reopen(testEnv.services, now.fixture.supervisor, { itemId: lower.id, reason: null });
    await settle(testEnv);
    await pass(8);
    expect((await supervisorViewOf(low.id)).abilities.reopen).toBe(false);
    await expect(
      reopen(testEnv.services, now.fixture.supervisor, { itemId: low.id, reason: null }),
    ).rejects.toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining('Submit it again') as string,
    });
    expect(await publicOf(lower.id)).toMatchObject({ status: 'queued', input: { question: mark('input') } });
  });
});
