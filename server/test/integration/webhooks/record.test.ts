// Tests recording attempts: one statement, in batches, fenced by the lease; the relay sequences their events (I6).
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENTS_APPENDED, EVENTS_SEQUENCED } from '../../../src/db/connection/channels.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { type FinishedAttempt, type Leased, leaseDue } from '../../../src/delivery/lease.ts';
import { createRecorder } from '../../../src/delivery/record.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { aDelivery, deliveriesOf, sendAll } from './pending-deliveries.ts';
import { withOpenTransaction } from '../support/blocking-transaction.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, items, review, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let url: string;
/** Responses are held until this resolves. */
let answering: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  answering = Promise.withResolvers<undefined>();
  const { port } = await httpReceiver((request, response) => {
    request.resume().on('end', () => void answering.promise.then(() => response.writeHead(204).end()));
  });
  url = `http://127.0.0.1:${port}/`;
  fixture = await createProjectFixture(testEnv.services, { webhook_url: url });
  await relayAll();
});
afterEach(async () => {
  answering.resolve(undefined);
  await closeReceivers();
});

const withoutSequenceNumber = async () =>
  (await testEnv.sql<{ n: number }>('select count(*)::int as n from event where seq is null'))[0]?.n ?? 0;

async function relayAll(): Promise<void> {
  while ((await withoutSequenceNumber()) > 0) await relayOnce(testEnv.services, testEnv.signals);
}

/** Sends what is due; `meanwhile` runs between the POSTs and the recording. */
async function deliver(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  const deliverer = createDeliverer(testEnv.services, POLICY);
  await deliverer.runOnce();
  await meanwhile();
  answering.resolve(undefined);
  await deliverer.drain();
}

const deliveryEvents = (id: string) =>
  testEnv.sql<{ seq: number | null; status: string }>(
    `select seq::int as seq, data ->> 'status' as status from event where type = 'delivery.changed' and data ->> 'delivery_id' = ? order by position`,
    [id],
  );
const rowOf = async (id: string) =>
  (await testEnv.sql('select status, attempt, http_status, error, claim_token from delivery where id = ?', [id]))[0];
const triesOf = (id: string) =>
  testEnv.sql('select n, error, http_status from attempt where delivery_id = ? order by n', [id]);
const headOf = async ({ projectId }: ProjectFixture) =>
  (await testEnv.sql<{ seq: number }>('select event_seq::int as seq from project where id = ?', [projectId]))[0]?.seq;

async function expectNoGaps(of: ProjectFixture): Promise<void> {
  const seqs = (await eventLogOf(testEnv, of.projectId)).map(({ seq }) => seq ?? -1).sort((one, other) => one - other);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(await headOf(of)).toBe(seqs.length);
}

const ROOM = { limit: 10, retries: 10, posting: 0, inFlight: new Map<string, number>() };
const WELL: FinishedAttempt['outcome'] = {
  ...{ httpStatus: 204, error: null, retryAfter: null, responseHeaders: {}, responseText: '', remoteAddress: null },
  ...{ totalMs: 1, timings: { dnsMs: 0, connectMs: 0, tlsMs: null, firstByteMs: 1 }, signatures: 1 },
};
const doneOf = (leased: Leased): FinishedAttempt => ({
  ...{ leased, outcome: WELL, next: { kind: 'succeeded' }, startedAt: new Date() },
});
const failureOf = (leased: Leased): FinishedAttempt => ({
  ...doneOf(leased),
  outcome: { ...WELL, httpStatus: 500, error: 'http_5xx' },
  next: { kind: 'dead' },
});
const recordAll = (ends: readonly FinishedAttempt[]) => Promise.all(ends.map(createRecorder(testEnv.services)));
const SUCCEEDED = { status: 'succeeded', attempt: 1, http_status: 204, error: null, claim_token: null };

