// Tests webhook alerts over real receivers (WH6): raised once, by any worker.
import { describe, expect, it, vi } from 'vitest';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { createEndpoint, removeEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { listProjectAlerts } from '../../../src/usecases/webhooks/list-alerts.ts';
import { ALERT_RETENTION_MS, sweepOnce } from '../../../src/worker/sweep.ts';
import { alertSteps, useAlertFixture } from './alert-fixture.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { POLICY, useServices } from '../support/test-services.ts';
import { passTime } from '../support/deadline-clock.ts';

const testEnv = useServices();
const now = useAlertFixture(testEnv);
const { due, deliver, happens, unseenBy, alertEvents, passOneHour, change, resume, see, alertKinds } = alertSteps(
  testEnv,
  now,
);

describe('WH6: which alerts are raised', () => {
  it('the first exhausted delivery raises one, with its cause, and the event records it', async () => {
    const [id] = await due(1);
    await deliver();
    expect(await unseenBy(now.fixture.owner)).toEqual([
      expect.objectContaining({
        ...{ kind: 'exhausted', delivery_id: id, attempts: 10, http_status: 503, error: 'http_5xx' },
        ...{ project_id: now.fixture.projectId, project_name: 'Refunds', endpoint: null },
      }),
    ]);
    expect(await alertEvents()).toEqual(['exhausted']);
  });

  it('names the endpoint where the project has several, also once it was removed', async () => {
    const { owner, projectId } = now.fixture;
    const fields = { url: 'http://127.0.0.1:1024/', description: 'Mail', isEnabled: true };
    const endpoint = { projectId, events: ['item.decided' as const], ...fields };
    const { endpointId } = await createEndpoint(testEnv.services, owner, endpoint);
    const [id] = await due(1);
    await testEnv.sql('update delivery set endpoint_id = ? where id = ?', [endpointId, id]);
    await deliver();
    const named = { id: endpointId, name: 'Mail' };
    expect(await unseenBy(owner)).toMatchObject([{ kind: 'exhausted', endpoint: named }]);
    const inProject = () => listProjectAlerts(testEnv.services, owner, projectId);
    expect(await inProject()).toMatchObject([{ endpoint: named }]);
    await removeEndpoint(testEnv.services, owner, { projectId, endpointId });
    expect(await inProject()).toMatchObject([{ endpoint: { id: endpointId, name: null } }]);
  });

  it('a replayed delivery counts its attempts since the replay', async () => {
    const [id] = await due(1, 29);
    await testEnv.sql('update delivery set schedule_from = 20 where id = ?', [id]);
    await deliver();
    expect(await unseenBy(now.fixture.owner)).toMatchObject([{ attempts: 10 }]);
  });

  it('exhaustions raise one an hour, however many deliveries are exhausted, and though it worked in between', async () => {
    await due(3);
    await deliver();
    expect(await alertKinds()).toEqual(['exhausted']);
    await happens('recovered');
    await happens('exhausted');
    expect(await alertKinds()).toEqual(['exhausted', 'recovered']);
    await passOneHour();
    await happens('exhausted');
    expect(await alertKinds()).toEqual(['exhausted', 'recovered', 'exhausted']);
    expect(Number((await unseenBy(now.fixture.owner))[0]?.dead)).toBe(5);
  });

  it('a retry raises none, nor a success while all is well', async () => {
    await due(1, 3);
    await deliver();
    now.answer = () => 200;
    await due(2, 0);
    await deliver();
    expect(await alertKinds()).toEqual([]);
    expect(await alertEvents()).toEqual([]);
  });

  it('WH3: a pause raises one, and so does the recovery after an owner resumed it', async () => {
    now.answer = () => 410;
    await due(4, 0);
    await deliver();
    expect(await alertKinds()).toEqual(['paused']);
    expect(await unseenBy(now.fixture.owner)).toMatchObject([{ kind: 'paused', http_status: 410, attempts: 1 }]);
    now.answer = () => 200;
    await resume();
    expect(await alertKinds()).toEqual(['paused']);
    await deliver();
    await due(2, 0);
    await deliver();
    expect(await alertKinds()).toEqual(['paused', 'recovered']);
    expect(await alertEvents()).toEqual(['paused', 'recovered']);
  });

  it('an attempt that was under way during the pause raises no recovery', async () => {
    const [gone] = await due(2, 0);
    let arrive = (_: number) => undefined as void;
    now.answer = (id) => (id === `evt_${gone}` ? 410 : new Promise<number>((resolve) => (arrive = resolve)));
    const deliverer = createDeliverer(testEnv.services, POLICY);
    await deliverer.runOnce();
    await expect.poll(alertKinds).toEqual(['paused']);
    arrive(200);
    await deliverer.drain();
    expect(await testEnv.sql(`select id from delivery where status = 'succeeded'`)).toHaveLength(1);
    expect(await alertKinds()).toEqual(['paused']);
  });

  it.each([
    ['an exhaustion', { answer: 503, attempt: 9, status: 'dead', kinds: ['exhausted'] }],
    ['not a pause', { answer: 410, attempt: 0, status: 'pending', kinds: [] }],
    ['no recovery', { answer: 204, attempt: 0, status: 'succeeded', kinds: [] }],
  ])('a delivery to a former URL of the project raises: %s', async (_, { answer, attempt, status, kinds }) => {
    await testEnv.sql('update webhook_endpoint set in_trouble = ? where project_id = ?', [
      answer === 204,
      now.fixture.projectId,
    ]);
    let arrive = (_: number) => undefined as void;
    const asked = new Promise<void>((heard) => {
      now.answer = () => new Promise<number>((resolve) => ((arrive = resolve), heard()));
    });
    const [id] = await due(1, attempt);
    const deliverer = createDeliverer(testEnv.services, POLICY);
    await deliverer.runOnce();
    await asked;
    await change('http://127.0.0.1:9999/');
    arrive(answer);
    await deliverer.drain();
    expect(await testEnv.sql('select status from delivery where id = ?', [id])).toEqual([{ status }]);
    expect(await alertKinds()).toEqual(kinds);
  });

  it('any number of workers raise it once', async () => {
    await due(6);
    await deliver(3);
    expect(await testEnv.sql(`select id from delivery where status = 'dead'`)).toHaveLength(6);
    expect(await alertKinds()).toEqual(['exhausted']);
    now.answer = () => 410;
    await due(6, 0);
    await deliver(3);
    expect(await alertKinds()).toEqual(['exhausted', 'paused']);
    now.answer = () => 200;
    await resume();
    await deliver(3);
    expect(await alertKinds()).toEqual(['exhausted', 'paused', 'recovered']);
  });

  it('two workers whose attempts end at the same moment raise it once', async () => {
    const telling =
      'update webhook_endpoint set in_trouble = true, alerted_at = clock_timestamp() where project_id = ?';
    await due(1);
    await withOpenTransaction(testEnv, [telling, [now.fixture.projectId]], async (commit) => {
      const delivered = deliver();
      await waitForBlocked(testEnv, 1);
      await commit();
      await delivered;
    });
    expect(await testEnv.sql(`select id from delivery where status = 'dead'`)).toHaveLength(1);
    expect(await alertKinds()).toEqual([]);
  });

  it('each is logged, without the URL', async () => {
    const [warn, info] = [vi.spyOn(testEnv.services.log, 'warn'), vi.spyOn(testEnv.services.log, 'info')];
    await happens('paused');
    await resume();
    await happens('recovered');
    const lines = [...warn.mock.calls, ...info.mock.calls].filter(([line]) => 'alert' in (line as object));
    expect(lines.map(([line]) => line)).toEqual([
      expect.objectContaining({ project: now.fixture.projectId, alert: 'paused', http_status: 410 }),
      expect.objectContaining({ project: now.fixture.projectId, alert: 'recovered' }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('127.0.0.1');
    vi.restoreAllMocks();
  });

  it('each is retained for ninety days, and that owners have seen it', async () => {
    await happens('exhausted');
    for (const { id } of await unseenBy(now.fixture.owner)) await see(now.fixture.owner, id);
    const seen = () => testEnv.sql('select topic from alert_seen where project_id = ?', [now.fixture.projectId]);
    const until = Date.now() + ALERT_RETENTION_MS - testEnv.services.clock.now().getTime();
    await passTime(testEnv, until - 60_000);
    await sweepOnce(testEnv.services);
    expect([await alertKinds(), await seen()]).toEqual([['exhausted'], [{ topic: now.fixture.projectId }]]);
    await passTime(testEnv, 120_000);
    await sweepOnce(testEnv.services);
    expect([await alertKinds(), await seen()]).toEqual([[], []]);
    await passTime(testEnv, -until - 60_000);
  });
});
