// Several endpoints of a project (WH12): each gets its events at least once and in order, independently of the others.
import { describe, expect, it } from 'vitest';
import { HEADERS, verifyWebhook } from '@countersign/shared/webhook';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { leaseDue } from '../../../src/delivery/lease.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { readDelivery } from '../../../src/usecases/webhooks/read-delivery.ts';
import { listDeliveries } from '../../../src/usecases/webhooks/list-deliveries.ts';
import { replayDelivery, startReplay } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { testWebhook } from '../../../src/usecases/webhooks/test-webhook.ts';
import { cancelDeliveriesOnce } from '../../../src/worker/cancel-deliveries.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { replayOnce } from '../../../src/worker/replay.ts';
import { aReceiver, type Receiver, useEndpointFixture } from './endpoint-fixture.ts';
import { makeDue, sendAll } from './pending-deliveries.ts';
import { changeLogOf } from '../support/database-helpers.ts';
import { anItem, aDecision, review } from '../support/project-fixture.ts';
import { withOpenTransaction } from '../support/blocking-transaction.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
const { now, add, change, remove, relay, decided, endpoints, statuses, faults } = useEndpointFixture(testEnv);

const itemsOf = ({ got }: Receiver) => got.map(({ body }) => (JSON.parse(body) as { item_id: string }).item_id);

