// Several endpoints of a project (WH12): each gets its events at least once and in order, independently of the others.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveredEvent } from '@countersign/shared/enums';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import { checksOf, reader, type Fault } from '../../../src/invariants/invariants.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { type FinishedAttempt, leaseDue, type Leased } from '../../../src/delivery/lease.ts';
import { createRecorder } from '../../../src/delivery/record.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { readDelivery } from '../../../src/usecases/webhooks/read-delivery.ts';
import { changeEndpoint, createEndpoint, removeEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { listEndpoints } from '../../../src/usecases/webhooks/read-webhook.ts';
import { replayDelivery, startReplay } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { testWebhook } from '../../../src/usecases/webhooks/test-webhook.ts';
import { cancelDeliveriesOnce } from '../../../src/worker/cancel-deliveries.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { replayOnce } from '../../../src/worker/replay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { makeDue, sendAll } from './pending-deliveries.ts';
import { changeLogOf } from '../support/database-helpers.ts';
import { anItem, aDecision, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

interface Receiver {
  url: string;
  status: number;
  got: { id: string; body: string; headers: Record<string, string | undefined> }[];
}

async function aReceiver(status = 200): Promise<Receiver> {
  const receiver: Receiver = { url: '', status, got: [] };
  const { port } = await httpReceiver((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const headers = request.headers as Record<string, string | undefined>;
      receiver.got.push({ id: String(headers['webhook-id']), body, headers });
      response.writeHead(receiver.status).end();
    });
  });
  receiver.url = `http://127.0.0.1:${port}/`;
  return receiver;
}

let main: Receiver;

beforeEach(async () => {
  await testEnv.sql('delete from attempt');
  await testEnv.sql('delete from delivery');
  main = await aReceiver();
  fixture = await createProjectFixture(testEnv.services, { webhook_url: main.url });
});
afterEach(() => closeReceivers());

const FIELDS = { description: '', events: ['item.decided' as DeliveredEvent], isEnabled: true };

const add = ({ url }: Pick<Receiver, 'url'>, fields: Partial<typeof FIELDS> = {}) =>
  createEndpoint(testEnv.services, fixture.owner, { projectId: fixture.projectId, ...FIELDS, ...fields, url });
const change = (endpointId: string, fields: Partial<typeof FIELDS & { url: string }>) =>
  changeEndpoint(testEnv.services, fixture.owner, { projectId: fixture.projectId, endpointId, ...fields });
const remove = (endpointId: string) =>
  removeEndpoint(testEnv.services, fixture.owner, { projectId: fixture.projectId, endpointId });
const endpoints = () => listEndpoints(testEnv.services, fixture.owner, fixture.projectId);
const relay = () => relayOnce(testEnv.services, testEnv.signals);

async function decided(): Promise<string> {
  const { id } = await anItem(testEnv.services, fixture);
  await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
  await relay();
  return id;
}

const statuses = () =>
  testEnv.sql<{ status: string }>(
    'select endpoint_id is null as main, status from delivery where project_id = ? order by endpoint_id nulls first, seq',
    [fixture.projectId],
  );

/** Of the project. */
async function faults(): Promise<Fault[]> {
  const found: Fault[] = [];
  for (const check of checksOf(testEnv.orm))
    await check.run(
      reader(testEnv.orm),
      (fault) => found.push(fault),
      () => undefined,
    );
  return found.filter(({ says }) => says.includes(fixture.projectId));
}

