// Tests replaying one delivery: the same id and bytes as the next attempt, with the whole schedule again.
import { describe, expect, it } from 'vitest';
import { SCHEDULE_SECONDS } from '../../../src/domain/webhooks/retry.ts';
import { presentDeliveryDetail } from '../../../src/presenters/delivery.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { readDelivery } from '../../../src/usecases/webhooks/read-delivery.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { sendDeliveryNow } from '../../../src/usecases/webhooks/send-delivery-now.ts';
import { pauseEndpoint } from '../../../src/delivery/health.ts';
import { relayAll, sumsOf } from '../analytics/rollup-checks.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { useReplayFixture } from './replay-fixture.ts';
import { aPerson } from '../support/project-fixture.ts';

const { testEnv, now, decided, deliver, statusOf, dead } = useReplayFixture();

const again = (id: string, who = now.fixture.supervisor) => replayDelivery(testEnv.services, who, id);

describe('I5: a replayed delivery', () => {
  it('is sent with the same id and bytes, as the next attempt, and appends an event', async () => {
    const id = await decided();
    await deliver();
    await again(id);
    const [told] = (await eventLogOf(testEnv, now.fixture.projectId)).slice(-1);
    expect(told).toMatchObject({ type: 'delivery.changed', data: { delivery_id: id, status: 'pending', attempt: 1 } });
    await deliver();
    expect(now.got.map(({ attempt }) => attempt)).toEqual(['1', '2']);
    expect(now.got[1]).toEqual({ ...now.got[0], attempt: '2' });
    const { delivery, attempts } = await readDelivery(testEnv.services, now.fixture.supervisor, id);
    expect(delivery).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(attempts.map(({ n, responseText }) => [n, responseText])).toEqual([
      [2, 'hello'],
      [1, 'hello'],
    ]);
  });

  it('I9: that had arrived is counted each time it arrives, and timed once', async () => {
    const id = await decided();
    await deliver();
    await again(id);
    await deliver();
    await relayAll(testEnv);
    const sums = (measure: Parameters<typeof sumsOf>[2]) => sumsOf(testEnv, now.fixture.projectId, measure);
    expect(await sums('delivery')).toEqual({ succeeded: 2 });
    expect(Object.values(await sums('deliver_time'))).toEqual([1]);
  });

  it('WH1: that was dead has its whole schedule again', async () => {
    const id = await dead();
    await again(id);
    now.answers = [500];
    await deliver();
    expect(await statusOf(id)).toBe('pending');
    const [row] = await testEnv.sql<{ wait: number }>(
      'select extract(epoch from next_attempt_at - now())::float as wait from delivery where id = ?',
      [id],
    );
    expect(row?.wait).toBeGreaterThan(0);
    expect(row?.wait).toBeLessThan((SCHEDULE_SECONDS[1] ?? 0) * 1.2 + 1);
  });

  it('WH8: is refused as under way while it is pending or being sent: nothing is sent twice', async () => {
    const id = await decided();
    await expect(again(id)).rejects.toMatchObject({ code: 'delivery_under_way', detail: /Send it now/ });
    await testEnv.sql(`update delivery set status = 'sending' where id = ?`, [id]);
    await expect(again(id)).rejects.toMatchObject({ code: 'delivery_under_way', detail: /being sent/ });
    await testEnv.sql(`update delivery set status = 'cancelled' where id = ?`, [id]);
    await expect(again(id)).rejects.toMatchObject({ code: 'validation_failed' });
    await testEnv.sql(`update delivery set status = 'pending' where id = ?`, [id]);
    await deliver();
    const both = await Promise.allSettled([again(id), again(id)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await deliver();
    expect(now.got).toHaveLength(2);
  });

  it('is refused without a URL, or with a paused endpoint', async () => {
    const id = await decided();
    await deliver();
    await testEnv.services.db.write((tx) => pauseEndpoint(tx, now.fixture.projectId));
    await expect(again(id)).rejects.toMatchObject({ code: 'validation_failed', detail: /paused/ });
    const changes = { webhook_url: null };
    await changeSettings(testEnv.services, now.fixture.owner, {
      projectId: now.fixture.projectId,
      settingsVersion: 1,
      changes,
    });
    await expect(again(id)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await statusOf(id)).toBe('succeeded');
    // No owner resumed it: removing the URL does not mean that the receiver is back.
    const lines = await changeLogOf(testEnv, now.fixture.projectId);
    expect(lines.map(({ action }) => action)).not.toContain('webhook.resumed');
    const shown = await readDelivery(testEnv.services, now.fixture.supervisor, id);
    expect(presentDeliveryDetail(shown).abilities).toEqual({ replay: false, send_now: false });
  });

  it('PM: is for supervisors and owners; others get 404', async () => {
    const id = await decided();
    await deliver();
    await expect(again(id, now.fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    const stranger = await aPerson(testEnv.services);
    await expect(again(id, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readDelivery(testEnv.services, now.fixture.anna, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(readDelivery(testEnv.services, stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    const unknown = testEnv.services.ids.uuid();
    await expect(readDelivery(testEnv.services, now.fixture.owner, unknown)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('WH8: a pending delivery sent now', () => {
  const sendNow = (id: string, who = now.fixture.supervisor) => sendDeliveryNow(testEnv.services, who, id);
  const told = async () =>
    (await eventLogOf(testEnv, now.fixture.projectId)).filter(({ type }) => type === 'delivery.changed').length;

  /** A delivery whose first attempt failed, so that its second is pending. */
  const waiting = async (): Promise<string> => {
    const id = await decided();
    now.answers = [500];
    await deliver();
    expect(await statusOf(id)).toBe('pending');
    await testEnv.sql(`update delivery set next_attempt_at = now() + interval '33 minutes' where id = ?`, [id]);
    return id;
  };

  it('makes its next attempt at once, also with an open circuit, and keeps the rest of its schedule', async () => {
    const id = await waiting();
    await testEnv.sql(`update webhook_endpoint set open_until = now() + interval '5 minutes'`);
    const shown = await readDelivery(testEnv.services, now.fixture.supervisor, id);
    expect(presentDeliveryDetail(shown).abilities).toEqual({ replay: false, send_now: true });
    await sendNow(id);
    now.answers = [500];
    await deliver();
    const { delivery } = await readDelivery(testEnv.services, now.fixture.supervisor, id);
    expect(delivery).toMatchObject({ status: 'pending', attempt: 2, scheduleFrom: 0 });
    await sendNow(id);
    await deliver();
    expect(now.got.map(({ attempt }) => attempt)).toEqual(['1', '2', '3']);
    expect(await statusOf(id)).toBe('succeeded');
  });

  it('is one attempt and one event, however often it is requested at once', async () => {
    const id = await waiting();
    const before = await told();
    await Promise.all([sendNow(id), sendNow(id), sendNow(id)]);
    expect(await told()).toBe(before + 1);
    await deliver();
    expect(now.got).toHaveLength(2);
  });

  it('is refused while it is being sent, and when it is no longer pending', async () => {
    const id = await waiting();
    await testEnv.sql(`update delivery set status = 'sending' where id = ?`, [id]);
    await expect(sendNow(id)).rejects.toMatchObject({ code: 'delivery_under_way', detail: /being sent/ });
    for (const status of ['succeeded', 'dead', 'paused', 'cancelled']) {
      await testEnv.sql('update delivery set status = ? where id = ?', [status, id]);
      await expect(sendNow(id), status).rejects.toMatchObject({ code: 'validation_failed' });
    }
  });

  it('PM: is for supervisors and owners', async () => {
    const id = await waiting();
    await expect(sendNow(id, now.fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(sendNow(id, await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
  });
});
