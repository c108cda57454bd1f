// Tests the deliverer over a real receiver: due deliveries are sent signed, and their results recorded and published.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { SCHEDULE_SECONDS } from '../../../src/domain/webhooks/retry.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { deliveriesOf, makeDue } from './pending-deliveries.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

/** POSTs to one project at a time. */
const PROJECT_CONCURRENCY = 16;
/** More than that. */
const DUE = 20;
const TOTAL_CONCURRENCY = 128;

const HOUR = 3_600_000;
const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});
afterEach(async () => {
  vi.useRealTimers();
  await closeReceivers();
});

interface Got {
  headers: Record<string, string | undefined>;
  body: string;
}

/** A receiver at the project’s URL that responds with these statuses in turn, and 200 from then on. */
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
  await testEnv.sql('update project set webhook_url = ? where id = ?', [
    `http://127.0.0.1:${port}/`,
    fixture.projectId,
  ]);
  return got;
}

/** A decided item with its delivery. */
async function decided(): Promise<string> {
  const { id } = await anItem(testEnv.services, fixture);
  await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
  await relayOnce(testEnv.services, testEnv.signals);
  const [delivery] = await testEnv.sql<{ id: string }>('select id from delivery where item_id = ?', [id]);
  return delivery?.id ?? '';
}

const rowOf = async (id: string) =>
  (
    await testEnv.sql<object>(
      'select status, attempt, error, http_status, body, webhook_id from delivery where id = ?',
      [id],
    )
  )[0];

/** Sends what is due and waits for it. */
async function deliver(services = testEnv.services) {
  const deliverer = createDeliverer(services, POLICY);
  const next = await deliverer.runOnce();
  await deliverer.drain();
  return next;
}