describe('WH12: an endpoint of a project', () => {
  it('gets every event that it chose, under the same ID as the others and signed with its own secret', async () => {
    const [second, third] = [await aReceiver(), await aReceiver()];
    const { secret } = await add(second);
    await add(third, { events: ['decision.revised'] });
    const itemId = await decided();
    await revise(testEnv.services, fixture.supervisor, {
      itemId,
      ...aDecision('reject'),
      action: 'reject',
      reason: 'Policy',
      revises: undefined,
    });
    await relay();
    await sendAll(testEnv.services);
    await sendAll(testEnv.services);
    const eventsOf = ({ got }: Receiver) => got.map(({ body }) => (JSON.parse(body) as { event: string }).event);
    expect([main, second, third].map(eventsOf)).toEqual([
      ['item.decided', 'decision.revised'],
      ['item.decided'],
      ['decision.revised'],
    ]);
    expect(second.got[0]?.id).toBe(main.got[0]?.id);
    expect(third.got[0]?.id).toBe(main.got[1]?.id);
    const holds = ({ got }: Receiver) =>
      verifyWebhook(got[0]?.body ?? '', got[0]?.headers ?? {}, { secret, now: Date.now() / 1000 });
    expect([await holds(second), await holds(main)]).toEqual([true, false]);
    expect(await faults()).toEqual([]);
  });

  it('is sent to at once by the relay, like the one of the settings', async () => {
    const second = await aReceiver();
    await add(second);
    const deliverer = createDeliverer(testEnv.services, POLICY);
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await relayOnce(testEnv.services, testEnv.signals, { capacity: deliverer });
    await deliverer.drain();
    expect([main.got.length, second.got.length]).toEqual([1, 1]);
  });

  it('that is dead delays no other: the rest arrive while its circuit is open', async () => {
    const dead = await aReceiver(503);
    const { endpointId } = await add(dead);
    for (let n = 0; n < 12; n += 1) await decided();
    await sendAll(testEnv.services);
    expect(main.got).toHaveLength(12);
    const [first, second] = await endpoints();
    expect([first?.status, first?.failures]).toEqual(['healthy', 0]);
    expect([second?.id, second?.status]).toEqual([endpointId, 'failing']);
    expect(second?.restsUntil).not.toBeNull();
    dead.status = 200;
    await testEnv.sql('update webhook_endpoint set open_until = now() where open_until is not null');
    await makeDue(testEnv);
    await sendAll(testEnv.services);
    await makeDue(testEnv);
    await sendAll(testEnv.services);
    expect(new Set(dead.got.map(({ id }) => id)).size).toBe(12);
  });

  it('that answers 410 is paused alone, and resumes when its URL is saved', async () => {
    const gone = await aReceiver(410);
    const { endpointId } = await add(gone);
    await decided();
    await sendAll(testEnv.services);
    expect(await statuses()).toEqual([
      { main: true, status: 'succeeded' },
      { main: false, status: 'paused' },
    ]);
    gone.status = 200;
    await change(endpointId, { url: gone.url });
    await sendAll(testEnv.services);
    expect((await statuses()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    const actions = (await changeLogOf(testEnv, fixture.projectId)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'webhook.resumed')).toHaveLength(1);
  });

  it('that is disabled gets no new deliveries, and what waits is sent once it is enabled', async () => {
    const second = await aReceiver();
    const { endpointId } = await add(second);
    await decided();
    await change(endpointId, { isEnabled: false });
    await decided();
    await sendAll(testEnv.services);
    expect([main.got.length, second.got.length]).toEqual([2, 0]);
    await change(endpointId, { isEnabled: true });
    await sendAll(testEnv.services);
    expect(second.got).toHaveLength(1);
    expect(await faults()).toEqual([]);
  });

  it('has its share of the permits: one that answers slowly leaves the others theirs', async () => {
    for (let n = 0; n < 4; n += 1) await add(await aReceiver());
    for (let n = 0; n < 17; n += 1) await decided();
    const all = { limit: 128, retries: 85, posting: 0, inFlight: new Map([[fixture.projectId, 12]]) };
    const leased = await testEnv.services.db.statement((em) => leaseDue(em, all));
    const counts = [...Map.groupBy(leased, ({ endpointId }) => endpointId)].map(([id, its]) => [id, its.length]);
    // Five endpoints have twelve each of the sixty-four of a project; one lease takes at most eight.
    expect(counts).toHaveLength(4);
    expect(counts.every(([id, n]) => id !== fixture.projectId && n === 8)).toBe(true);
  });

  it('that is removed gets nothing more, and what waited for it is cancelled', async () => {
    const second = await aReceiver();
    const { endpointId } = await add(second);
    for (let n = 0; n < 3; n += 1) await decided();
    await remove(endpointId);
    await sendAll(testEnv.services);
    await decided();
    while ((await cancelDeliveriesOnce(testEnv.services, 2)).again);
    expect([main.got.length, second.got.length]).toEqual([3, 0]);
    const waiting = (await statuses()).map(({ status }) => status);
    expect(waiting).toEqual(['succeeded', 'succeeded', 'succeeded', 'pending', ...Array<string>(3).fill('cancelled')]);
    expect(await testEnv.sql('select 1 from webhook_endpoint where id = ?', [endpointId])).toEqual([]);
    await expect(remove(endpointId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await faults()).toEqual([]);
  });

  it('WH1: can be sent to again alone, one delivery or all of it, and the log is filtered by it', async () => {
    const second = await aReceiver();
    const { endpointId } = await add(second, { description: 'Warehouse' });
    await decided();
    await decided();
    await sendAll(testEnv.services);
    const { services } = testEnv;
    const list = (endpoint: string) =>
      listDeliveries(services, fixture.supervisor, {
        projectId: fixture.projectId,
        endpoint,
        after: undefined,
        limit: 10,
      });
    const [its, others] = [await list(endpointId), await list(fixture.projectId)];
    expect([its.rows.length, others.rows.length, its.targets.get(endpointId)?.name]).toEqual([2, 2, 'Warehouse']);
    await replayDelivery(services, fixture.supervisor, its.rows[0]?.id ?? '');
    await sendAll(services);
    expect([main.got.length, second.got.length]).toEqual([2, 3]);
    const wanted = { projectId: fixture.projectId, endpointId, status: 'succeeded' as const, from: null, to: null };
    expect((await startReplay(services, fixture.supervisor, wanted)).total).toBe(2);
    while ((await replayOnce(services)).again);
    await sendAll(services);
    expect([main.got.length, second.got.length]).toEqual([2, 5]);
    expect((await readDelivery(services, fixture.supervisor, its.rows[0]?.id ?? '')).url).toBe(second.url);
  });

  it('has a secret and test events of its own', async () => {
    const second = await aReceiver();
    const of = { projectId: fixture.projectId, endpointId: (await add(second)).endpointId };
    const { secret } = await rotateWebhookSecret(testEnv.services, fixture.owner, of);
    const { ok } = await testWebhook(testEnv.services, fixture.owner, { ...of, url: undefined });
    expect([ok, main.got.length]).toEqual([true, 0]);
    const { body = '', headers = {} } = second.got[0] ?? {};
    expect(headers[HEADERS.signatureSecondary]).toBeDefined();
    const primary = { ...headers, [HEADERS.signature]: headers[HEADERS.signatureSecondary] };
    expect(await verifyWebhook(body, primary, { secret, now: Date.now() / 1000 })).toBe(true);
  });

  it('RL8: a project has at most ten, and the change log says who changed what', async () => {
    const { endpointId } = await add({ url: 'http://127.0.0.1:1024/' });
    for (let n = 0; n < 8; n += 1) await add({ url: 'http://127.0.0.1:1024/' });
    await expect(add({ url: 'http://127.0.0.1:1024/' })).rejects.toMatchObject({ code: 'validation_failed' });
    await change(endpointId, { description: 'Mail', events: ['item.expired', 'item.decided'] });
    await change(endpointId, { description: 'Mail' });
    const changed = (await changeLogOf(testEnv, fixture.projectId)).filter(
      ({ action }) => action === 'webhook.endpoint_changed',
    );
    expect(changed.map(({ before, after }) => [before, after])).toEqual([
      [
        { description: '', events: ['item.decided'] },
        { description: 'Mail', events: ['item.decided', 'item.expired'] },
      ],
    ]);
    await expect(add({ url: 'http://10.0.0.1/' })).rejects.toMatchObject({ code: 'webhook_url_refused' });
  });

  it('of the settings is changed and removed as their webhook, which older clients use', async () => {
    const { projectId } = fixture;
    await change(projectId, { url: 'http://127.0.0.1:1024/', description: 'Main', isEnabled: false });
    const row = `select webhook_url, webhook_events, description, is_enabled from project p join webhook_endpoint e on e.id = p.id where p.id = ?`;
    const [changed] = await testEnv.sql(row, [projectId]);
    expect(changed).toMatchObject({ webhook_url: 'http://127.0.0.1:1024/', description: 'Main', is_enabled: false });
    await expect(change(projectId, { events: ['item.expired'] })).rejects.toMatchObject({ code: 'validation_failed' });
    await remove(projectId);
    expect(await testEnv.sql(row, [projectId])).toMatchObject([{ webhook_url: null }]);
    expect(await endpoints()).toEqual([]);
  });
});

type Step = { do: 'event'; item: number } | { do: 'send' | 'crash'; arrives: boolean[] };

const STEP = fc.oneof(
  fc.record({ do: fc.constant('event' as const), item: fc.nat(2) }),
  fc.record({
    do: fc.constantFrom('send' as const, 'crash' as const),
    arrives: fc.array(fc.boolean(), { maxLength: 9 }),
  }),
);
/** The first attempts fail while those of the later event would arrive. */
const OVERTAKING: Step[] = [
  { do: 'event', item: 0 },
  { do: 'event', item: 0 },
  { do: 'send', arrives: [false, false, true, true, true] },
  { do: 'crash', arrives: [true, false] },
];
/** The property makes no requests. */
const NOWHERE = { webhook_url: 'http://127.0.0.1:1024/' };
const ROOM = { limit: 100, retries: 100, posting: 0, inFlight: new Map<string, number>() };
const OUTCOME: FinishedAttempt['outcome'] = {
  ...{ httpStatus: 200, error: null, retryAfter: null, responseHeaders: {}, responseText: '', totalMs: 1 },
  ...{ timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }, remoteAddress: null, signatures: 1 },
};

describe('WH12: when endpoints of a project fail at random and workers are killed', () => {
  it('I5: each of them receives each event that it chose at least once, those of an item in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 14 }), async (steps) => {
        fixture = await createProjectFixture(testEnv.services, NOWHERE);
        await add({ url: NOWHERE.webhook_url });
        await add({ url: NOWHERE.webhook_url }, { events: ['decision.revised'] });
        const got = await run(steps);
        const sent = await testEnv.sql<{ id: string; item_id: string; type: string }>(
          `select id, item_id, type from event where project_id = ? and type in ('item.finalized', 'decision.revised') order by seq`,
          [fixture.projectId],
        );
        const [, second, third] = await endpoints();
        for (const [endpointId, chosen] of [
          [fixture.projectId, ['item.finalized', 'decision.revised']],
          [second?.id ?? '', ['item.finalized']],
          [third?.id ?? '', ['decision.revised']],
        ] as const) {
          const wanted = sent.filter(({ type }) => chosen.some((each) => each === type));
          const first = [
            ...new Set(got.filter((each) => each.endpointId === endpointId).map((each) => each.webhookId)),
          ];
          const ofItems = Map.groupBy(wanted, ({ item_id }) => item_id);
          expect(first.toSorted()).toEqual(wanted.map(({ id }) => `evt_${id}`).toSorted());
          for (const [, its] of ofItems) {
            const ids = its.map(({ id }) => `evt_${id}`);
            expect(first.filter((id) => ids.includes(id))).toEqual(ids);
          }
        }
        expect(await faults()).toEqual([]);
      }),
      { numRuns: 6, examples: [[OVERTAKING]] },
    );
  });
});

