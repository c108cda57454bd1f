// From the relay straight to a free slot: a first attempt that nobody has to look for, and when it must wait for its turn all the same.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DUE } from '../../src/db/channels.ts';
import { deleteProject } from '../../src/usecases/lifecycle.ts';
import { createDeliverer, type Deliverer } from '../../src/worker/deliver.ts';
import { type FreeSlots, relayOnce } from '../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../fixtures/receivers.ts';
import { aDelivery, sendAll } from './due.ts';
import { waiting } from './holding.ts';
import { anItem, aScene, review, type Scene } from './scene.ts';
import { POLICY, useServices } from './services.ts';

/** POSTs to one project at a time. */
const SLOTS_OF_PROJECT = 16;

const world = useServices();
let scene: Scene;
let deliverer: Deliverer;
let got: string[];
/** How often the workers were told that something is due. */
let rung = 0;
/** Answers are kept back until this is resolved. */
let answering: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  got = [];
  answering = Promise.withResolvers<undefined>();
  const { port } = await httpReceiver((request, response) => {
    got.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => void answering.promise.then(() => response.writeHead(200).end()));
  });
  scene = await aScene(world.services, { webhook_url: `http://127.0.0.1:${port}/` });
  deliverer = createDeliverer(world.services, POLICY);
  if (rung === 0) await world.signals.on(DUE, () => (rung += 1));
  rung = 1;
});
afterEach(async () => {
  answering.resolve(undefined);
  await deliverer.drain();
  await closeReceivers();
});

interface Row {
  status: string;
  attempt: number;
  leased: boolean;
}

async function decide(count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    ids.push(id);
  }
  return ids;
}
const relay = (slots: FreeSlots = deliverer) => relayOnce(world.services, world.signals, { slots });
const rows = () =>
  world.sql<Row>(
    `select status, attempt, lease_until > now() + interval '30 s' as leased from delivery where project_id = ? order by created_at, seq`,
    [scene.projectId],
  );
const PENDING = { status: 'pending', attempt: 0, leased: null };
const LEASED = { status: 'sending', attempt: 1, leased: true };

describe('a delivery that is written while there is a free slot', () => {
  it('I5: is leased by that, goes out at once and once, and ends as any other', async () => {
    await decide();
    await relay();
    expect(await rows()).toEqual([LEASED]);
    await expect.poll(() => got).toHaveLength(1);
    await sendAll(world.services);
    expect(got).toHaveLength(1);
    answering.resolve(undefined);
    await deliverer.drain();
    expect(await rows()).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
    const tries = await world.sql(
      'select a.n, a.error from attempt a join delivery d on d.id = a.delivery_id where d.project_id = ?',
      [scene.projectId],
    );
    expect(tries).toEqual([{ n: 1, error: null }]);
  });

  it('I5: is sent by another when whoever was to send it is gone, under the same id', async () => {
    await decide();
    // Keeps a slot and is never heard of again.
    await relay({ keep: (fresh) => ({ ids: new Set(fresh.map(({ id }) => id)), use: () => undefined }) });
    expect(await rows()).toEqual([LEASED]);
    await world.sql(`update delivery set lease_until = now() - interval '1 s' where project_id = ?`, [scene.projectId]);
    answering.resolve(undefined);
    await sendAll(world.services);
    const [{ webhook_id: id } = { webhook_id: '' }] = await world.sql<{ webhook_id: string }>(
      'select webhook_id from delivery where project_id = ?',
      [scene.projectId],
    );
    expect(got).toEqual([id]);
    expect(await rows()).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  });

  it(`takes no more than ${SLOTS_OF_PROJECT} slots for its project; the others wait, and workers are told`, async () => {
    await decide(SLOTS_OF_PROJECT + 2);
    await relay();
    expect((await rows()).map(({ status }) => status)).toEqual([
      ...Array<string>(SLOTS_OF_PROJECT).fill('sending'),
      'pending',
      'pending',
    ]);
    await expect.poll(() => rung).toBeGreaterThan(1);
    answering.resolve(undefined);
    await deliverer.drain();
    await sendAll(world.services);
    expect(got).toHaveLength(SLOTS_OF_PROJECT + 2);
  });

  it.each([
    ['has failed of late (WH5)', `update webhook_endpoint set failures = 1 where project_id = ?`],
    ['is left alone (WH5)', `update webhook_endpoint set open_until = now() + interval '1 min' where project_id = ?`],
    ['is paused (WH3)', `update webhook_endpoint set state = 'paused' where project_id = ?`],
  ])('waits for its turn where its endpoint %s', async (_, trouble) => {
    await world.sql(trouble, [scene.projectId]);
    await decide();
    await relay();
    expect(await rows()).toEqual([PENDING]);
  });

  it('waits behind what is due at its project already', async () => {
    await aDelivery(world, scene);
    await decide();
    await relay();
    expect(await rows()).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
    expect(got).toEqual([]);
  });

  it('gives its slot back when it could not be written', async () => {
    await decide();
    const { db } = world.services;
    const cut: typeof db = {
      ...db,
      write: (work) =>
        db.write(async (tx) => {
          await work(tx);
          throw new Error('cut off');
        }),
    };
    const cutOff = relayOnce({ ...world.services, db: cut }, world.signals, { slots: deliverer });
    await expect(cutOff).rejects.toThrow('cut off');
    expect(got).toEqual([]);
    await decide(SLOTS_OF_PROJECT - 1);
    await relay();
    expect((await rows()).map(({ status }) => status)).toEqual(Array<string>(SLOTS_OF_PROJECT).fill('sending'));
  });

  it('AR2: whoever deletes its project meanwhile waits until it is written, and nothing begins after', async () => {
    await decide();
    const written = Promise.withResolvers<undefined>();
    // Begun out here: what begins inside a transaction belongs to it.
    const deleting = written.promise.then(() => deleteProject(world.services, scene.owner, scene.projectId));
    const waits = written.promise.then(() => waiting(world, 1));
    const { db } = world.services;
    const slow: typeof db = {
      ...db,
      write: (work) =>
        db.write(async (tx) => {
          const done = await work(tx);
          written.resolve(undefined);
          await waits;
          return done;
        }),
    };
    await relayOnce({ ...world.services, db: slow }, world.signals, { slots: deliverer });
    await deleting;
    await expect.poll(() => got).toHaveLength(1);
    expect(await rows()).toMatchObject([{ status: 'cancelled', attempt: 1 }]);
    answering.resolve(undefined);
    await deliverer.drain();
    await sendAll(world.services);
    expect(got).toHaveLength(1);
  });

  it('AR2: is not made when its project was deleted before', async () => {
    await decide();
    await deleteProject(world.services, scene.owner, scene.projectId);
    await relay();
    expect((await rows()).filter(({ status }) => status !== 'cancelled')).toEqual([]);
    expect(got).toEqual([]);
  });
});
