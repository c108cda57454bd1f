// KE1 and KE2 on a real database: what goes when its time is over, what stays, and what is refused afterwards.
import { describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseGone } from '../../src/db/database.ts';
import { presentDelivery } from '../../src/presenters/delivery.ts';
import { listDeliveries } from '../../src/usecases/queries/list-deliveries.ts';
import { listPublicEvents } from '../../src/usecases/queries/list-public-events.ts';
import { readHistory } from '../../src/usecases/queries/read-item.ts';
import { reopen } from '../../src/usecases/reopen.ts';
import { replayDelivery, startReplay } from '../../src/usecases/replay-deliveries.ts';
import type { Next } from '../../src/worker/loop.ts';
import { createKeeper, KEEP_MS } from '../../src/worker/keep.ts';
import { replayOnce } from '../../src/worker/replay.ts';
import { DAY_MS, faultsOf, keepAll, say, settle, useKeeping, wheresOf } from './keeping-scene.ts';
import { anItem, aScene, review } from './scene.ts';

const { world, now, days, pass, submitted, told, deliveryOf, detailOf, publicOf, seenBy, leaveOut, gone, mark } =
  useKeeping();

const page = () => ({ projectId: now.scene.projectId, after: undefined, limit: 100 });
const fed = async () => {
  const { rows } = await listPublicEvents(world.services, now.scene.pipeline, { after: undefined, limit: 100 });
  return rows.map(({ decision }) => decision.itemId);
};

describe('KE1: for how long', () => {
  it('KE1: nothing goes unless an owner said so', async () => {
    const id = await told();
    await pass(4000);
    expect(await publicOf(id)).toMatchObject({ input: { question: mark('input') } });
    expect((await detailOf(id)).attempts).toHaveLength(1);
  });

  it('KE1: not a moment before its days are over, and then it goes', async () => {
    await days({ keep_payloads_days: 7 });
    const id = await told();
    await pass(6.9);
    expect(await publicOf(id)).not.toHaveProperty('emptied_at');
    await pass(0.2);
    expect(await publicOf(id)).toMatchObject({ emptied_at: expect.any(String) as string });
  });

  it('KE1: what waits for people stays, however long; the days run from its last fact', async () => {
    await days({ keep_payloads_days: 7, keep_attempts_days: 7, keep_ledger_days: 30 });
    const { id } = await submitted();
    await settle(world);
    await pass(400);
    await review(world.services, now.scene.anna, { itemId: id, action: 'escalate' });
    await settle(world);
    await pass(400);
    await review(world.services, now.scene.supervisor, { itemId: id, action: 'approve' });
    await settle(world);
    await pass(6);
    expect(await publicOf(id)).toMatchObject({ input: { question: mark('input') } });
    await pass(2);
    expect(await publicOf(id)).toMatchObject({ input: null });
    await pass(23);
    expect(await gone(id)).toBe(true);
  });

  it('KE1: a delivery that was sent again begins the days anew, and one that is on its way stays whole', async () => {
    await days({ keep_payloads_days: 7, keep_attempts_days: 7 });
    const id = await told();
    world.clock.pass(6 * DAY_MS);
    await replayDelivery(world.services, now.scene.supervisor, await deliveryOf(id));
    await pass(30);
    expect((await detailOf(id)).body).toContain(mark(''));
    await settle(world);
    expect(now.got).toHaveLength(2);
    await pass(6);
    expect((await detailOf(id)).attempts).toHaveLength(2);
    await pass(2);
    expect(await detailOf(id)).toMatchObject({ body: '', attempts: [], attempt: 2 });
  });

  it('KE1: whatever the portion, all that is old enough goes, and nothing else', async () => {
    await days({ keep_payloads_days: 7 });
    const old = [await told(), await told(), await told('reject'), (await submitted({ confidence: 1 })).id];
    await settle(world);
    world.clock.pass(5 * DAY_MS);
    const young = [await told(), (await submitted({ confidence: 0.1 })).id];
    await settle(world);
    world.clock.pass(3 * DAY_MS);
    await keepAll(world, 1);
    const emptied = await world.sql<{ id: string }>('select id from item where emptied_at is not null', []);
    // A rejection is a learning, which quotes it (KE5).
    const expected = old.filter((_, index) => index !== 2);
    expect(emptied.map(({ id }) => id)).toEqual(expect.arrayContaining(expected));
    for (const id of [...young, old[2] ?? '']) expect(await publicOf(id)).not.toHaveProperty('emptied_at');
  });
});

