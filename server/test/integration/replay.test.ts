// Sending again: the same id and bytes as the next attempt, with the whole schedule before it once more.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SCHEDULE_SECONDS } from '../../src/domain/retry.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { encodeCursor } from '../../src/usecases/queries/cursor.ts';
import { listDeliveries } from '../../src/usecases/queries/list-deliveries.ts';
import { readDelivery } from '../../src/usecases/queries/read-delivery.ts';
import { replayDeliveries, replayDelivery } from '../../src/usecases/replay-deliveries.ts';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { pauseEndpoint } from '../../src/worker/delivery-rows.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../fixtures/receivers.ts';
import { presentDeliveryDetail } from '../../src/presenters/delivery.ts';
import { ledgerOf, linesOf } from './looking.ts';
import { anItem, aPerson, aScene, review, type Scene } from './scene.ts';
import { POLICY, useServices } from './services.ts';

const world = useServices();
let scene: Scene;

interface Got {
  id: string | undefined;
  attempt: string | undefined;
  body: string;
}
let got: Got[];
let answers: number[];

beforeEach(async () => {
  got = [];
  answers = [];
  const { port } = await httpReceiver((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const header = (name: string) => request.headers[name] as string | undefined;
      got.push({ id: header('webhook-id'), attempt: header('x-webhook-attempt'), body });
      response.writeHead(answers.shift() ?? 200).end('hello');
    });
  });
  scene = await aScene(world.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterEach(() => closeReceivers());

/** A decided item, its delivery written. */
async function decided(): Promise<string> {
  const { id } = await anItem(world.services, scene);
  await review(world.services, scene.anna, { itemId: id, action: 'approve' });
  await relayOnce(world.services, world.signals);
  const [delivery] = await world.sql<{ id: string }>('select id from delivery where item_id = ?', [id]);
  return delivery?.id ?? '';
}

/** Sends everything that is due and waits for it. */
async function deliver(): Promise<void> {
  const deliverer = createDeliverer(world.services, POLICY, () => undefined);
  while ((await deliverer.runOnce()).again) await deliverer.drain();
}

/** A delivery that every attempt of its schedule was spent on. */
async function dead(): Promise<string> {
  const id = await decided();
  await world.sql(`update delivery set attempt = ? where id = ?`, [SCHEDULE_SECONDS.length - 1, id]);
  answers = [500];
  await deliver();
  expect(await statusOf(id)).toBe('dead');
  return id;
}

const statusOf = async (id: string) =>
  (await world.sql<{ status: string }>('select status from delivery where id = ?', [id]))[0]?.status;
const again = (id: string, who = scene.supervisor) => replayDelivery(world.services, who, id);
const NOTHING = { from: null, to: null, after: undefined };

describe('I5: one delivery sent again', () => {
  it('goes out with the same id and bytes, as the next attempt, and is told', async () => {
    const id = await decided();
    await deliver();
    await again(id);
    const [told] = (await ledgerOf(world, scene.projectId)).slice(-1);
    expect(told).toMatchObject({ type: 'delivery.changed', data: { delivery_id: id, status: 'pending', attempt: 1 } });
    await deliver();
    expect(got.map(({ attempt }) => attempt)).toEqual(['1', '2']);
    expect(got[1]).toEqual({ ...got[0], attempt: '2' });
    const { delivery, attempts } = await readDelivery(world.services, scene.supervisor, id);
    expect(delivery).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(attempts.map(({ n, responseText }) => [n, responseText])).toEqual([
      [2, 'hello'],
      [1, 'hello'],
    ]);
  });

  it('WH1: that was dead has its whole schedule before it again', async () => {
    const id = await dead();
    await again(id);
    answers = [500];
    await deliver();
    expect(await statusOf(id)).toBe('pending');
    const [row] = await world.sql<{ wait: number }>(
      'select extract(epoch from next_attempt_at - now())::float as wait from delivery where id = ?',
      [id],
    );
    expect(row?.wait).toBeGreaterThan(0);
    expect(row?.wait).toBeLessThan((SCHEDULE_SECONDS[1] ?? 0) * 1.2 + 1);
  });

  it('is refused while it is on its way: nothing is sent twice', async () => {
    const id = await decided();
    await expect(again(id)).rejects.toMatchObject({ code: 'validation_failed' });
    await deliver();
    const both = await Promise.allSettled([again(id), again(id)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await deliver();
    expect(got).toHaveLength(2);
  });

  it('is refused where there is nowhere to send to, or the endpoint is paused', async () => {
    const id = await decided();
    await deliver();
    await world.services.db.write((tx) => pauseEndpoint(tx, scene.projectId));
    await expect(again(id)).rejects.toMatchObject({ code: 'validation_failed', detail: /paused/ });
    const changes = { webhook_url: null };
    await changeSettings(world.services, scene.owner, { projectId: scene.projectId, settingsVersion: 1, changes });
    await expect(again(id)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await statusOf(id)).toBe('succeeded');
    // Nobody let it resume: taking the URL away is no word of a receiver that is back.
    const lines = await linesOf(world, scene.projectId);
    expect(lines.map(({ action }) => action)).not.toContain('webhook.resumed');
    const shown = await readDelivery(world.services, scene.supervisor, id);
    expect(presentDeliveryDetail(shown).abilities).toEqual({ replay: false });
  });

  it('PM: is for supervisors and owners; to others the delivery is not there', async () => {
    const id = await decided();
    await deliver();
    await expect(again(id, scene.anna)).rejects.toMatchObject({ code: 'forbidden' });
    const stranger = await aPerson(world.services);
    await expect(again(id, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readDelivery(world.services, scene.anna, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(readDelivery(world.services, stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    const unknown = world.services.ids.uuid();
    await expect(readDelivery(world.services, scene.owner, unknown)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('many sent again', () => {
  it('are those that are dead, oldest first, and no others', async () => {
    const [first, second] = [await dead(), await dead()];
    const fine = await decided();
    await deliver();
    const before = got.length;
    const filter = { projectId: scene.projectId, status: 'dead' as const, ...NOTHING };
    expect(await replayDeliveries(world.services, scene.supervisor, filter)).toEqual({ replayed: 2, nextCursor: null });
    await deliver();
    expect(got).toHaveLength(before + 2);
    expect(await Promise.all([first, second, fine].map(statusOf))).toEqual(Array(3).fill('succeeded'));
    expect(await replayDeliveries(world.services, scene.supervisor, filter)).toEqual({ replayed: 0, nextCursor: null });
  });

  it('are those of a window of time, and of one’s own project alone', async () => {
    const ids = [await decided(), await decided(), await decided()];
    await deliver();
    for (const [index, id] of ids.entries())
      await world.sql('update delivery set created_at = ? where id = ?', [new Date(Date.UTC(2026, 1, 1 + index)), id]);
    const day = (n: number) => new Date(Date.UTC(2026, 1, n));
    const filter = { projectId: scene.projectId, status: 'succeeded' as const, ...NOTHING, from: day(2), to: day(2) };
    const other = await aScene(world.services, { webhook_url: 'http://127.0.0.1:44998/' });
    const theirs = { ...filter, ...NOTHING, projectId: other.projectId };
    expect(await replayDeliveries(world.services, other.owner, theirs)).toEqual({ replayed: 0, nextCursor: null });
    await expect(replayDeliveries(world.services, other.owner, filter)).rejects.toMatchObject({ code: 'not_found' });
    expect(await replayDeliveries(world.services, scene.owner, filter)).toEqual({ replayed: 1, nextCursor: null });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['succeeded', 'pending', 'succeeded']);
  });

  it('go on behind the last one of the answer before, and none is sent again twice', async () => {
    await decided();
    await decided();
    await deliver();
    const sent = got.length;
    const filter = { projectId: scene.projectId, status: 'succeeded' as const, ...NOTHING };
    const [first] = await world.sql<{ at: Date | string; id: string }>(
      'select created_at as at, id from delivery where project_id = ? order by created_at, id limit 1',
      [scene.projectId],
    );
    const after = encodeCursor({ at: new Date(first?.at ?? 0), id: first?.id ?? '' });
    expect(await replayDeliveries(world.services, scene.owner, { ...filter, after })).toEqual({
      replayed: 1,
      nextCursor: null,
    });
    await deliver();
    expect(got).toHaveLength(sent + 1);
    const wrong = replayDeliveries(world.services, scene.owner, { ...filter, after: 'x' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('are found by their status in the log, page by page', async () => {
    const id = await dead();
    await decided();
    await deliver();
    const query = { projectId: scene.projectId, after: undefined, limit: 10 };
    const page = await listDeliveries(world.services, scene.supervisor, { ...query, status: 'dead' });
    expect(page.rows.map((row) => row.id)).toEqual([id]);
    expect((await listDeliveries(world.services, scene.supervisor, query)).rows).toHaveLength(2);
  });
});