describe('WH12: an endpoint of a project', () => {
  it('gets every event that it chose, under the same ID as the others and signed with its own secret', async () => {
    const [second, third] = [await aReceiver(), await aReceiver()];
    const { secret } = await add(second);
    await add(third, { events: ['decision.revised'] });
    const itemId = await decided();
    await revise(testEnv.services, now.fixture.supervisor, {
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
    expect([now.main, second, third].map(eventsOf)).toEqual([
      ['item.decided', 'decision.revised'],
      ['item.decided'],
      ['decision.revised'],
    ]);
    expect(second.got[0]?.id).toBe(now.main.got[0]?.id);
    expect(third.got[0]?.id).toBe(now.main.got[1]?.id);
    const holds = ({ got }: Receiver) =>
      verifyWebhook(got[0]?.body ?? '', got[0]?.headers ?? {}, { secret, now: Date.now() / 1000 });
    expect([await holds(second), await holds(now.main)]).toEqual([true, false]);
    expect(await faults()).toEqual([]);
  });

  it('gets no event from before it was added, also when the relay runs later', async () => {
    const second = await aReceiver();
    const before = await anItem(testEnv.services, now.fixture);
    await review(testEnv.services, now.fixture.anna, { itemId: before.id, action: 'approve' });
    await add(second);
    const after = await decided();
    await sendAll(testEnv.services);
    expect([now.main, second].map(itemsOf)).toEqual([[before.id, after], [after]]);
    expect(await faults()).toEqual([]);
  });

  it('I5: gets too many events rather than too few while a transaction stays open that may commit an earlier one', async () => {
    const second = await aReceiver();
    const before = await anItem(testEnv.services, now.fixture);
    await review(testEnv.services, now.fixture.anna, { itemId: before.id, action: 'approve' });
    await withOpenTransaction(testEnv, ['lock table event in row exclusive mode', []], () => add(second));
    await relay();
    await sendAll(testEnv.services);
    expect(itemsOf(second)).toEqual([before.id]);
  });

  it('is sent to at once by the relay, like the one of the settings', async () => {
    const second = await aReceiver();
    await add(second);
    const deliverer = createDeliverer(testEnv.services, POLICY);
    const { id } = await anItem(testEnv.services, now.fixture);
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'approve' });
    await relayOnce(testEnv.services, testEnv.signals, { capacity: deliverer });
    await deliverer.drain();
    expect([now.main.got.length, second.got.length]).toEqual([1, 1]);
  });

  it('that is dead delays no other: the rest arrive while its circuit is open', async () => {
    const dead = await aReceiver(503);
    const { endpointId } = await add(dead);
    for (let n = 0; n < 12; n += 1) await decided();
    await sendAll(testEnv.services);
    expect(now.main.got).toHaveLength(12);
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
    const actions = (await changeLogOf(testEnv, now.fixture.projectId)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'webhook.resumed')).toHaveLength(1);
  });

  it('that is disabled gets no new deliveries, and what waits is sent once it is enabled', async () => {
    const second = await aReceiver();
    const { endpointId } = await add(second);
    await decided();
    await change(endpointId, { isEnabled: false });
    await decided();
    await sendAll(testEnv.services);
    expect([now.main.got.length, second.got.length]).toEqual([2, 0]);
    await change(endpointId, { isEnabled: true });
    await sendAll(testEnv.services);
    expect(second.got).toHaveLength(1);
    expect(await faults()).toEqual([]);
  });

  it('has its share of the permits: one that answers slowly leaves the others theirs', async () => {
    for (let n = 0; n < 4; n += 1) await add(await aReceiver());
    for (let n = 0; n < 17; n += 1) await decided();
    const all = { limit: 128, retries: 85, posting: 0, inFlight: new Map([[now.fixture.projectId, 12]]) };
    const leased = await testEnv.services.db.statement((em) => leaseDue(em, all));
    const counts = [...Map.groupBy(leased, ({ endpointId }) => endpointId)].map(([id, its]) => [id, its.length]);
    // Five endpoints have twelve each of the sixty-four of a project; one lease takes at most eight.
    expect(counts).toHaveLength(4);
    expect(counts.every(([id, n]) => id !== now.fixture.projectId && n === 8)).toBe(true);
  });

  it('that is removed gets nothing more, and what waited for it is cancelled', async () => {
    const second = await aReceiver();
    const { endpointId } = await add(second);
    for (let n = 0; n < 3; n += 1) await decided();
    await remove(endpointId);
    await sendAll(testEnv.services);
    await decided();
    while ((await cancelDeliveriesOnce(testEnv.services, 2)).again);
    expect([now.main.got.length, second.got.length]).toEqual([3, 0]);
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
      listDeliveries(services, now.fixture.supervisor, {
        projectId: now.fixture.projectId,
        endpoint,
        after: undefined,
        limit: 10,
      });
    const [its, others] = [await list(endpointId), await list(now.fixture.projectId)];
    expect([its.rows.length, others.rows.length, its.targets.get(endpointId)?.name]).toEqual([2, 2, 'Warehouse']);
    await replayDelivery(services, now.fixture.supervisor, its.rows[0]?.id ?? '');
    await sendAll(services);
    expect([now.main.got.length, second.got.length]).toEqual([2, 3]);
    const wanted = { projectId: now.fixture.projectId, endpointId, status: 'succeeded' as const, from: null, to: null };
    expect((await startReplay(services, now.fixture.supervisor, wanted)).total).toBe(2);
    while ((await replayOnce(services)).again);
    await sendAll(services);
    expect([now.main.got.length, second.got.length]).toEqual([2, 5]);
    expect((await readDelivery(services, now.fixture.supervisor, its.rows[0]?.id ?? '')).url).toBe(second.url);
  });

  it('has a secret and test events of its own', async () => {
    const second = await aReceiver();
    const of = { projectId: now.fixture.projectId, endpointId: (await add(second)).endpointId };
    const { secret } = await rotateWebhookSecret(testEnv.services, now.fixture.owner, of);
    const { ok } = await testWebhook(testEnv.services, now.fixture.owner, { ...of, url: undefined });
    expect([ok, now.main.got.length]).toEqual([true, 0]);
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
    const changed = (await changeLogOf(testEnv, now.fixture.projectId)).filter(
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
    const { projectId } = now.fixture;
    const fields = { url: 'http://127.0.0.1:1024/', description: 'Main', isEnabled: false };
    await change(projectId, { ...fields, settingsVersion: 1 });
    const row = `select webhook_url, webhook_events, description, is_enabled from project p join webhook_endpoint e on e.id = p.id where p.id = ?`;
    const [changed] = await testEnv.sql(row, [projectId]);
    expect(changed).toMatchObject({ webhook_url: 'http://127.0.0.1:1024/', description: 'Main', is_enabled: false });
    const withoutDecisions = change(projectId, { events: ['item.expired'], settingsVersion: 2 });
    await expect(withoutDecisions).rejects.toMatchObject({ code: 'validation_failed' });
    await remove(projectId);
    expect(await testEnv.sql(row, [projectId])).toMatchObject([{ webhook_url: null }]);
    expect(await endpoints()).toEqual([]);
  });

  it('ST1: of the settings keeps what another owner saved since the version that a change is based on', async () => {
    const { projectId } = now.fixture;
    const [theirs, mine] = ['http://127.0.0.1:1024/', 'http://127.0.0.1:1025/'];
    await change(projectId, { url: theirs, settingsVersion: 1 });
    const late = { url: mine, description: 'Mine', settingsVersion: 1 };
    await expect(change(projectId, late)).rejects.toMatchObject({ code: 'stale_settings' });
    const unversioned = change(projectId, { ...late, settingsVersion: undefined });
    await expect(unversioned).rejects.toMatchObject({
      ...{ code: 'validation_failed', extras: { errors: [{ pointer: '#/settings_version' }] } },
    });
    expect(await endpoints()).toMatchObject([{ url: theirs, description: '' }]);
    // What is no setting is refused as well.
    const described = change(projectId, { description: 'Mine', settingsVersion: 1 });
    await expect(described).rejects.toMatchObject({ code: 'stale_settings' });
    await change(projectId, { ...late, settingsVersion: 2 });
    expect(await endpoints()).toMatchObject([{ url: mine, description: 'Mine' }]);
  });
});