/** Does the steps, then lets everything arrive. Returns what each endpoint received, in order. */
async function run(steps: readonly Step[]): Promise<Pick<Leased, 'endpointId' | 'webhookId'>[]> {
  const items = new Map<number, { id: string; action: 'approve' | 'reject' }>();
  const got: Pick<Leased, 'endpointId' | 'webhookId'>[] = [];
  const record = createRecorder(testEnv.services);
  const lease = () => testEnv.services.db.statement((em) => leaseDue(em, ROOM));
  for (const step of steps) {
    if (step.do === 'event') {
      items.set(step.item, await happened(items.get(step.item)));
      await relay();
      continue;
    }
    for (const [index, leased] of (await lease()).entries()) {
      const arrives = step.arrives[index] ?? false;
      if (arrives) got.push(leased);
      // A worker that is killed records nothing, whether its attempt arrived or not.
      if (step.do === 'send') await record(ended(leased, arrives));
    }
    await testEnv.sql(`update delivery set lease_until = now() - interval '1 s' where status = 'sending'`);
    await makeDue(testEnv);
  }
  for (;;) {
    await testEnv.sql(`update webhook_endpoint set open_until = null where open_until is not null`);
    const leased = await lease();
    if (leased.length === 0) return got;
    got.push(...leased);
    await Promise.all(leased.map((each) => record(ended(each, true))));
  }
}

/** The item is decided, or its decision replaced. */
async function happened(item: { id: string; action: 'approve' | 'reject' } | undefined) {
  if (item === undefined) {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    return { id, action: 'approve' as const };
  }
  const action = item.action === 'approve' ? 'reject' : 'approve';
  await revise(testEnv.services, fixture.supervisor, {
    itemId: item.id,
    ...aDecision(action),
    action,
    reason: 'Policy',
    revises: undefined,
  });
  return { id: item.id, action } as const;
}

function ended(leased: Leased, arrived: boolean): FinishedAttempt {
  const at = new Date(Date.now() + 1000);
  return arrived
    ? { leased, outcome: OUTCOME, next: { kind: 'succeeded' }, startedAt: new Date() }
    : {
        leased,
        outcome: { ...OUTCOME, httpStatus: 503, error: 'http_5xx' },
        next: { kind: 'retry', at },
        startedAt: new Date(),
      };
}
