// The receiver zoo: every kind of bad receiver at once, with the real deliverer, beside a project whose receiver is well.
import { createServer } from 'node:http';
import { setInterval } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { type Loop, startLoop } from '../../src/worker/loop.ts';
import { distrust, EXPIRED_CERTIFICATE } from '../fixtures/receiver-certificate.ts';
import { closeReceivers, httpReceiver, listening, type Receiver } from '../fixtures/receivers.ts';
import { type Animal, zoo } from '../fixtures/receiver-zoo.ts';
import { aDelivery, makeDue } from './due.ts';
import { aScene, items, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();

/** Loopback, but for the address where nobody may come. */
const POLICY = { allowCidrs: ['127.0.0.1/32'], allowHttp: true };
/** In place of 20 s and 5 s. */
const LIMITS = { deadlineMs: 10_000, connectMs: 4_000 };
const REBINDING = 'rebinding.test';
/** Deliveries of each animal, due at the same moment. */
const HERD = 3;
/** The stream of the one that is well: so many beside the zoo, one every so many milliseconds. */
const BESIDE = 80;
const EVERY_MS = 70;
/** What may be under way between two sockets when one end stops reading: buffers of the system, not ours. */
const IN_BUFFERS = 12 * 1_024 * 1_024;

const IN_TIME = { timeout: 90_000, interval: 50 };

interface Kept {
  name: string;
  animal: Animal;
  receiver: Receiver;
  projectId: string;
}

let internal: Receiver;
const cages: Kept[] = [];
let well: Scene;
/** What of the stream has arrived. */
const arrived = new Set<string>();
let loop: Loop;

beforeAll(async () => {
  // Trusted, so that nothing but its age is wrong with it.
  tls.setDefaultCACertificates([EXPIRED_CERTIFICATE]);
  world.names.addresses.set('receiver.test', ['127.0.0.1']).set(REBINDING, ['127.0.0.1']);
  internal = await listening(
    createServer((_, response) => response.end('secret')),
    '127.0.0.2',
  );
  for (const [name, animal] of Object.entries(zoo({ internal, rebinding: REBINDING }))) {
    const receiver = await animal.open();
    const scene = await aScene(world.services, { webhook_url: animal.url(receiver.port) });
    cages.push({ name, animal, receiver, projectId: scene.projectId });
    for (const { id: itemId } of await items(world.services, scene, HERD)) {
      await aDelivery(world, scene, { itemId, ago: -3600 });
    }
  }
  const receiver = await httpReceiver((request, response) => {
    arrived.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.end());
  });
  well = await aScene(world.services, { webhook_url: `http://receiver.test:${receiver.port}/` });
  // It was good when it was saved; from here on it leads inside.
  world.names.addresses.set(REBINDING, ['127.0.0.2']);
  await run();
}, 200_000);
afterAll(closeReceivers);
afterAll(distrust);

/** Makes deliveries for the one that is well, one after the other, and waits until each has arrived. */
async function stream(count: number): Promise<void> {
  const left = await items(world.services, well, count);
  const made: string[] = [];
  for await (const _ of setInterval(EVERY_MS)) {
    const item = left.shift();
    if (item === undefined) break;
    made.push(`evt_${await aDelivery(world, well, { itemId: item.id, ago: 0 })}`);
    loop.nudge();
  }
  await vi.waitFor(() => expect(made.filter((id) => !arrived.has(id))).toEqual([]), IN_TIME);
}

/** The deliverer is let at all the animals with the stream beside them, until every one has been tried. */
async function run(): Promise<void> {
  const egress = { ...POLICY, lookup: world.names.lookup, limits: LIMITS };
  const deliverer = createDeliverer(world.services, egress, { onFree: () => loop.nudge() });
  const { log } = world.services;
  loop = startLoop({ name: 'deliver', run: () => deliverer.runOnce(), pollMs: 1_000, gapMs: 10, log });
  await makeDue(world);
  await stream(BESIDE);
  await vi.waitFor(async () => expect(await firstAttempts()).toHaveLength(cages.length * HERD), IN_TIME);
  await loop.stop();
  await deliverer.drain();
}

interface AttemptRow {
  project_id: string;
  http_status: number | null;
  error: string | null;
  response_bytes: number | null;
}

const firstAttempts = () =>
  world.sql<AttemptRow>(
    `select d.project_id, a.http_status, a.error, octet_length(a.response_text) as response_bytes
     from attempt a join delivery d on d.id = a.delivery_id where a.n = 1 and d.project_id <> ?`,
    [well.projectId],
  );

it('W4: every attempt is recorded with its cause', async () => {
  const attempts = Map.groupBy(await firstAttempts(), (attempt) => attempt.project_id);
  const recorded = cages.map(({ name, projectId }) => [
    name,
    ...new Set((attempts.get(projectId) ?? []).map(({ http_status, error }) => `${http_status} ${error}`)),
  ]);
  expect(recorded).toEqual(cages.map(({ name, animal }) => [name, `${animal.status} ${animal.error}`]));
  for (const { response_bytes } of [...attempts.values()].flat()) {
    expect(response_bytes ?? 0).toBeLessThanOrEqual(8_192);
  }
});

it('W4: whoever pours without end gets rid of no more than the buffers take, and no connection stays', async () => {
  for (const { name, receiver } of cages) {
    await expect.poll(() => receiver.sockets.size, { message: name }).toBe(0);
    expect(receiver.mostWritten(), name).toBeLessThan(IN_BUFFERS);
  }
});

it('W2: nothing reaches the internal address: not by a redirect, not by a name that was good when it was saved', () => {
  expect(world.names.asked.filter((name) => name === REBINDING).length).toBeGreaterThan(1);
  expect(internal.connections()).toBe(0);
});

it('WH5: the one that is well has its first attempts, whatever the others do', async () => {
  const rows = await world.sql('select distinct status, attempt, error from delivery where project_id = ?', [
    well.projectId,
  ]);
  expect(rows).toEqual([{ status: 'succeeded', attempt: 1, error: null }]);
  const [endpoint] = await world.sql('select failures, openings from webhook_endpoint where project_id = ?', [
    well.projectId,
  ]);
  expect(endpoint).toEqual({ failures: 0, openings: 0 });
});
