// The deliverer over a real receiver: what is due leaves signed, what came of it is recorded and told.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { rotateWebhookSecret } from '../../src/usecases/rotate-webhook-secret.ts';
import { closeReceivers, httpReceiver } from '../fixtures/receivers.ts';
import { deliveriesOf, makeDue } from './due.ts';
import { ledgerOf } from './looking.ts';
import { anItem, aScene, review, type Scene } from './scene.ts';
import { POLICY, useServices } from './services.ts';

/** POSTs to one project at a time. */
const SLOTS_OF_PROJECT = 16;
/** More than that. */
const DUE = 20;
const ALL_SLOTS = 128;

const world = useServices();
let scene: Scene;

beforeAll(async () => {
  scene = await aScene(world.services);
});
afterEach(async () => {
  vi.useRealTimers();
  await closeReceivers();
});

interface Got {
  headers: Record<string, string | undefined>;
  body: string;
}

/** A receiver at the project’s URL that answers these statuses, one after the other, and 200 from then on. */
async function receiving(...statuses: number[]): Promise<Got[]> {
  const got: Got[] = [];
  const { port } = await httpReceiver((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push({ headers: request.headers as Got['headers'], body });
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  await world.sql('update project set webhook_url = ? where id = ?', [`http://127.0.0.1:${port}/`, scene.projectId]);
  return got;
}

/** A decided item, its delivery written. */
async function decided(): Promise<string> {
  const { id } = await anItem(world.services, scene);
  await review(world.services, scene.anna, { itemId: id, action: 'approve' });
  await relayOnce(world.services, world.signals);
  const [delivery] = await world.sql<{ id: string }>('select id from delivery where item_id = ?', [id]);
  return delivery?.id ?? '';
}

const rowOf = async (id: string) =>
  (
    await world.sql<object>('select status, attempt, error, http_status, body, webhook_id from delivery where id = ?', [
      id,
    ])
  )[0];

/** Sends what is due and waits for it. */
async function deliver() {
  const deliverer = createDeliverer(world.services, POLICY);
  const next = await deliverer.runOnce();
  await deliverer.drain();
  return next;
}

describe('the deliverer', () => {
  it('I5, I7: sends the stored bytes, signed, the same id on every attempt, and tells the ledger', async () => {
    const { secret } = await rotateWebhookSecret(world.services, scene.owner, scene.projectId);
    const got = await receiving(503);
    const id = await decided();
    expect(await deliver()).toEqual({ again: true });
    expect(await rowOf(id)).toMatchObject({ status: 'pending', attempt: 1, error: 'http_5xx', http_status: 503 });
    await makeDue(world, id);
    await deliver();
    const { body, webhook_id } = (await rowOf(id)) as { body: string; webhook_id: string };
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', attempt: 2, error: null, http_status: 200 });
    expect(got.map(({ headers }) => headers[HEADERS.attempt])).toEqual(['1', '2']);
    for (const { headers, body: bytes } of got) {
      expect(bytes).toBe(body);
      expect(headers[HEADERS.id]).toBe(webhook_id);
      expect(await verifyWebhook(bytes, headers, { secret, now: Date.now() / 1000 })).toBe(true);
    }
    const told = (await ledgerOf(world, scene.projectId)).filter(({ type }) => type === 'delivery.changed');
    expect(told.map(({ data }) => [data.status, data.attempt, data.http_status])).toEqual([
      ['pending', 1, 503],
      ['succeeded', 2, 200],
    ]);
  });

  it('WH1: says when the next one is due: about five seconds after the first failure', async () => {
    await receiving(500);
    const id = await decided();
    await deliver();
    const { at } = await deliver();
    const [{ tried } = { tried: 0 }] = await world.sql<{ tried: number }>(
      'select extract(epoch from started_at)::float * 1000 as tried from attempt where delivery_id = ?',
      [id],
    );
    const after = (at?.getTime() ?? 0) - tried;
    expect(after).toBeGreaterThan(3_990);
    // The next step of the schedule is half a minute.
    expect(after).toBeLessThan(20_000);
    await makeDue(world, id);
    await deliver();
  });

  it('WH3: 410 pauses the endpoint: what is waiting stays where it is', async () => {
    const got = await receiving(410);
    const [gone, waiting] = [await decided(), await decided()];
    await world.sql(`update delivery set next_attempt_at = now() + interval '1 minute' where id = ?`, [waiting]);
    await deliver();
    await makeDue(world, waiting);
    await deliver();
    expect(await rowOf(gone)).toMatchObject({ status: 'paused', http_status: 410 });
    expect(await rowOf(waiting)).toMatchObject({ status: 'paused', attempt: 0 });
    expect(got).toHaveLength(1);
  });

  it('WH5: what has failed keeps its slot until it is written down: a slow database costs no more tries', async () => {
    scene = await aScene(world.services);
    const got = await receiving(...Array<number>(DUE).fill(500));
    for (let n = 0; n < DUE; n += 1) await decided();
    const { promise: written, resolve: write } = Promise.withResolvers<undefined>();
    const { db } = world.services;
    const slow: typeof db = { ...db, write: (work) => written.then(() => db.write(work)) };
    let ended = 0;
    const egress = { ...POLICY, onAttempt: () => (ended += 1) };
    const deliverer = createDeliverer({ ...world.services, db: slow }, egress);
    for (let leases = 0; leases < 2; leases += 1) await deliverer.runOnce();
    await expect.poll(() => ended).toBe(SLOTS_OF_PROJECT);
    await deliverer.runOnce();
    const sending = `select id from delivery where project_id = ? and status = 'sending'`;
    expect(await world.sql(sending, [scene.projectId])).toHaveLength(SLOTS_OF_PROJECT);
    write(undefined);
    await deliverer.drain();
    expect(got).toHaveLength(SLOTS_OF_PROJECT);
  });

  it('WH5: one that never answers keeps nobody else waiting, however much is due to it', async () => {
    const over = Promise.withResolvers<undefined>();
    let held = 0;
    const { port } = await httpReceiver((_, response) => {
      held += 1;
      void over.promise.then(() => {
        held -= 1;
        response.end();
      });
    });
    const dead = await aScene(world.services, { webhook_url: `http://127.0.0.1:${port}/` });
    await deliveriesOf(world, dead, { count: 3 * SLOTS_OF_PROJECT });
    scene = await aScene(world.services);
    const got = await receiving();
    await deliveriesOf(world, scene, { count: 3 });
    const deliverer = createDeliverer(world.services, POLICY);
    while ((await deliverer.runOnce()).again);
    await expect.poll(() => got).toHaveLength(3);
    await expect.poll(() => held).toBe(SLOTS_OF_PROJECT);
    over.resolve(undefined);
    await deliverer.drain();
  });

  it('looks again after a moment when every slot is taken: nobody is told of the few that become free until then', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const over = Promise.withResolvers<undefined>();
    const { port } = await httpReceiver((_, response) => void over.promise.then(() => response.end()));
    for (let n = 0; n < ALL_SLOTS / SLOTS_OF_PROJECT + 1; n += 1) {
      const of = await aScene(world.services, { webhook_url: `http://127.0.0.1:${port}/` });
      await deliveriesOf(world, of, { count: SLOTS_OF_PROJECT });
    }
    const deliverer = createDeliverer(world.services, POLICY);
    const sending = async () =>
      (await world.sql<{ n: number }>(`select count(*)::int as n from delivery where status = 'sending'`))[0]?.n;
    // What other tests left due goes to receivers that are gone, and frees its slots again.
    await expect
      .poll(async () => {
        await deliverer.runOnce();
        return sending();
      })
      .toBe(ALL_SLOTS);
    expect(await deliverer.runOnce()).toEqual({ at: expect.any(Date) as Date });
    over.resolve(undefined);
    await deliverer.drain();
  });
});