describe('a successful attempt', () => {
  it('I6: is in the event log with the delivery; the relay gives its event the number and notifies the pages', async () => {
    const appended: string[] = [];
    const sequenced: string[] = [];
    await testEnv.signals.on(EVENTS_APPENDED, (payload) => void appended.push(payload));
    await testEnv.signals.on(EVENTS_SEQUENCED, (payload) => void sequenced.push(payload));
    const id = await aDelivery(testEnv, fixture);
    await relayAll();
    const head = (await headOf(fixture)) ?? 0;
    await deliver();
    expect(await rowOf(id)).toEqual(SUCCEEDED);
    expect(await triesOf(id)).toEqual([{ n: 1, error: null, http_status: 204 }]);
    expect(await deliveryEvents(id)).toEqual([{ seq: null, status: 'succeeded' }]);
    expect(await headOf(fixture)).toBe(head);
    await expect.poll(() => appended).toContain('delivery.changed');
    await relayAll();
    expect(await deliveryEvents(id)).toEqual([{ seq: head + 1, status: 'succeeded' }]);
    await expect.poll(() => sequenced).toContain(`${fixture.projectId}:${head + 1}`);
    await expectNoGaps(fixture);
  });

  it('I6: its event follows an earlier one of its item', async () => {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    const id = await aDelivery(testEnv, fixture, { itemId });
    expect(await withoutSequenceNumber()).toBeGreaterThan(0);
    await deliver();
    expect(await deliveryEvents(id)).toEqual([{ seq: null, status: 'succeeded' }]);
    await relayAll();
    const eventLog = await eventLogOf(testEnv, fixture.projectId);
    expect(eventLog.filter((event) => event.item_id === itemId).map(({ type }) => type)).toEqual([
      'item.queued',
      'delivery.changed',
    ]);
    await expectNoGaps(fixture);
  });

  it('does not wait for a lock on the project', async () => {
    const id = await aDelivery(testEnv, fixture);
    await relayAll();
    const hold = 'select 1 from project where id = ? for no key update';
    await withOpenTransaction(testEnv, [hold, [fixture.projectId]], () => deliver());
    expect(await rowOf(id)).toEqual(SUCCEEDED);
    await relayAll();
    await expectNoGaps(fixture);
  });

  it('WH5: does not wait for a failure of another project whose endpoint is locked', async () => {
    const other = await createProjectFixture(testEnv.services, { webhook_url: url });
    await aDelivery(testEnv, other);
    const ids = [await aDelivery(testEnv, fixture), await aDelivery(testEnv, fixture)];
    const leased = await testEnv.services.db.statement((em) => leaseDue(em, ROOM));
    const record = createRecorder(testEnv.services);
    const failures = leased.filter(({ id }) => !ids.includes(id)).map(failureOf);
    const successes = leased.filter(({ id }) => ids.includes(id)).map(doneOf);
    expect([failures.length, successes.length]).toEqual([1, 2]);
    const hold = 'select 1 from webhook_endpoint where project_id = ? for update';
    let failing: Promise<unknown> = Promise.resolve();
    await withOpenTransaction(testEnv, [hold, [other.projectId]], async () => {
      failing = Promise.all(failures.map(record));
      await Promise.all(successes.map(record));
    });
    await failing;
    for (const id of ids) expect(await rowOf(id)).toEqual(SUCCEEDED);
  });

  it('changes nothing when its lease belongs to another worker by then', async () => {
    const id = await aDelivery(testEnv, fixture);
    await relayAll();
    await deliver(() =>
      testEnv.sql('update delivery set claim_token = gen_random_uuid(), attempt = 2 where id = ?', [id]),
    );
    expect(await rowOf(id)).toMatchObject({ status: 'sending', attempt: 2, http_status: null });
    expect(await triesOf(id)).toEqual([{ n: 1, error: 'lease_lost', http_status: 204 }]);
    expect(await deliveryEvents(id)).toEqual([]);
  });

  it('I5: of two recordings of one delivery counts the one whose lease holds', async () => {
    const id = await aDelivery(testEnv, fixture);
    await relayAll();
    const ends: FinishedAttempt[] = [];
    for (const attempt of [1, 2]) {
      const [leased] = await testEnv.services.db.statement((em) => leaseDue(em, ROOM));
      if (leased !== undefined) ends.push(doneOf(leased));
      expect(ends).toHaveLength(attempt);
      await testEnv.sql(`update delivery set lease_until = now() - interval '1 s' where id = ?`, [id]);
    }
    await recordAll(ends);
    expect(await triesOf(id)).toEqual([
      { n: 1, error: 'lease_lost', http_status: 204 },
      { n: 2, error: null, http_status: 204 },
    ]);
    expect(await deliveryEvents(id)).toHaveLength(1);
    await relayAll();
    await expectNoGaps(fixture);
  });

  it('I5: is recorded once when another one that ended with it cannot be recorded', async () => {
    const id = await aDelivery(testEnv, fixture);
    const other = await aDelivery(testEnv, await createProjectFixture(testEnv.services, { webhook_url: url }));
    const leased = await testEnv.services.db.statement((em) => leaseDue(em, ROOM));
    const ends = leased.map((each) => (each.id === id ? doneOf(each) : failureOf(each)));
    const { db } = testEnv.services;
    const cut = { ...testEnv.services, db: { ...db, write: () => Promise.reject(new Error('cut off')) } };
    const tried = await Promise.allSettled(ends.map(createRecorder(cut)));
    const failed = ends.filter((_, index) => tried[index]?.status === 'rejected');
    expect(failed.map((done) => done.leased.id)).toEqual([other]);
    await recordAll(failed);
    expect(await triesOf(id)).toEqual([{ n: 1, error: null, http_status: 204 }]);
    expect(await deliveryEvents(id)).toHaveLength(1);
    expect(await triesOf(other)).toEqual([{ n: 1, error: 'http_5xx', http_status: 500 }]);
  });

  it('WH5: behind a failure of its project in the same batch, leaves the endpoint well', async () => {
    for (let n = 0; n < 2; n += 1) await aDelivery(testEnv, fixture);
    const leased = await testEnv.services.db.statement((em) => leaseDue(em, ROOM));
    const [first, second] = leased;
    if (first === undefined || second === undefined) throw new Error('Two were leased.');
    await recordAll([failureOf(first), doneOf(second)]);
    expect(
      await testEnv.sql('select failures from webhook_endpoint where project_id = ?', [fixture.projectId]),
    ).toEqual([{ failures: 0 }]);
  });

  const trouble = [
    ['had failed before', 'update webhook_endpoint set failures = 3 where project_id = ?'],
    ['has an alert', 'update webhook_endpoint set in_trouble = true where project_id = ?'],
  ] as const;
  it.each(trouble)('WH5: restores the health of an endpoint that %s', async (_, sql) => {
    const id = await aDelivery(testEnv, fixture);
    await relayAll();
    await deliver(() => testEnv.sql(sql, [fixture.projectId]));
    expect(await rowOf(id)).toEqual(SUCCEEDED);
    expect(await deliveryEvents(id)).toMatchObject([{ seq: null, status: 'succeeded' }]);
    expect(
      await testEnv.sql('select failures, in_trouble from webhook_endpoint where project_id = ?', [fixture.projectId]),
    ).toEqual([{ failures: 0, in_trouble: false }]);
  });

  it('I6: leaves no gap among many concurrent ones, with two workers and the relay', async () => {
    answering.resolve(undefined);
    const other = await createProjectFixture(testEnv.services, { webhook_url: url });
    for (const place of [fixture, other]) await deliveriesOf(testEnv, place, { count: 20 });
    let writing = true;
    const relaying = (async () => {
      while (writing) {
        await relayOnce(testEnv.services, testEnv.signals);
        await nextIteration();
      }
    })();
    const lives = [fixture, other].map(async (place) => {
      for (const { id } of await items(testEnv.services, place, 6)) {
        await review(testEnv.services, place.anna, { itemId: id, action: 'approve' });
      }
    });
    const sending = [sendAll(testEnv.services), sendAll(testEnv.services)];
    await Promise.all([...lives, ...sending]).finally(() => (writing = false));
    await relaying;
    await relayAll();
    await sendAll(testEnv.services);
    await relayAll();
    await expectNoGaps(fixture);
    await expectNoGaps(other);
    const left = await testEnv.sql(`select id from delivery where project_id in (?, ?) and status <> 'succeeded'`, [
      fixture.projectId,
      other.projectId,
    ]);
    expect(left).toEqual([]);
  });
});
