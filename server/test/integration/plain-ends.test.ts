// How an attempt that went well is written down: in one statement, its fact with its place in the ledger, and never before an earlier one of its item (I6).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RECORDED, STAMPED } from '../../src/db/channels.ts';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { leaseDue } from '../../src/worker/delivery-rows.ts';
import type { Done } from '../../src/worker/finish-rows.ts';
import { endPlainly } from '../../src/worker/plain-ends.ts';
import { relayOnce, type Stamped } from '../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../fixtures/receivers.ts';
import { aDelivery, deliveriesOf, sendAll } from './due.ts';
import { holding } from './holding.ts';
import { ledgerOf } from './looking.ts';
import { anItem, aScene, items, review, type Scene } from './scene.ts';
import { POLICY, useServices } from './services.ts';

const world = useServices();
let scene: Scene;
let url: string;
/** Answers are kept back until this is resolved. */
let answering: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  answering = Promise.withResolvers<undefined>();
  const { port } = await httpReceiver((request, response) => {
    request.resume().on('end', () => void answering.promise.then(() => response.writeHead(204).end()));
  });
  url = `http://127.0.0.1:${port}/`;
  scene = await aScene(world.services, { webhook_url: url });
  await relayAll();
});
afterEach(async () => {
  answering.resolve(undefined);
  await closeReceivers();
});

const unnumbered = async () =>
  (await world.sql<{ n: number }>('select count(*)::int as n from event where seq is null'))[0]?.n ?? 0;

async function relayAll(): Promise<void> {
  while ((await unnumbered()) > 0) await relayOnce(world.services, world.signals);
}

