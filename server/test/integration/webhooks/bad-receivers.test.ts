// Tests the deliverer against every kind of bad receiver at once, beside a project whose receiver is healthy.
import { createServer } from 'node:http';
import { setInterval } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { type Loop, startLoop } from '../../../src/worker/loop.ts';
import { distrust, EXPIRED_CERTIFICATE } from '../../fixtures/receiver-certificate.ts';
import { closeReceivers, httpReceiver, listening, type Receiver } from '../../fixtures/receivers.ts';
import { type BadReceiver, badReceivers } from '../../fixtures/bad-receivers.ts';
import { aDelivery, makeDue } from './pending-deliveries.ts';
import { createProjectFixture, items, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

/** Loopback, except for the internal address. */
const POLICY = { allowCidrs: ['127.0.0.1/32'], allowHttp: true };
/** In place of 20 s and 5 s. */
const LIMITS = { deadlineMs: 10_000, connectMs: 4_000 };
const REBINDING = 'rebinding.test';
/** Deliveries of each bad receiver, due at the same moment. */
const DELIVERIES_EACH = 3;
/** The stream of the healthy one: this many deliveries, one every so many milliseconds. */
const HEALTHY_DELIVERIES = 80;
const EVERY_MS = 70;
/** Bytes that may be under way between two sockets when one end stops reading: buffers of the system, not ours. */
const SOCKET_BUFFER_BYTES = 12 * 1_024 * 1_024;

const WAIT_OPTIONS = { timeout: 90_000, interval: 50 };

interface OpenReceiver {
  name: string;
  badReceiver: BadReceiver;
  receiver: Receiver;
  projectId: string;
}

let internal: Receiver;
const openReceivers: OpenReceiver[] = [];
let healthy: ProjectFixture;
/** The deliveries of the stream that arrived. */
const arrived = new Set<string>();
let loop: Loop;

beforeAll(async () => {
  // Trusted, so that its age is the only fault.
  tls.setDefaultCACertificates([EXPIRED_CERTIFICATE]);
  testEnv.names.addresses.set('receiver.test', ['127.0.0.1']).set(REBINDING, ['127.0.0.1']);
  internal = await listening(
    createServer((_, response) => response.end('secret')),
    '127.0.0.2',
  );
  for (const [name, badReceiver] of Object.entries(badReceivers({ internal, rebinding: REBINDING }))) {
    const receiver = await badReceiver.open();
    const fixture = await createProjectFixture(testEnv.services, { webhook_url: badReceiver.url(receiver.port) });
    openReceivers.push({ name, badReceiver, receiver, projectId: fixture.projectId });
    for (const { id: itemId } of await items(testEnv.services, fixture, DELIVERIES_EACH)) {
      await aDelivery(testEnv, fixture, { itemId, ago: -3600 });
    }
  }
  const receiver = await httpReceiver((request, response) => {
    arrived.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.end());
  });
  healthy = await createProjectFixture(testEnv.services, { webhook_url: `http://receiver.test:${receiver.port}/` });
  // It was valid when it was saved; from here on it resolves to an internal address.
  testEnv.names.addresses.set(REBINDING, ['127.0.0.2']);
  await run();
}, 200_000);
afterAll(closeReceivers);
afterAll(distrust);

/** Creates deliveries for the healthy receiver, one after another, and waits until each has arrived. */
async function stream(count: number): Promise<void> {
  const left = await items(testEnv.services, healthy, count);
  const made: string[] = [];
  for await (const _ of setInterval(EVERY_MS)) {
    const item = left.shift();
    if (item === undefined) break;
    made.push(`evt_${await aDelivery(testEnv, healthy, { itemId: item.id, ago: 0 })}`);
    loop.wake();
  }
  await vi.waitFor(() => expect(made.filter((id) => !arrived.has(id))).toEqual([]), WAIT_OPTIONS);
}

/** Runs the deliverer against all bad receivers with the stream beside them, until every one has been tried. */
async function run(): Promise<void> {
  const egress = { ...POLICY, lookup: testEnv.names.lookup, limits: LIMITS };
  const deliverer = createDeliverer(testEnv.services, egress, { onFree: () => loop.wake() });
  const { log } = testEnv.services;
  loop = startLoop({ name: 'deliver', run: () => deliverer.runOnce(), pollMs: 1_000, gapMs: 10, log });
  await makeDue(testEnv);
  await stream(HEALTHY_DELIVERIES);
  await vi.waitFor(
    async () => expect(await firstAttempts()).toHaveLength(openReceivers.length * DELIVERIES_EACH),
    WAIT_OPTIONS,
  );
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
  testEnv.sql<AttemptRow>(
    `select d.project_id, a.http_status, a.error, octet_length(a.response_text) as response_bytes
     from attempt a join delivery d on d.id = a.delivery_id where a.n = 1 and d.project_id <> ?`,
    [healthy.projectId],
  );

it('W4: every attempt is recorded with its cause', async () => {
  const attempts = Map.groupBy(await firstAttempts(), (attempt) => attempt.project_id);
  const recorded = openReceivers.map(({ name, projectId }) => [
    name,
    ...new Set((attempts.get(projectId) ?? []).map(({ http_status, error }) => `${http_status} ${error}`)),
  ]);
  expect(recorded).toEqual(
    openReceivers.map(({ name, badReceiver }) => [name, `${badReceiver.status} ${badReceiver.error}`]),
  );
  for (const { response_bytes } of [...attempts.values()].flat()) {
    expect(response_bytes ?? 0).toBeLessThanOrEqual(8_192);
  }
});

it('W4: an endless response fills no more than the buffers, and no connection stays', async () => {
  for (const { name, receiver } of openReceivers) {
    await expect.poll(() => receiver.sockets.size, { message: name }).toBe(0);
    expect(receiver.mostWritten(), name).toBeLessThan(SOCKET_BUFFER_BYTES);
  }
});

it('W2: nothing reaches the internal address: not by a redirect, not by a name that was good when it was saved', () => {
  expect(testEnv.names.asked.filter((name) => name === REBINDING).length).toBeGreaterThan(1);
  expect(internal.connections()).toBe(0);
});

it('WH5: the healthy receiver gets its first attempts, next to all the others', async () => {
  const rows = await testEnv.sql('select distinct status, attempt, error from delivery where project_id = ?', [
    healthy.projectId,
  ]);
  expect(rows).toEqual([{ status: 'succeeded', attempt: 1, error: null }]);
  const [endpoint] = await testEnv.sql('select failures, openings from webhook_endpoint where project_id = ?', [
    healthy.projectId,
  ]);
  expect(endpoint).toEqual({ failures: 0, openings: 0 });
});
