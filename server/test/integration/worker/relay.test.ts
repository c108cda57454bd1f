// Tests the relay: sequence numbers without gaps, and one delivery per final decision, with its bytes (I5, I6, I7).
import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { itemDecided } from '@countersign/shared/schemas/parts/webhook-events';
import { EVENTS_SEQUENCED } from '../../../src/db/connection/channels.ts';
import type { Signals } from '../../../src/db/connection/signals.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { eventsOf, eventLogOf, rowOf } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, items, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const WEBHOOK = { webhook_url: 'http://127.0.0.1:44999/hooks' };
const fixture = useProjectFixture(testEnv, WEBHOOK);

/** Relays until nothing is left. */
async function relayAll(signals: Signals = testEnv.signals): Promise<void> {
  for (let left = 1; left > 0;) {
    await relayOnce(testEnv.services, signals);
    left = (await testEnv.sql<{ n: number }>('select count(*)::int as n from event where seq is null'))[0]?.n ?? 0;
  }
}

async function expectNoGaps(projectId: string): Promise<void> {
  const eventLog = await eventLogOf(testEnv, projectId);
  const seqs = eventLog.map(({ seq }) => seq ?? -1).sort((one, other) => one - other);
  expect(seqs).toEqual(eventLog.map((_, index) => index + 1));
  const [project] = await testEnv.sql<{ seq: number }>('select event_seq::int as seq from project where id = ?', [
    projectId,
  ]);
  expect(project?.seq).toBe(eventLog.length);
}

interface DeliveryRow {
  webhook_id: string;
  body: string;
  status: string;
  attempt: number;
  seq: number;
}
const deliveriesOf = (itemId: string) =>
  testEnv.sql<DeliveryRow>(
    'select webhook_id, body, status, attempt, seq::int as seq from delivery where item_id = ?',
    [itemId],
  );

describe('sequence numbers', () => {
  it('I6: count from 1 without gaps, per project, while many write at once and the relay runs', async () => {
    const other = await createProjectFixture(testEnv.services);
    let writing = true;
    const relaying = (async () => {
      while (writing) {
        await relayOnce(testEnv.services, testEnv.signals);
        // As the loop of a process does: between two runs others run.
        await nextIteration();
      }
    })();
    const lives = [fixture, other, fixture, other].map(async (place) => {
      for (const { id } of await items(testEnv.services, place, 6)) {
        await review(testEnv.services, place.anna, { itemId: id, action: 'approve' });
      }
    });
    await Promise.all(lives).finally(() => (writing = false));
    await relaying;
    await relayAll();
    await expectNoGaps(fixture.projectId);
    await expectNoGaps(other.projectId);
  });

  it('keep the order of the events of an item', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'escalate' });
    await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'return' });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await relayAll();
    const eventLog = await eventsOf(testEnv, id);
    const inOrder = eventLog.toSorted((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
    const versions = inOrder.map(({ data }) => Number(data.version));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(inOrder.map(({ type }) => type)).toEqual(eventLog.map(({ type }) => type));
    expect(versions.at(-1)).toBe((await rowOf(testEnv, id)).version);
  });

  it('are assigned to more than one batch, one after another', async () => {
    await testEnv.services.db.write(async (tx) => {
      for (let count = 0; count < 1200; count += 1) {
        const of = { project_id: fixture.projectId, actor: { kind: 'system' as const, id: null, name: 'x' } };
        tx.appendEvent({ type: 'project.changed', ...of, settings_version: 1, changed: ['keys'] });
      }
    });
    expect(await relayOnce(testEnv.services, testEnv.signals)).toEqual({ again: true });
    await relayAll();
    expect(await relayOnce(testEnv.services, testEnv.signals)).toEqual({ again: false });
    await expectNoGaps(fixture.projectId);
  });

  it('notify once per project with the first new sequence number', async () => {
    await relayAll();
    const from = (await eventLogOf(testEnv, fixture.projectId)).length + 1;
    const { promise: notified, resolve } = Promise.withResolvers<string>();
    await testEnv.signals.on(EVENTS_SEQUENCED, resolve);
    await items(testEnv.services, fixture, 3);
    await relayOnce(testEnv.services, testEnv.signals);
    expect(await notified).toBe(`${fixture.projectId}:${from}`);
  });
});

describe('two relays', () => {
  it('elect one leader, and the other takes over when it is gone', async () => {
    const other = await testEnv.another();
    await anItem(testEnv.services, fixture);
    expect(await relayOnce(testEnv.services, testEnv.signals)).toEqual({ again: false });
    await anItem(testEnv.services, fixture);
    await relayOnce(other.services, other.signals);
    expect((await eventLogOf(testEnv, fixture.projectId)).at(-1)?.seq).toBeNull();
    await other.close();
  });

  it('I6: both at once, without knowing of each other, assign no number twice and skip none', async () => {
    // After a network failure between lock and work both believe they lead.
    const leading = { ...testEnv.signals, lead: () => Promise.resolve(true) };
    for (let round = 0; round < 5; round += 1) {
      await items(testEnv.services, fixture, 10);
      const relays = Array.from({ length: 4 }, () => relayOnce(testEnv.services, leading));
      await Promise.allSettled(relays);
    }
    await relayAll();
    await expectNoGaps(fixture.projectId);
  });

  it('I5: both at once write each delivery once', async () => {
    const leading = { ...testEnv.signals, lead: () => Promise.resolve(true) };
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await Promise.allSettled(Array.from({ length: 4 }, () => relayOnce(testEnv.services, leading)));
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(1);
    await expectNoGaps(fixture.projectId);
  });
});

