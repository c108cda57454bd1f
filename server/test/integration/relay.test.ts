// The relay: each project's facts numbered without gaps, and the delivery of every final decision of a person, once, with its bytes (I5, I6, I7).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { itemDecided } from '@countersign/shared/webhook';
import { STAMPED } from '../../src/db/channels.ts';
import type { Signals } from '../../src/db/signals.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { eventsOf, ledgerOf, rowOf } from './looking.ts';
import { anItem, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const WEBHOOK = { webhook_url: 'http://127.0.0.1:44999/hooks' };
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services, WEBHOOK);
});

/** Relays until nothing is left. */
async function relayAll(signals: Signals = world.signals): Promise<void> {
  for (let left = 1; left > 0;) {
    await relayOnce(world.services, signals);
    left = (await world.sql<{ n: number }>('select count(*)::int as n from event where seq is null'))[0]?.n ?? 0;
  }
}

async function expectWhole(projectId: string): Promise<void> {
  const ledger = await ledgerOf(world, projectId);
  const seqs = ledger.map(({ seq }) => seq ?? -1).sort((one, other) => one - other);
  expect(seqs).toEqual(ledger.map((_, index) => index + 1));
  const [project] = await world.sql<{ seq: number }>('select event_seq::int as seq from project where id = ?', [
    projectId,
  ]);
  expect(project?.seq).toBe(ledger.length);
}

interface DeliveryRow {
  webhook_id: string;
  body: string;
  status: string;
  attempt: number;
  seq: number;
}
const deliveriesOf = (itemId: string) =>
  world.sql<DeliveryRow>('select webhook_id, body, status, attempt, seq::int as seq from delivery where item_id = ?', [
    itemId,
  ]);

describe('the numbers of a ledger', () => {
  it('I6: count from 1 without gaps, per project, while many write at once and the relay runs', async () => {
    const other = await aScene(world.services);
    let writing = true;
    const relaying = (async () => {
      while (writing) {
        await relayOnce(world.services, world.signals);
        // As the loop of a process does: between two runs others get a turn.
        await nextTurn();
      }
    })();
    const lives = [scene, other, scene, other].map(async (place) => {
      for (const { id } of await items(world.services, place, 6)) {
        await review(world.services, place.anna, { itemId: id, action: 'approve' });
      }
    });
    await Promise.all(lives).finally(() => (writing = false));
    await relaying;
    await relayAll();
    await expectWhole(scene.projectId);
    await expectWhole(other.projectId);
  });

  it('keep the order in which things happened to an item', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'escalate' });
    await review(world.services, scene.supervisor, { itemId: id, action: 'return' });
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await relayAll();
    const ledger = await eventsOf(world, id);
    const inOrder = ledger.toSorted((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
    const versions = inOrder.map(({ data }) => Number(data.version));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(inOrder.map(({ type }) => type)).toEqual(ledger.map(({ type }) => type));
    expect(versions.at(-1)).toBe((await rowOf(world, id)).version);
  });

  it('are given to more than one batch, one after the other', async () => {
    await world.services.db.write(async (tx) => {
      for (let fact = 0; fact < 1200; fact += 1) {
        const of = { project_id: scene.projectId, actor: { kind: 'system' as const, id: null, name: 'x' } };
        tx.record({ type: 'project.changed', ...of, settings_version: 1, changed: ['keys'] });
      }
    });
    expect(await relayOnce(world.services, world.signals)).toEqual({ again: true });
    await relayAll();
    expect(await relayOnce(world.services, world.signals)).toEqual({ again: false });
    await expectWhole(scene.projectId);
  });

  it('are rung out, each project with its first new number', async () => {
    await relayAll();
    const from = (await ledgerOf(world, scene.projectId)).length + 1;
    const { promise: rung, resolve } = Promise.withResolvers<string>();
    await world.signals.on(STAMPED, resolve);
    await items(world.services, scene, 3);
    await relayOnce(world.services, world.signals);
    expect(await rung).toBe(`${scene.projectId}:${from}`);
  });
});