/** Sends what is due; `meanwhile` happens between the POSTs and their end. Answers the facts that got their place with it. */
async function deliver(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<Stamped[]> {
  const placed: Stamped[] = [];
  const deliverer = createDeliverer(world.services, POLICY, { onFacts: (facts) => void placed.push(...facts) });
  await deliverer.runOnce();
  await meanwhile();
  answering.resolve(undefined);
  await deliverer.drain();
  return placed;
}

const toldOf = (id: string) =>
  world.sql<{ seq: number | null; status: string }>(
    `select seq::int as seq, data ->> 'status' as status from event where type = 'delivery.changed' and data ->> 'delivery_id' = ? order by position`,
    [id],
  );
const rowOf = async (id: string) =>
  (await world.sql('select status, attempt, http_status, error, claim_token from delivery where id = ?', [id]))[0];
const triesOf = (id: string) =>
  world.sql('select n, error, http_status from attempt where delivery_id = ? order by n', [id]);
const headOf = async ({ projectId }: Scene) =>
  (await world.sql<{ seq: number }>('select event_seq::int as seq from project where id = ?', [projectId]))[0]?.seq;

async function expectWhole(of: Scene): Promise<void> {
  const seqs = (await ledgerOf(world, of.projectId)).map(({ seq }) => seq ?? -1).sort((one, other) => one - other);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(await headOf(of)).toBe(seqs.length);
}

const ROOM = { limit: 10, retries: 10, posting: 0, inFlight: new Map<string, number>() };
const WELL: Done['outcome'] = {
  ...{ httpStatus: 204, error: null, retryAfter: null, responseHeaders: {}, responseText: '', remoteAddress: null },
  ...{ totalMs: 1, timings: { dnsMs: 0, connectMs: 0, tlsMs: null, firstByteMs: 1 }, signatures: 1 },
};
const SUCCEEDED = { status: 'succeeded', attempt: 1, http_status: 204, error: null, claim_token: null };

describe('the end of an attempt that went well', () => {
  it('I6: is in the ledger with the delivery itself, numbered, and rings for those who show it', async () => {
    const bells: string[] = [];
    await world.signals.on(STAMPED, (payload) => void bells.push(payload));
    const id = await aDelivery(world, scene);
    await relayAll();
    const head = (await headOf(scene)) ?? 0;
    const placed = await deliver();
    expect(await rowOf(id)).toEqual(SUCCEEDED);
    expect(await triesOf(id)).toEqual([{ n: 1, error: null, http_status: 204 }]);
    expect(await toldOf(id)).toEqual([{ seq: head + 1, status: 'succeeded' }]);
    expect(placed).toMatchObject([{ projectId: scene.projectId, seq: head + 1, type: 'delivery.changed' }]);
    await expect.poll(() => bells).toContain(`${scene.projectId}:${head + 1}`);
    await expectWhole(scene);
  });

  it('I6: waits for its number behind an earlier fact of its item', async () => {
    const types: string[] = [];
    await world.signals.on(RECORDED, (payload) => void types.push(payload));
    const { id: itemId } = await anItem(world.services, scene);
    const id = await aDelivery(world, scene, { itemId });
    expect(await unnumbered()).toBeGreaterThan(0);
    expect(await deliver()).toEqual([]);
    expect(await toldOf(id)).toEqual([{ seq: null, status: 'succeeded' }]);
    await expect.poll(() => types).toContain('delivery.changed');
    await relayAll();
    const ledger = await ledgerOf(world, scene.projectId);
    expect(ledger.filter((fact) => fact.item_id === itemId).map(({ type }) => type)).toEqual([
      'item.queued',
      'delivery.changed',
    ]);
    await expectWhole(scene);
  });

  it('I6: is numbered while facts of other items wait', async () => {
    const id = await aDelivery(world, scene);
    await relayAll();
    await anItem(world.services, scene);
    const head = (await headOf(scene)) ?? 0;
    await deliver();
    expect(await toldOf(id)).toEqual([{ seq: head + 1, status: 'succeeded' }]);
    await relayAll();
    await expectWhole(scene);
  });

  it('waits for nobody who holds the project: its fact is left to the relay', async () => {
    const id = await aDelivery(world, scene);
    await relayAll();
    const hold = 'select 1 from project where id = ? for no key update';
    await holding(world, [hold, [scene.projectId]], () => deliver());
    expect(await rowOf(id)).toEqual(SUCCEEDED);
    expect(await toldOf(id)).toEqual([{ seq: null, status: 'succeeded' }]);
    await relayAll();
    await expectWhole(scene);
  });

  it('changes nothing when its lease is somebody else’s by then', async () => {
    const id = await aDelivery(world, scene);
    await relayAll();
    await deliver(() =>
      world.sql('update delivery set claim_token = gen_random_uuid(), attempt = 2 where id = ?', [id]),
    );
    expect(await rowOf(id)).toMatchObject({ status: 'sending', attempt: 2, http_status: null });
    expect(await triesOf(id)).toEqual([{ n: 1, error: 'lease_lost', http_status: 204 }]);
    expect(await toldOf(id)).toEqual([]);
  });

  it('I5: of two ends of one delivery that are written together counts the one whose lease holds', async () => {
    const id = await aDelivery(world, scene);
    await relayAll();
    const ends: Done[] = [];
    for (const attempt of [1, 2]) {
      const [leased] = await world.services.db.statement((em) => leaseDue(em, ROOM));
      if (leased !== undefined)
        ends.push({ leased, outcome: WELL, next: { kind: 'succeeded' }, startedAt: new Date() });
      expect(ends).toHaveLength(attempt);
      await world.sql(`update delivery set lease_until = now() - interval '1 s' where id = ?`, [id]);
    }
    const written = await endPlainly(world.services, ends);
    expect(written.map(({ isWritten, facts }) => [isWritten, facts.length])).toEqual([
      [false, 0],
      [true, 1],
    ]);
    expect(await triesOf(id)).toEqual([{ n: 2, error: null, http_status: 204 }]);
    expect(await toldOf(id)).toHaveLength(1);
    await expectWhole(scene);
  });

  const trouble = [
    ['had failed before', 'update webhook_endpoint set failures = 3 where project_id = ?'],
    ['is said to be in trouble', 'update webhook_endpoint set in_trouble = true where project_id = ?'],
  ] as const;
  it.each(trouble)('WH5: makes an endpoint well again that %s', async (_, sql) => {
    const id = await aDelivery(world, scene);
    await relayAll();
    expect(await deliver(() => world.sql(sql, [scene.projectId]))).toEqual([]);
    expect(await rowOf(id)).toEqual(SUCCEEDED);
    expect(await toldOf(id)).toMatchObject([{ seq: null, status: 'succeeded' }]);
    expect(
      await world.sql('select failures, in_trouble from webhook_endpoint where project_id = ?', [scene.projectId]),
    ).toEqual([{ failures: 0, in_trouble: false }]);
  });

  it('I6: leaves no gap among those that many write at once, with two workers and the relay', async () => {
    answering.resolve(undefined);
    const other = await aScene(world.services, { webhook_url: url });
    for (const place of [scene, other]) await deliveriesOf(world, place, { count: 20 });
    let writing = true;
    const relaying = (async () => {
      while (writing) {
        await relayOnce(world.services, world.signals);
        await nextTurn();
      }
    })();
    const lives = [scene, other].map(async (place) => {
      for (const { id } of await items(world.services, place, 6)) {
        await review(world.services, place.anna, { itemId: id, action: 'approve' });
      }
    });
    const sending = [sendAll(world.services), sendAll(world.services)];
    await Promise.all([...lives, ...sending]).finally(() => (writing = false));
    await relaying;
    await relayAll();
    await sendAll(world.services);
    await relayAll();
    await expectWhole(scene);
    await expectWhole(other);
    const left = await world.sql(`select id from delivery where project_id in (?, ?) and status <> 'succeeded'`, [
      scene.projectId,
      other.projectId,
    ]);
    expect(left).toEqual([]);
  });
});