describe('I5: the deliveries of a project with a webhook', () => {
  it.each(['approve', 'edit', 'reject'] as const)(
    '%s: one, due at once, with the body of docs/spec/webhooks.md#outbound',
    async (action) => {
      const { id } = await anItem(testEnv.services, fixture, { suggestion: { raw: '{"b":1.50,"a":"\\u00e9"}' } });
      const raw = '{ "b": 2.0 }';
      const output = action === 'edit' ? { value: JSON.parse(raw) as unknown, raw } : null;
      await review(testEnv.services, fixture.anna, { itemId: id, action, output, note: 'Noted.' });
      await relayAll();
      await relayAll();
      const deliveries = await deliveriesOf(id);
      expect(deliveries).toHaveLength(1);
      const final = (await eventsOf(testEnv, id)).find(({ type }) => type === 'item.finalized');
      const body = deliveries[0]?.body ?? '';
      expect(deliveries[0]).toMatchObject({
        webhook_id: `evt_${final?.id}`,
        seq: final?.seq,
        status: 'pending',
        attempt: 0,
      });
      expect(Object.keys(itemDecided.parse(JSON.parse(body)))).toEqual(Object.keys(JSON.parse(body) as object));
      expect(JSON.parse(body)).toMatchObject({
        event: 'item.decided',
        item_id: id,
        project_id: fixture.projectId,
        reviewer_id: fixture.anna.userId,
        decision: { action, note: 'Noted.', reviewer_id: fixture.anna.userId },
      });
      const shipped = { approve: '{"b":1.50,"a":"\\u00e9"}', edit: raw, reject: 'null' }[action];
      expect(body).toContain(`"output":${shipped},"edited"`);
    },
  );

  it('an escalated item decided by people has one too', async () => {
    const { id } = await anItem(testEnv.services, fixture, { riskFlags: ['legal'] });
    await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'finalize' });
    await relayAll();
    expect((await deliveriesOf(id)).map(({ body }) => (JSON.parse(body) as { status: string }).status)).toEqual([
      'escalated_final',
    ]);
  });

  it('an automatic decision has none: neither approval nor rejection by routing', async () => {
    const automatic = await anItem(testEnv.services, fixture, { confidence: 1 });
    const refused = await anItem(testEnv.services, fixture, { confidence: 0 });
    await relayAll();
    expect([automatic.status, refused.status]).toEqual(['auto_approved', 'rejected']);
    expect(await deliveriesOf(automatic.id)).toHaveLength(0);
    expect(await deliveriesOf(refused.id)).toHaveLength(0);
  });

  it('escalations, returns and claims have none', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'escalate' });
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(0);
  });

  it('LC2: a provisional decision has none, an undone one never, a final one its own', async () => {
    const patient = await createProjectFixture(testEnv.services, { ...WEBHOOK, undo_window_seconds: 30 });
    const { id } = await anItem(testEnv.services, patient);
    await review(testEnv.services, patient.anna, { itemId: id, action: 'approve' });
    await relayAll();
    await undoDecision(testEnv.services, patient.anna, id);
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(0);
    await review(testEnv.services, patient.ben, { itemId: id, action: 'reject' });
    await testEnv.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ?', [id]);
    await finalizeOnce(testEnv.services);
    await relayAll();
    const [delivery, ...more] = await deliveriesOf(id);
    expect(more).toEqual([]);
    expect(JSON.parse(delivery?.body ?? '{}')).toMatchObject({ status: 'rejected', reviewer_id: patient.ben.userId });
  });

  it.each([-1, 1])('WH1: are due at once when the clock of the relay is %i h off', async (hours) => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const clock = { now: () => new Date(Date.now() + hours * 3_600_000) };
    await relayOnce({ ...testEnv.services, clock }, testEnv.signals);
    const due = `next_attempt_at between now() - interval '1 min' and now() as due`;
    expect(await testEnv.sql(`select ${due} from delivery where item_id = ?`, [id])).toEqual([{ due: true }]);
  });

  it('without a webhook URL there are none', async () => {
    const silent = await createProjectFixture(testEnv.services);
    const { id } = await anItem(testEnv.services, silent);
    await review(testEnv.services, silent.anna, { itemId: id, action: 'approve' });
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(0);
    await expectNoGaps(silent.projectId);
  });
});