describe('two relays', () => {
  it('one leads, and when it is gone the other does', async () => {
    const other = await world.another();
    await anItem(world.services, scene);
    expect(await relayOnce(world.services, world.signals)).toEqual({ again: false });
    await anItem(world.services, scene);
    await relayOnce(other.services, other.signals);
    expect((await ledgerOf(world, scene.projectId)).at(-1)?.seq).toBeNull();
    await other.close();
  });

  it('I6: both at once, though neither knows of the other, give no number twice and leave none out', async () => {
    // What a network that tears between lock and work can do: both believe they lead.
    const leading = { ...world.signals, lead: () => Promise.resolve(true) };
    for (let round = 0; round < 5; round += 1) {
      await items(world.services, scene, 10);
      const relays = Array.from({ length: 4 }, () => relayOnce(world.services, leading));
      await Promise.allSettled(relays);
    }
    await relayAll();
    await expectWhole(scene.projectId);
  });

  it('I5: both at once write each delivery once', async () => {
    const leading = { ...world.signals, lead: () => Promise.resolve(true) };
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await Promise.allSettled(Array.from({ length: 4 }, () => relayOnce(world.services, leading)));
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(1);
    await expectWhole(scene.projectId);
  });
});

describe('I5: the deliveries of a project with a webhook', () => {
  it.each(['approve', 'edit', 'reject'] as const)(
    '%s: one, due at once, with the body of docs/spec/webhooks.md#outbound',
    async (action) => {
      const { id } = await anItem(world.services, scene, { suggestion: { raw: '{"b":1.50,"a":"\\u00e9"}' } });
      const raw = '{ "b": 2.0 }';
      const output = action === 'edit' ? { value: JSON.parse(raw) as unknown, raw } : null;
      await review(world.services, scene.anna, { itemId: id, action, output, note: 'Noted.' });
      await relayAll();
      await relayAll();
      const deliveries = await deliveriesOf(id);
      expect(deliveries).toHaveLength(1);
      const final = (await eventsOf(world, id)).find(({ type }) => type === 'item.finalized');
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
        project_id: scene.projectId,
        reviewer_id: scene.anna.userId,
        decision: { action, note: 'Noted.', reviewer_id: scene.anna.userId },
      });
      const shipped = { approve: '{"b":1.50,"a":"\\u00e9"}', edit: raw, reject: 'null' }[action];
      expect(body).toContain(`"output":${shipped},"edited"`);
    },
  );

  it('an escalated item that stays with people has one too', async () => {
    const { id } = await anItem(world.services, scene, { riskFlags: ['legal'] });
    await review(world.services, scene.supervisor, { itemId: id, action: 'finalize' });
    await relayAll();
    expect((await deliveriesOf(id)).map(({ body }) => (JSON.parse(body) as { status: string }).status)).toEqual([
      'escalated_final',
    ]);
  });

  it('what nobody decided has none: automatic approvals and refusals by routing', async () => {
    const automatic = await anItem(world.services, scene, { confidence: 1 });
    const refused = await anItem(world.services, scene, { confidence: 0 });
    await relayAll();
    expect([automatic.status, refused.status]).toEqual(['auto_approved', 'rejected']);
    expect(await deliveriesOf(automatic.id)).toHaveLength(0);
    expect(await deliveriesOf(refused.id)).toHaveLength(0);
  });

  it('moves between people and claims have none', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'escalate' });
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(0);
  });

  it('LC2: a provisional decision has none, an undone one never, a final one its own', async () => {
    const patient = await aScene(world.services, { ...WEBHOOK, undo_window_seconds: 30 });
    const { id } = await anItem(world.services, patient);
    await review(world.services, patient.anna, { itemId: id, action: 'approve' });
    await relayAll();
    await undoDecision(world.services, patient.anna, id);
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(0);
    await review(world.services, patient.ben, { itemId: id, action: 'reject' });
    await world.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ?', [id]);
    await finalizeOnce(world.services);
    await relayAll();
    const [delivery, ...more] = await deliveriesOf(id);
    expect(more).toEqual([]);
    expect(JSON.parse(delivery?.body ?? '{}')).toMatchObject({ status: 'rejected', reviewer_id: patient.ben.userId });
  });

  it('without a webhook URL there are none', async () => {
    const silent = await aScene(world.services);
    const { id } = await anItem(world.services, silent);
    await review(world.services, silent.anna, { itemId: id, action: 'approve' });
    await relayAll();
    expect(await deliveriesOf(id)).toHaveLength(0);
    await expectWhole(silent.projectId);
  });
});
