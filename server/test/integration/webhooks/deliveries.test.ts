// Tests delivery rows: leased to one worker, fenced by the lease, in order per item, pending during a pause.
import { beforeEach, describe, expect, it } from 'vitest';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { type FinishedAttempt, leaseDue, type Leased, type LeaseCapacity } from '../../../src/delivery/lease.ts';
import { pauseEndpoint } from '../../../src/delivery/health.ts';
import { recordAll } from '../../../src/delivery/record.ts';
import { aDelivery, makeDue } from './pending-deliveries.ts';
import { withOpenTransaction } from '../support/blocking-transaction.ts';
import { anItem, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const WEBHOOK = { webhook_url: 'http://127.0.0.1:44999/hooks' };
const OUTCOME = {
  httpStatus: 200,
  error: null,
  retryAfter: null,
  responseHeaders: { 'content-type': 'text/plain' },
  responseText: 'ok',
  totalMs: 5,
  remoteAddress: '127.0.0.1',
  timings: { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 3 },
  signatures: 1,
};
const STARTED = new Date('2026-03-01T12:00:00Z');
let fixture: ProjectFixture;

beforeEach(async () => {
  await testEnv.sql('delete from attempt');
  await testEnv.sql('delete from delivery');
  fixture = await createProjectFixture(testEnv.services, WEBHOOK);
});

/** A delivery that is due, of an item of its own unless one is given. */
const due = (of: ProjectFixture = fixture, given: { itemId?: string; ago?: number } = {}) =>
  aDelivery(testEnv, of, { ago: 1, ...given });

const CAPACITY: LeaseCapacity = { limit: 100, retries: 100, posting: 0, inFlight: new Map() };
const lease = (capacity: Partial<LeaseCapacity> = {}) =>
  testEnv.services.db.statement((em) => leaseDue(em, { ...CAPACITY, ...capacity }));
/** Records the result of one attempt; returns whether its lease was still valid. */
async function finish(leased: Leased, how: Partial<FinishedAttempt>): Promise<boolean> {
  const end = { leased, outcome: OUTCOME, next: { kind: 'succeeded' as const }, startedAt: STARTED, ...how };
  const [recorded] = await testEnv.services.db.write((tx) => recordAll(tx, [end], STARTED));
  return recorded?.fate !== 'lost';
}
const done = (leased: Leased, kind: 'succeeded' | 'dead' = 'succeeded') => finish(leased, { next: { kind } });

interface Row {
  status: string;
  attempt: number;
  claim_token: string | null;
  error: string | null;
  next_attempt_at: Date | string | null;
}
const rowOf = async (id: string) =>
  (
    await testEnv.sql<Row>('select status, attempt, claim_token, error, next_attempt_at from delivery where id = ?', [
      id,
    ])
  )[0];
const attemptsOf = (id: string) =>
  testEnv.sql<{ n: number; error: string | null }>('select n, error from attempt where delivery_id = ? order by n', [
    id,
  ]);
const expire = (id: string) =>
  testEnv.sql(`update delivery set lease_until = now() - interval '1 second' where id = ?`, [id]);

function only(leased: Leased[]): Leased {
  expect(leased).toHaveLength(1);
  return leased[0] as Leased;
}

describe('a lease', () => {
  it('carries what sending needs, counts the attempt, and is granted once', async () => {
    const id = await due();
    const leased = only(await lease());
    expect(leased).toMatchObject({
      id,
      attempt: 1,
      url: WEBHOOK.webhook_url,
      webhookId: `evt_${id}`,
      body: '{}',
      previousError: null,
    });
    expect(await rowOf(id)).toMatchObject({ status: 'sending', attempt: 1, claim_token: leased.claimToken });
    expect(await lease()).toEqual([]);
  });

  it('is not granted before the due time', async () => {
    await due(fixture, { ago: -60 });
    expect(await lease()).toEqual([]);
  });

  it('of ten workers at once: each delivery goes to one of them', async () => {
    const fixtures = await Promise.all(
      Array.from({ length: 6 }, () => createProjectFixture(testEnv.services, WEBHOOK)),
    );
    const ids = await Promise.all(fixtures.map((of) => due(of)));
    const leases = await Promise.all(Array.from({ length: 10 }, () => lease({ limit: 3 })));
    const given = leases.flat().map(({ id }) => id);
    expect(new Set(given).size).toBe(given.length);
    while (given.length < ids.length) given.push(...(await lease()).map(({ id }) => id));
    expect(given.sort()).toEqual(ids.sort());
    for (const id of ids) expect((await rowOf(id))?.attempt).toBe(1);
  });

  it('a lease that a slow worker is about to take blocks no other', async () => {
    const others = await createProjectFixture(testEnv.services, WEBHOOK);
    const [older, newer] = [await due(fixture, { ago: 50 }), await due(others, { ago: 10 })];
    const taking: [string, unknown[]] = ['select id from delivery where id = ? for update', [older]];
    const quick = () =>
      testEnv.services.db.write(async (tx) => {
        await tx.em.execute(`set local lock_timeout = '1s'`);
        return leaseDue(tx.em, { ...CAPACITY, limit: 5 });
      });
    expect(only(await withOpenTransaction(testEnv, taking, quick)).id).toBe(newer);
  });

  it('beside another one of the same project gets the next delivery', async () => {
    const backlog: string[] = [];
    for (let ago = 40; ago > 20; ago -= 1) backlog.push(await due(fixture, { ago }));
    const taking: [string, unknown[]] = [
      'select id from delivery where project_id = ? order by next_attempt_at limit 8 for update',
      [fixture.projectId],
    ];
    const beside = await withOpenTransaction(testEnv, taking, () => lease());
    expect(beside.map(({ id }) => id).sort()).toEqual(backlog.slice(8, 16).sort());
  });

  it('expires: then another worker gets it, with the next number', async () => {
    const id = await due();
    await lease();
    await expire(id);
    expect(only(await lease())).toMatchObject({ id, attempt: 2 });
  });

  it('takes at most eight of a project and sixteen in all at a time, oldest due first, so that no backlog uses up the concurrency', async () => {
    const other = await createProjectFixture(testEnv.services, WEBHOOK);
    const backlog: string[] = [];
    for (let ago = 40; ago > 20; ago -= 1) backlog.push(await due(fixture, { ago }));
    const others = await due(other);
    expect((await lease()).map(({ id }) => id).sort()).toEqual([...backlog.slice(0, 8), others].sort());
    expect((await lease({ inFlight: new Map([[fixture.projectId, 15]]) })).map(({ id }) => id)).toEqual([backlog[8]]);
    expect(await lease({ inFlight: new Map([[fixture.projectId, 16]]) })).toEqual([]);
  });

  it('skips busy projects, and takes no more than requested', async () => {
    const other = await createProjectFixture(testEnv.services, WEBHOOK);
    const id = await due(other);
    await due(fixture);
    const busy = new Map([[fixture.projectId, 16]]);
    expect((await lease({ inFlight: busy })).map((leased) => leased.id)).toEqual([id]);
    await due(other);
    expect(await lease({ limit: 1 })).toHaveLength(1);
  });

  it('reserves room for first attempts: retries, however old, take no more than their share', async () => {
    const other = await createProjectFixture(testEnv.services, WEBHOOK);
    for (let n = 0; n < 4; n += 1) await due(fixture, { ago: 100 });
    await testEnv.sql('update delivery set attempt = 1 where project_id = ?', [fixture.projectId]);
    const first = await due(other);
    const leased = await lease({ limit: 3, retries: 1 });
    expect(leased.map(({ attempt }) => attempt).sort()).toEqual([1, 2]);
    expect(leased.map(({ id }) => id)).toContain(first);
  });

  it('I5: keeps the order of one item: the second waits until the first is delivered', async () => {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    const first = await due(fixture, { itemId, ago: 1 });
    const second = await due(fixture, { itemId, ago: 100 });
    const leased = only(await lease());
    expect(leased.id).toBe(first);
    expect(await lease()).toEqual([]);
    await done(leased);
    expect(only(await lease()).id).toBe(second);
  });

  it('is not delayed by a dead delivery', async () => {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    await due(fixture, { itemId });
    const second = await due(fixture, { itemId });
    await done(only(await lease()), 'dead');
    expect(only(await lease()).id).toBe(second);
  });

  it('is not granted while the project has no URL', async () => {
    await due();
    await testEnv.sql('update project set webhook_url = null where id = ?', [fixture.projectId]);
    expect(await lease()).toEqual([]);
  });
});

describe('the result of an attempt', () => {
  it('is written once, with the attempt', async () => {
    const id = await due();
    const leased = only(await lease());
    expect(await done(leased)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded', attempt: 1, claim_token: null, error: null });
    expect(await attemptsOf(id)).toEqual([{ n: 1, error: null }]);
    expect(await done(leased)).toBe(false);
  });

  it('as a retry is due at its time, and the next lease has the error', async () => {
    const id = await due();
    const leased = only(await lease());
    const outcome = { ...OUTCOME, httpStatus: 503, error: 'http_5xx' as const };
    await finish(leased, { outcome, next: { kind: 'retry', waitMs: 60_000 } });
    expect(await rowOf(id)).toMatchObject({ status: 'pending', error: 'http_5xx' });
    expect(await lease()).toEqual([]);
    await makeDue(testEnv, id);
    expect(only(await lease())).toMatchObject({ attempt: 2, previousError: 'http_5xx' });
  });

  it('I5: a worker that lost its lease changes nothing and leaves a `lease_lost`', async () => {
    const id = await due();
    const slow = only(await lease());
    await expire(id);
    const quick = only(await lease());
    expect(await done(slow, 'dead')).toBe(false);
    expect(await rowOf(id)).toMatchObject({ status: 'sending', attempt: 2, claim_token: quick.claimToken });
    expect(await attemptsOf(id)).toEqual([{ n: 1, error: 'lease_lost' }]);
    expect(await done(quick)).toBe(true);
    expect(await done(slow, 'dead')).toBe(false);
    expect(await rowOf(id)).toMatchObject({ status: 'succeeded' });
    expect(await attemptsOf(id)).toEqual([
      { n: 1, error: 'lease_lost' },
      { n: 2, error: null },
    ]);
  });
});

describe('WH3: a paused endpoint', () => {
  it('keeps everything pending until its owner saves the URL again', async () => {
    const [first, second] = [await due(), await due()];
    await testEnv.services.db.write((tx) => pauseEndpoint(tx, fixture.projectId));
    expect(await rowOf(first)).toMatchObject({ status: 'paused' });
    const late = await due();
    expect(await lease()).toEqual([]);
    const changes = { webhook_url: WEBHOOK.webhook_url };
    await changeSettings(testEnv.services, fixture.owner, {
      projectId: fixture.projectId,
      settingsVersion: 1,
      changes,
    });
    const given: string[] = [];
    for (let rounds = 0; rounds < 3; rounds += 1) given.push(...(await lease()).map(({ id }) => id));
    expect(given.sort()).toEqual([first, second, late].sort());
  });

  it('does not stop another project', async () => {
    const other = await createProjectFixture(testEnv.services, WEBHOOK);
    const id = await due(other);
    await testEnv.services.db.write((tx) => pauseEndpoint(tx, fixture.projectId));
    expect(only(await lease()).id).toBe(id);
  });
});
