// WH6 over real receivers: what owners are told of their webhook, once, whoever delivers it.
import { describe, expect, it, vi } from 'vitest';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { ALERT_KEPT_MS, sweepOnce } from '../../src/worker/sweep.ts';
import { alertingSteps, useAlerting } from './alerting.ts';
import { holding, waiting } from './holding.ts';
import { POLICY, useServices } from './services.ts';

const world = useServices();
const now = useAlerting(world);
const { due, deliver, happens, unseenBy, facts, hourPasses, change, resume, told } = alertingSteps(world, now);

describe('WH6: what is told', () => {
  it('is the first delivery that is given up, with why, and the fact of it says so', async () => {
    const [id] = await due(1);
    await deliver();
    expect(await unseenBy(now.scene.owner)).toEqual([
      expect.objectContaining({
        ...{ kind: 'exhausted', delivery_id: id, attempts: 10, http_status: 503, error: 'http_5xx' },
        ...{ project_id: now.scene.projectId, project_name: 'Refunds' },
      }),
    ]);
    expect(await facts()).toEqual(['exhausted']);
  });

  it('counts the attempts since it was sent again', async () => {
    const [id] = await due(1, 29);
    await world.sql('update delivery set schedule_from = 20 where id = ?', [id]);
    await deliver();
    expect(await unseenBy(now.scene.owner)).toMatchObject([{ attempts: 10 }]);
  });

  it('is one exhaustion an hour, however many deliveries are given up, and though it worked in between', async () => {
    await due(3);
    await deliver();
    expect(await told()).toEqual(['exhausted']);
    await happens('recovered');
    await happens('exhausted');
    expect(await told()).toEqual(['exhausted', 'recovered']);
    await hourPasses();
    await happens('exhausted');
    expect(await told()).toEqual(['exhausted', 'recovered', 'exhausted']);
    expect(Number((await unseenBy(now.scene.owner))[0]?.dead)).toBe(5);
  });

  it('is nothing of what is tried again, nor of what arrives while all is well', async () => {
    await due(1, 3);
    await deliver();
    now.answer = () => 200;
    await due(2, 0);
    await deliver();
    expect(await told()).toEqual([]);
    expect(await facts()).toEqual([]);
  });

  it('WH3: is the pause, once, and that it works again after an owner resumed it, once', async () => {
    now.answer = () => 410;
    await due(4, 0);
    await deliver();
    expect(await told()).toEqual(['paused']);
    expect(await unseenBy(now.scene.owner)).toMatchObject([{ kind: 'paused', http_status: 410, attempts: 1 }]);
    now.answer = () => 200;
    await resume();
    expect(await told()).toEqual(['paused']);
    await deliver();
    await due(2, 0);
    await deliver();
    expect(await told()).toEqual(['paused', 'recovered']);
    expect(await facts()).toEqual(['paused', 'recovered']);
  });

  it('is not that it works, by what was on its way when it was paused', async () => {
    const [gone] = await due(2, 0);
    let arrive = (_: number) => undefined as void;
    now.answer = (id) => (id === `evt_${gone}` ? 410 : new Promise<number>((resolve) => (arrive = resolve)));
    const deliverer = createDeliverer(world.services, POLICY);
    await deliverer.runOnce();
    await expect.poll(told).toEqual(['paused']);
    arrive(200);
    await deliverer.drain();
    expect(await world.sql(`select id from delivery where status = 'succeeded'`)).toHaveLength(1);
    expect(await told()).toEqual(['paused']);
  });

  it.each([
    ['that it was given up', { answer: 503, attempt: 9, status: 'dead', kinds: ['exhausted'] }],
    ['not a pause', { answer: 410, attempt: 0, status: 'pending', kinds: [] }],
    ['not that it works', { answer: 204, attempt: 0, status: 'succeeded', kinds: [] }],
  ])('of a delivery to a URL that the project has no more: %s', async (_, { answer, attempt, status, kinds }) => {
    await world.sql('update webhook_endpoint set in_trouble = ? where project_id = ?', [
      answer === 204,
      now.scene.projectId,
    ]);
    let arrive = (_: number) => undefined as void;
    const asked = new Promise<void>((heard) => {
      now.answer = () => new Promise<number>((resolve) => ((arrive = resolve), heard()));
    });
    const [id] = await due(1, attempt);
    const deliverer = createDeliverer(world.services, POLICY);
    await deliverer.runOnce();
    await asked;
    await change('http://127.0.0.1:9999/');
    arrive(answer);
    await deliverer.drain();
    expect(await world.sql('select status from delivery where id = ?', [id])).toEqual([{ status }]);
    expect(await told()).toEqual(kinds);
  });

  it('is told once by any number of workers', async () => {
    await due(6);
    await deliver(3);
    expect(await world.sql(`select id from delivery where status = 'dead'`)).toHaveLength(6);
    expect(await told()).toEqual(['exhausted']);
    now.answer = () => 410;
    await due(6, 0);
    await deliver(3);
    expect(await told()).toEqual(['exhausted', 'paused']);
    now.answer = () => 200;
    await resume();
    await deliver(3);
    expect(await told()).toEqual(['exhausted', 'paused', 'recovered']);
  });

  it('is told by one of two workers that end their attempts at the same moment', async () => {
    const telling =
      'update webhook_endpoint set in_trouble = true, alerted_at = clock_timestamp() where project_id = ?';
    await due(1);
    await holding(world, [telling, [now.scene.projectId]], async (commit) => {
      const delivered = deliver();
      await waiting(world, 1);
      await commit();
      await delivered;
    });
    expect(await world.sql(`select id from delivery where status = 'dead'`)).toHaveLength(1);
    expect(await told()).toEqual([]);
  });

  it('is a line of the log, without the URL', async () => {
    const [warn, info] = [vi.spyOn(world.services.log, 'warn'), vi.spyOn(world.services.log, 'info')];
    await happens('paused');
    await resume();
    await happens('recovered');
    const lines = [...warn.mock.calls, ...info.mock.calls].filter(([line]) => 'alert' in (line as object));
    expect(lines.map(([line]) => line)).toEqual([
      expect.objectContaining({ project: now.scene.projectId, alert: 'paused', http_status: 410 }),
      expect.objectContaining({ project: now.scene.projectId, alert: 'recovered' }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('127.0.0.1');
    vi.restoreAllMocks();
  });

  it('is kept for ninety days', async () => {
    await happens('exhausted');
    const until = Date.now() + ALERT_KEPT_MS - world.services.clock.now().getTime();
    world.clock.pass(until - 60_000);
    await sweepOnce(world.services);
    expect(await told()).toHaveLength(1);
    world.clock.pass(120_000);
    await sweepOnce(world.services);
    expect(await told()).toEqual([]);
    world.clock.pass(-until - 60_000);
  });
});
