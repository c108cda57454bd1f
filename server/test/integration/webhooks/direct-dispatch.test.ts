// Tests direct dispatch from the relay to a free slot: a first attempt without polling, and when it must wait in turn.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DUE } from '../../../src/db/connection/channels.ts';
import { deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { createDeliverer, type Deliverer } from '../../../src/delivery/deliver.ts';
import type { SendCapacity } from '../../../src/delivery/write.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { aDelivery, sendAll } from './pending-deliveries.ts';
import { waitForBlocked } from '../support/blocking-transaction.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

/** POSTs to one project at a time. */
const PROJECT_CONCURRENCY = 16;

const testEnv = useServices();
let fixture: ProjectFixture;
let deliverer: Deliverer;
let got: string[];
/** How often the workers were woken. */
let notifiedCount = 0;
/** Responses are held until this resolves. */
let answering: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  got = [];
  answering = Promise.withResolvers<undefined>();
  // Of its own: what an earlier test left to send may go to the same port.
  const path = `/${randomUUID()}`;
  const { port } = await httpReceiver((request, response) => {
    if (request.url === path) got.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => void answering.promise.then(() => response.writeHead(200).end()));
  });
  fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}${path}` });
  deliverer = createDeliverer(testEnv.services, POLICY);
  if (notifiedCount === 0) await testEnv.signals.on(DUE, () => (notifiedCount += 1));
  notifiedCount = 1;
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
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    ids.push(id);
  }
  return ids;
}
const relay = (capacity: SendCapacity = deliverer) => relayOnce(testEnv.services, testEnv.signals, { capacity });
const rows = () =>
  testEnv.sql<Row>(
    `select status, attempt, lease_until > now() + interval '30 s' as leased from delivery where project_id = ? order by created_at, seq`,
    [fixture.projectId],
  );
const PENDING = { status: 'pending', attempt: 0, leased: null };
const LEASED = { status: 'sending', attempt: 1, leased: true };

describe('a delivery written while a slot is free', () => {
  it('I5: is leased by that slot, is sent at once and once, and ends like any other', async () => {
    await decide();
    await relay();
    expect(await rows()).toEqual([LEASED]);
    await expect.poll(() => got).toHaveLength(1);
    await sendAll(testEnv.services);
    expect(got).toHaveLength(1);
    answering.resolve(undefined);
    await deliverer.drain();
    expect(await rows()).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
    const tries = await testEnv.sql(
      'select a.n, a.error from attempt a join delivery d on d.id = a.delivery_id where d.project_id = ?',
      [fixture.projectId],
    );
    expect(tries).toEqual([{ n: 1, error: null }]);
  });

  it('I5: is sent by another worker when the first one is gone, under the same id', async () => {
    await decide();
    // Leases it and never reports again.
    await relay({ reserve: (fresh) => ({ ids: new Set(fresh.map(({ id }) => id)), use: () => undefined }) });
    expect(await rows()).toEqual([LEASED]);
    await testEnv.sql(`update delivery set lease_until = now() - interval '1 s' where project_id = ?`, [
      fixture.projectId,
    ]);
    answering.resolve(undefined);
    await sendAll(testEnv.services);
    const [{ webhook_id: id } = { webhook_id: '' }] = await testEnv.sql<{ webhook_id: string }>(
      'select webhook_id from delivery where project_id = ?',
      [fixture.projectId],
    );
    expect(got).toEqual([id]);
    expect(await rows()).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  });

  it(`takes no more than ${PROJECT_CONCURRENCY} slots for its project; the others wait, and workers are woken`, async () => {
    await decide(PROJECT_CONCURRENCY + 2);
    await relay();
    expect((await rows()).map(({ status }) => status)).toEqual([
      ...Array<string>(PROJECT_CONCURRENCY).fill('sending'),
      'pending',
      'pending',
    ]);
    await expect.poll(() => notifiedCount).toBeGreaterThan(1);
    answering.resolve(undefined);
    await deliverer.drain();
    await sendAll(testEnv.services);
    expect(got).toHaveLength(PROJECT_CONCURRENCY + 2);
  });

  it.each([
    ['has failed recently (WH5)', `update webhook_endpoint set failures = 1 where project_id = ?`],
    [
      'has an open circuit (WH5)',
      `update webhook_endpoint set open_until = now() + interval '1 min' where project_id = ?`,
    ],
    ['is paused (WH3)', `update webhook_endpoint set state = 'paused' where project_id = ?`],
  ])('waits in turn where its endpoint %s', async (_, trouble) => {
    await testEnv.sql(trouble, [fixture.projectId]);
    await decide();
    await relay();
    expect(await rows()).toEqual([PENDING]);
  });

  it('waits behind what is already due in its project', async () => {
    await aDelivery(testEnv, fixture);
    await decide();
    await relay();
    expect(await rows()).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
    expect(got).toEqual([]);
  });

  it('releases its slot when it could not be written', async () => {
    await decide();
    const { db } = testEnv.services;
    const cut: typeof db = {
      ...db,
      write: (work) =>
        db.write(async (tx) => {
          await work(tx);
          throw new Error('cut off');
        }),
    };
    const cutOff = relayOnce({ ...testEnv.services, db: cut }, testEnv.signals, { capacity: deliverer });
    await expect(cutOff).rejects.toThrow('cut off');
    expect(got).toEqual([]);
    await decide(PROJECT_CONCURRENCY - 1);
    await relay();
    expect((await rows()).map(({ status }) => status)).toEqual(Array<string>(PROJECT_CONCURRENCY).fill('sending'));
  });

  it('AR2: deleting its project waits until it is recorded, and no attempt starts after', async () => {
    await decide();
    const written = Promise.withResolvers<undefined>();
    // Started outside: what starts inside a transaction belongs to it.
    const deleting = written.promise.then(() => deleteProject(testEnv.services, fixture.owner, fixture.projectId));
    const waits = written.promise.then(() => waitForBlocked(testEnv, 1));
    const { db } = testEnv.services;
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
    await relayOnce({ ...testEnv.services, db: slow }, testEnv.signals, { capacity: deliverer });
    await deleting;
    await expect.poll(() => got).toHaveLength(1);
    expect(await rows()).toMatchObject([{ status: 'cancelled', attempt: 1 }]);
    answering.resolve(undefined);
    await deliverer.drain();
    await sendAll(testEnv.services);
    expect(got).toEqual([got[0]]);
  });

  it('AR2: is not sent when its project was deleted before', async () => {
    await decide();
    await deleteProject(testEnv.services, fixture.owner, fixture.projectId);
    await relay();
    expect((await rows()).filter(({ status }) => status !== 'cancelled')).toEqual([]);
    expect(got).toEqual([]);
  });
});