describe('the deliverer', () => {
  it('I5, I7: sends the stored bytes, signed, with the same id on every attempt, and appends an event', async () => {
    const { secret } = await rotateWebhookSecret(testEnv.services, fixture.owner, { projectId: fixture.projectId });
    const got = await receiving(503);
    const id = await decided();
    expect(await deliver()).toEqual({ again: true });
    expect(await rowOf(id)).toMatchObject({ status: 'pending', attempt: 1, error: 'http_5xx', http_status: 503 });
    await makeDue(testEnv, id);
    await deliver();
    const { body, webhook_id } = (await rowOf(id)) as { body: string; webhook_id: string };
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', attempt: 2, error: null, http_status: 200 });
    expect(got.map(({ headers }) => headers[HEADERS.attempt])).toEqual(['1', '2']);
    for (const { headers, body: bytes } of got) {
      expect(bytes).toBe(body);
      expect(headers[HEADERS.id]).toBe(webhook_id);
      expect(await verifyWebhook(bytes, headers, { secret, now: Date.now() / 1000 })).toBe(true);
    }
    const logEvents = (await eventLogOf(testEnv, fixture.projectId)).filter(({ type }) => type === 'delivery.changed');
    expect(logEvents.map(({ data }) => [data.status, data.attempt, data.http_status])).toEqual([
      ['pending', 1, 503],
      ['succeeded', 2, 200],
    ]);
  });

  it('I5: uses up no attempts while the HTTP client cannot be loaded, and then sends', async () => {
    const got = await receiving();
    const first = await decided();
    const load = vi.fn(async () => ({
      dispatchWebhook: (await import('../../../src/delivery/dispatch.ts')).dispatchWebhook,
      connections: new (await import('../../../src/delivery/connections.ts')).ConnectionPool(),
    }));
    load.mockRejectedValueOnce(new Error('EMFILE')).mockRejectedValueOnce(new Error('EMFILE'));
    const deliverer = createDeliverer(testEnv.services, POLICY, { load });
    await deliverer.runOnce();
    await deliverer.settled();
    expect(await rowOf(first)).toMatchObject({ status: 'sending', attempt: 1 });
    await testEnv.sql('delete from delivery where id = ?', [first]);
    const second = await decided();
    await expect(deliverer.runOnce()).rejects.toThrow('EMFILE');
    expect(await rowOf(second)).toMatchObject({ status: 'pending', attempt: 0 });
    await deliverer.runOnce();
    await deliverer.drain();
    expect(await rowOf(second)).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(got).toHaveLength(1);
  });

  it('I5: records an attempt whose secret cannot be decrypted, and ends with the schedule', async () => {
    const got = await receiving();
    const [{ current = '' } = {}] = await testEnv.sql<{ current: string }>(
      'select current from webhook_endpoint where id = ?',
      [fixture.projectId],
    );
    await testEnv.sql(`update webhook_endpoint set current = 'absent.key' where id = ?`, [fixture.projectId]);
    const id = await decided();
    for (const attempt of SCHEDULE_SECONDS.keys()) {
      await makeDue(testEnv, id);
      await deliver();
      const status = attempt + 1 < SCHEDULE_SECONDS.length ? 'pending' : 'dead';
      expect(await rowOf(id)).toMatchObject({ status, attempt: attempt + 1, error: 'internal', http_status: null });
    }
    const attempts = await testEnv.sql('select error from attempt where delivery_id = ?', [id]);
    expect(attempts).toEqual(SCHEDULE_SECONDS.map(() => ({ error: 'internal' })));
    const health = await testEnv.sql('select failures from webhook_endpoint where id = ?', [fixture.projectId]);
    expect([health, got]).toEqual([[{ failures: 0 }], []]);
    await testEnv.sql('update webhook_endpoint set current = ? where id = ?', [current, fixture.projectId]);
  });

  it('signs with both secrets for as long as was chosen, although nothing stores the promotion meanwhile', async () => {
    await testEnv.sql('update webhook_endpoint set revealed = true, next = null where project_id = ?', [
      fixture.projectId,
    ]);
    await rotateWebhookSecret(testEnv.services, fixture.owner, { projectId: fixture.projectId, overlapHours: 2 });
    const got = await receiving();
    for (const hours of [1, 3, 5]) {
      await decided();
      testEnv.clock.pass(hours * HOUR);
      await deliver();
      testEnv.clock.pass(-hours * HOUR);
    }
    expect(got.map(({ headers }) => HEADERS.signatureSecondary in headers)).toEqual([true, true, false]);
  });

  it('WH1: says when the next one is due: about five seconds after the first failure', async () => {
    await receiving(500);
    const id = await decided();
    await deliver();
    const { at } = await deliver();
    const [{ tried } = { tried: 0 }] = await testEnv.sql<{ tried: number }>(
      'select extract(epoch from started_at)::float * 1000 as tried from attempt where delivery_id = ?',
      [id],
    );
    const after = (at?.getTime() ?? 0) - tried;
    expect(after).toBeGreaterThan(3_990);
    // The next step of the schedule is half a minute.
    expect(after).toBeLessThan(20_000);
    await makeDue(testEnv, id);
    await deliver();
  });

  it.each([-3, 3])(
    'WH1: waits as long when its clock is %i h off, and the event has the time of the row',
    async (hours) => {
      await receiving(503);
      const id = await decided();
      await deliver({ ...testEnv.services, clock: { now: () => new Date(Date.now() + hours * HOUR) } });
      const [row] = await testEnv.sql<{ at: Date | string; soon: boolean }>(
        `select next_attempt_at as at, next_attempt_at between now() - interval '1 min' and now() + interval '1 min' as soon
       from delivery where id = ?`,
        [id],
      );
      expect(row?.soon).toBe(true);
      const last = (await eventLogOf(testEnv, fixture.projectId)).findLast(({ type }) => type === 'delivery.changed');
      expect(last?.data).toMatchObject({ delivery_id: id, next_attempt_at: new Date(row?.at ?? 0).toISOString() });
      await makeDue(testEnv, id);
      await deliver();
    },
  );

  it('WH3: 410 pauses the endpoint: pending deliveries stay', async () => {
    const got = await receiving(410);
    const [gone, waiting] = [await decided(), await decided()];
    await testEnv.sql(`update delivery set next_attempt_at = now() + interval '1 minute' where id = ?`, [waiting]);
    await deliver();
    await makeDue(testEnv, waiting);
    await deliver();
    expect(await rowOf(gone)).toMatchObject({ status: 'paused', http_status: 410 });
    expect(await rowOf(waiting)).toMatchObject({ status: 'paused', attempt: 0 });
    expect(got).toHaveLength(1);
  });

  it('WH5: a failed attempt holds its concurrency slot until it is recorded: a slow database costs no more attempts', async () => {
    fixture = await createProjectFixture(testEnv.services);
    const got = await receiving(...Array<number>(DUE).fill(500));
    for (let n = 0; n < DUE; n += 1) await decided();
    const { promise: written, resolve: write } = Promise.withResolvers<undefined>();
    const { db } = testEnv.services;
    const slow: typeof db = { ...db, write: (work) => written.then(() => db.write(work)) };
    let ended = 0;
    const egress = { ...POLICY, onAttempt: () => (ended += 1) };
    const deliverer = createDeliverer({ ...testEnv.services, db: slow }, egress);
    for (let leases = 0; leases < 2; leases += 1) await deliverer.runOnce();
    await expect.poll(() => ended).toBe(PROJECT_CONCURRENCY);
    await deliverer.runOnce();
    const sending = `select id from delivery where project_id = ? and status = 'sending'`;
    expect(await testEnv.sql(sending, [fixture.projectId])).toHaveLength(PROJECT_CONCURRENCY);
    write(undefined);
    await deliverer.drain();
    expect(got).toHaveLength(PROJECT_CONCURRENCY);
  });

  it('WH5: a receiver that never answers delays no other, however much is due to it', async () => {
    const over = Promise.withResolvers<undefined>();
    let held = 0;
    const { port } = await httpReceiver((_, response) => {
      held += 1;
      void over.promise.then(() => {
        held -= 1;
        response.end();
      });
    });
    const dead = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
    await deliveriesOf(testEnv, dead, { count: 3 * PROJECT_CONCURRENCY });
    fixture = await createProjectFixture(testEnv.services);
    const got = await receiving();
    await deliveriesOf(testEnv, fixture, { count: 3 });
    const deliverer = createDeliverer(testEnv.services, POLICY);
    while ((await deliverer.runOnce()).again);
    await expect.poll(() => got).toHaveLength(3);
    await expect.poll(() => held).toBe(PROJECT_CONCURRENCY);
    over.resolve(undefined);
    await deliverer.drain();
  });

  it('polls again shortly when the concurrency limit is reached', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const over = Promise.withResolvers<undefined>();
    const { port } = await httpReceiver((_, response) => void over.promise.then(() => response.end()));
    for (let n = 0; n < TOTAL_CONCURRENCY / PROJECT_CONCURRENCY + 1; n += 1) {
      const of = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
      await deliveriesOf(testEnv, of, { count: PROJECT_CONCURRENCY });
    }
    const deliverer = createDeliverer(testEnv.services, POLICY);
    const sending = async () =>
      (await testEnv.sql<{ n: number }>(`select count(*)::int as n from delivery where status = 'sending'`))[0]?.n;
    // Deliveries left by other tests go to closed receivers, and free their slots again.
    await expect
      .poll(async () => {
        await deliverer.runOnce();
        return sending();
      })
      .toBe(TOTAL_CONCURRENCY);
    expect(await deliverer.runOnce()).toEqual({ at: expect.any(Date) as Date });
    over.resolve(undefined);
    await deliverer.drain();
  });
});
