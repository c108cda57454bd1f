// Tests the circuit breaker over a real receiver: no attempt is used up while it is dead, and everything arrives later.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dispatched } from '../../../src/domain/webhooks/retry.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { type Leased, leaseDue } from '../../../src/delivery/lease.ts';
import { noteEndpoints } from '../../../src/delivery/health.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { deliveriesOf, sendAll } from './pending-deliveries.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let got: string[];
let answer: number;

beforeEach(async () => {
  await testEnv.sql('delete from attempt');
  await testEnv.sql('delete from delivery');
  got = [];
  answer = 503;
  const { port } = await httpReceiver((request, response) => {
    got.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(answer).end());
  });
  fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterEach(() => closeReceivers());

/** A response of 410. */
const GONE: Dispatched = {
  httpStatus: 410,
  error: 'http_4xx',
  retryAfter: null,
  responseHeaders: {},
  responseText: '',
  totalMs: 1,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  remoteAddress: null,
  signatures: 1,
};
const ROOM = { limit: 10, retries: 10, posting: 0, inFlight: new Map<string, number>() };

const due = (count: number, of: ProjectFixture = fixture) => deliveriesOf(testEnv, of, { count });
const deliver = () => sendAll(testEnv.services);

interface Endpoint {
  failures: number;
  openings: number;
  rest: number | null;
}
const endpoint = async (of: ProjectFixture = fixture) =>
  (
    await testEnv.sql<Endpoint>(
      `select failures, openings, extract(epoch from open_until - now())::float as rest from webhook_endpoint where project_id = ?`,
      [of.projectId],
    )
  )[0] as Endpoint;
const restOver = () =>
  testEnv.sql(`update webhook_endpoint set open_until = now() - make_interval(secs => 0.001) where project_id = ?`, [
    fixture.projectId,
  ]);
const attempts = async () =>
  Number((await testEnv.sql<{ n: string }>('select coalesce(sum(attempt), 0) as n from delivery'))[0]?.n);

describe('WH5: an endpoint that fails', () => {
  it('opens its circuit after ten failures in a row: its other deliveries wait, and use up no attempt', async () => {
    await due(30);
    const at = await deliver();
    expect(got.length).toBeGreaterThanOrEqual(10);
    expect(got.length).toBeLessThan(18);
    expect(await attempts()).toBe(got.length);
    expect((await endpoint()).openings).toBe(1);
    const [{ began, until } = { began: 0, until: 0 }] = await testEnv.sql<{ began: number; until: number }>(
      `select (select extract(epoch from min(started_at))::float from attempt) as began,
         (select extract(epoch from open_until)::float from webhook_endpoint where project_id = ?) as until`,
      [fixture.projectId],
    );
    expect(until - began).toBeGreaterThan(3.9);
    // The loop wakes when the pause is over, and not before. Then the schedule applies: half a minute.
    const late = (at?.getTime() ?? 0) / 1000 - until;
    expect(late).toBeGreaterThan(-0.1);
    expect(late).toBeLessThan(15);
  });

  it('gets one delivery when the pause is over; while that fails the pause grows', async () => {
    await due(30);
    await deliver();
    const before = got.length;
    await restOver();
    await deliver();
    expect(got.length).toBe(before + 1);
    const { openings, rest } = await endpoint();
    expect(openings).toBe(2);
    expect(rest).toBeGreaterThan(6);
  });

  it('gets everything once that one is delivered, in order, and its failures are reset', async () => {
    const ids = await due(30);
    await deliver();
    answer = 200;
    got = [];
    await restOver();
    await testEnv.sql(
      `update delivery set next_attempt_at = created_at - interval '2 hours' + make_interval(secs => seq)`,
    );
    await deliver();
    expect(new Set(got)).toEqual(new Set(ids.map((id) => `evt_${id}`)));
    expect(got).toHaveLength(30);
    expect(await endpoint()).toMatchObject({ failures: 0, openings: 0, rest: null });
  });

  it('an endpoint that responds in any way is alive: ten refusals of single deliveries open no circuit', async () => {
    answer = 422;
    await due(12);
    await deliver();
    expect(got).toHaveLength(12);
    expect(await endpoint()).toMatchObject({ failures: 0, rest: null });
  });

  it('gets the one probe from one of any number of workers', async () => {
    await due(30);
    await deliver();
    await restOver();
    const leased = await Promise.all(
      Array.from({ length: 6 }, () => testEnv.services.db.statement((em) => leaseDue(em, ROOM))),
    );
    expect(leased.flat()).toMatchObject([{ projectId: fixture.projectId, probe: true }]);
  });

  it('delays no other project', async () => {
    const { port } = await httpReceiver((request, response) => {
      got.push('other');
      request.resume().on('end', () => response.writeHead(200).end());
    });
    const other = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
    await due(30);
    await due(1, other);
    await deliver();
    expect(got).toContain('other');
    expect(await endpoint(other)).toMatchObject({ failures: 0 });
  });

  it('uses no more concurrency however often the loop is woken: a receiver that never answers takes two slots', async () => {
    const held: (() => void)[] = [];
    const { port } = await httpReceiver((request, response) => {
      got.push('held');
      request.resume().on('end', () => held.push(() => void response.writeHead(503).end()));
    });
    await testEnv.sql('update project set webhook_url = ? where id = ?', [
      `http://127.0.0.1:${port}/`,
      fixture.projectId,
    ]);
    await due(12);
    await testEnv.sql(
      'update webhook_endpoint set failures = 12, openings = 1, open_until = now() - make_interval(secs => 0.001) where project_id = ?',
      [fixture.projectId],
    );
    const deliverer = createDeliverer(testEnv.services, POLICY);
    for (let wakes = 0; wakes < 6; wakes += 1) {
      await restOver();
      while ((await deliverer.runOnce()).again);
    }
    await expect.poll(() => held.length).toBe(2);
    held.forEach((answer) => answer());
    await deliverer.drain();
    expect(got).toHaveLength(2);
  });

  it('is not judged by a former URL of the project', async () => {
    let answerOld = () => undefined as void;
    const { port } = await httpReceiver((request, response) => {
      request.resume().on('end', () => (answerOld = () => void response.writeHead(410).end()));
      got.push('old');
    });
    await testEnv.sql('update project set webhook_url = ? where id = ?', [
      `http://127.0.0.1:${port}/`,
      fixture.projectId,
    ]);
    await due(1);
    const deliverer = createDeliverer(testEnv.services, POLICY);
    await deliverer.runOnce();
    await expect.poll(() => got.length).toBe(1);
    const changes = {
      projectId: fixture.projectId,
      settingsVersion: 1,
      changes: { webhook_url: 'http://127.0.0.1:9999/' },
    };
    await changeSettings(testEnv.services, fixture.owner, changes);
    answerOld();
    await deliverer.drain();
    const [{ state } = { state: '' }] = await testEnv.sql<{ state: string }>(
      'select state from webhook_endpoint where project_id = ?',
      [fixture.projectId],
    );
    expect(state).toBe('active');
    // I5: a delivery that the old URL answers with 410 goes to the new one.
    const rows = await testEnv.sql('select status, attempt from delivery where project_id = ?', [fixture.projectId]);
    expect(rows).toEqual([{ status: 'pending', attempt: 1 }]);
    // The event log says the same.
    const told = await testEnv.sql<{ data: { status: string } }>(
      `select data from event where project_id = ? and type = 'delivery.changed'`,
      [fixture.projectId],
    );
    expect(told.map(({ data }) => data.status)).toEqual(['pending']);
  });

  it('WH3: keeps no delivery pending for a URL that responds 410 at the same moment', async () => {
    await due(2);
    const [first, second] = await testEnv.services.db.statement((em) => leaseDue(em, ROOM));
    await testEnv.sql(`update delivery set status = 'paused' where project_id = ?`, [fixture.projectId]);
    const gone = (leased: Leased) => ({ leased, outcome: GONE, next: { kind: 'pause', reason: 'gone' } as const });
    const ended = [gone({ ...(first as Leased), url: 'http://127.0.0.1:9999/' }), gone(second as Leased)];
    const { waiting } = await testEnv.services.db.write((tx) => noteEndpoints(tx, ended));
    expect([...waiting]).toEqual([]);
    const rows = await testEnv.sql('select distinct status from delivery where project_id = ?', [fixture.projectId]);
    expect(rows).toEqual([{ status: 'paused' }]);
  });

  it('is tried at once after a replay or after saving the URL', async () => {
    const [first] = await due(12);
    await testEnv.sql(`update delivery set status = 'dead', completed_at = now() where id = ?`, [first]);
    await due(12);
    await deliver();
    const before = got.length;
    await replayDelivery(testEnv.services, fixture.owner, first ?? '');
    expect((await endpoint()).rest).toBeLessThanOrEqual(0);
    await deliver();
    expect(got.length).toBe(before + 1);
    const [{ webhook_url } = { webhook_url: '' }] = await testEnv.sql<{ webhook_url: string }>(
      'select webhook_url from project where id = ?',
      [fixture.projectId],
    );
    const changes = { projectId: fixture.projectId, settingsVersion: 1, changes: { webhook_url } };
    await changeSettings(testEnv.services, fixture.owner, changes);
    expect(await endpoint()).toMatchObject({ failures: 0, openings: 0, rest: null });
  });
});