describe('KE1: what cannot be taken away', () => {
  it('KE1: rests for a while, and the others go on', async () => {
    await days({ keep_payloads_days: 7 });
    const id = await told();
    const other = await aScene(world.services);
    await say(world, other, { keep_payloads_days: 7 });
    const theirs = await anItem(world.services, other, { confidence: 1 });
    await settle(world);
    await world.sql(
      `create function keeping_fails() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    const mend = () => world.sql('drop function if exists keeping_fails cascade');
    onTestFinished(async () => void (await mend()));
    await world.sql(
      `create trigger keeping_fails before update on item for each row when (old.project_id = '${now.scene.projectId}')
       execute function keeping_fails()`,
    );
    const keeper = createKeeper(world.services);
    world.clock.pass(8 * DAY_MS);
    const failures: unknown[] = [];
    const goOn = async (): Promise<Next> => {
      for (;;) {
        const next = await keeper.runOnce().catch((error: unknown): Next => {
          failures.push(error);
          return { again: true };
        });
        if (next.again !== true) return next;
      }
    };
    const before = world.clock.now().getTime();
    const { at } = await goOn();
    expect(at?.getTime()).toBeGreaterThanOrEqual(before + KEEP_MS);
    expect(at?.getTime()).toBeLessThanOrEqual(world.clock.now().getTime() + KEEP_MS);
    expect(failures).toHaveLength(1);
    await mend();
    const emptied = async () => {
      const rows = await world.sql<{ id: string }>('select id from item where emptied_at is not null');
      return [theirs.id, id].map((one) => rows.some((row) => row.id === one));
    };
    expect(await emptied()).toEqual([true, false]);
    world.clock.pass(KEEP_MS - 60_000);
    await goOn();
    expect(await emptied()).toEqual([true, false]);
    world.clock.pass(60_000);
    expect(await goOn()).toEqual({ at: null });
    expect(await emptied()).toEqual([true, true]);
  });
});

it('KE1: nothing rests because the database went away in the middle of it', async () => {
  await days({ keep_payloads_days: 7 });
  const id = await told();
  const { db } = world.services;
  let isGone = true;
  const write: typeof db.write = (work) =>
    db.write(async (tx) => {
      const done = await work(tx);
      if (isGone) throw new DatabaseGone();
      return done;
    });
  const keeper = createKeeper({ ...world.services, db: { ...db, write } });
  world.clock.pass(8 * DAY_MS);
  await expect(keeper.runOnce()).rejects.toThrow(DatabaseGone);
  isGone = false;
  while ((await keeper.runOnce()).again === true);
  expect(await publicOf(id)).toMatchObject({ emptied_at: expect.any(String) as string });
});

describe('KE2: payloads', () => {
  it('KE2: no table holds a word of it; ids, times, reasons, history and figures stay', async () => {
    await days({ keep_payloads_days: 7 });
    now.says = mark('answer');
    const { id } = await submitted();
    await review(world.services, now.scene.anna, { itemId: id, action: 'escalate', note: mark('doubt') });
    const output = { value: mark('output'), raw: JSON.stringify(mark('output')) };
    await review(world.services, now.scene.supervisor, { itemId: id, action: 'edit', output, note: mark('note') });
    await settle(world);
    const before = await seenBy(id);
    const history = () => readHistory(world.services, now.scene.supervisor, { itemId: id, after: undefined });
    const types = async () => (await history()).events.map(({ type, seq, actor }) => ({ type, seq, actor }));
    const facts = await types();
    expect(await wheresOf(world, mark(''))).toEqual(
      expect.arrayContaining(['attempt', 'decision', 'delivery', 'event', 'item']),
    );
    await leaveOut(id);
    await pass(8);
    expect(await wheresOf(world, mark(''))).toEqual([]);
    const after = await seenBy(id);
    expect(after).toMatchObject({ status: 'approved', version: before.version, created_at: before.created_at });
    expect(after.decision).toMatchObject({ action: 'edit', reason: 'Wrong fact', output: null, note: null });
    expect(after.emptied_at).toEqual(expect.any(String));
    expect(await types()).toEqual(facts);
    expect(await faultsOf(world)).toEqual([]);
  });

  it('KE2: nor of one that was looked at in an audit', async () => {
    await days({ keep_payloads_days: 7, audit_rate: 1 });
    const { id } = await submitted({ confidence: 1 });
    await review(world.services, now.scene.anna, { itemId: id, action: 'approve', note: mark('verdict') });
    await settle(world);
    expect(await wheresOf(world, mark(''))).toEqual(expect.arrayContaining(['decision', 'event', 'item']));
    await pass(8);
    expect(await publicOf(id)).toMatchObject({ status: 'auto_approved', emptied_at: expect.any(String) as string });
    expect(await wheresOf(world, mark(''))).toEqual([]);
    expect(await faultsOf(world)).toEqual([]);
  });

  it('KE2: what is empty is told by the API as such, and by the catch-up feed no more', async () => {
    await days({ keep_payloads_days: 7 });
    const id = await told();
    expect(await fed()).toEqual([id]);
    world.clock.pass(5 * DAY_MS);
    const younger = await told();
    await pass(3);
    expect(await publicOf(id)).toMatchObject({
      ...{ status: 'approved', input: null, suggestion: null, metadata: null },
      emptied_at: expect.any(String) as string,
    });
    expect(await fed()).toEqual([younger]);
  });

  it('KE2: its delivery is not sent again, alone or with others, and its line does not offer it', async () => {
    await days({ keep_payloads_days: 7 });
    const { services } = world;
    const id = await told();
    world.clock.pass(5 * DAY_MS);
    const younger = await told();
    const offered = async () => {
      const list = await listDeliveries(services, now.scene.supervisor, page());
      const aside = (row: string) => list.asides.get(row) ?? { durationMs: null, emptied: false };
      return list.rows.filter((row) => presentDelivery(row, list, aside(row.id)).abilities.replay).map((r) => r.itemId);
    };
    expect((await offered()).sort()).toEqual([id, younger].sort());
    await pass(3);
    expect(await offered()).toEqual([younger]);
    const sent = now.got.length;
    await expect(replayDelivery(services, now.scene.supervisor, await deliveryOf(id))).rejects.toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining('taken away') as string,
    });
    const filter = { projectId: now.scene.projectId, status: 'succeeded' as const, from: null, to: null };
    expect(await startReplay(services, now.scene.supervisor, filter)).toMatchObject({ total: 1 });
    while ((await replayOnce(services)).again);
    await settle(world);
    expect(now.got.slice(sent).map(({ body }) => body.includes(younger))).toEqual([true]);
  });

  it('KE2: one that routing turned away can be reopened until it is empty', async () => {
    await days({ keep_payloads_days: 7 });
    const [low, lower] = [await submitted({ confidence: 0.1 }), await submitted({ confidence: 0.1 })];
    await settle(world);
    await reopen(world.services, now.scene.supervisor, { itemId: lower.id, reason: null });
    await settle(world);
    await pass(8);
    expect((await seenBy(low.id)).abilities.reopen).toBe(false);
    await expect(reopen(world.services, now.scene.supervisor, { itemId: low.id, reason: null })).rejects.toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining('Submit it anew') as string,
    });
    expect(await publicOf(lower.id)).toMatchObject({ status: 'queued', input: { question: mark('input') } });
  });
});
