// Audits: automatic approvals that wait like any other item, while the pipeline has its answer and nothing of it changes (AU).
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashPoint } from '../../src/crypto/hash-point.ts';
import { isDrawn } from '../../src/domain/audit.ts';
import { presentFact } from '../../src/presenters/fact.ts';
import { presentItem, presentPublicItem, presentSubmitted } from '../../src/presenters/item.ts';
import { claim } from '../../src/usecases/claim.ts';
import { listLearnings } from '../../src/usecases/queries/list-learnings.ts';
import { listPublicEvents } from '../../src/usecases/queries/list-public-events.ts';
import { listPublicItems } from '../../src/usecases/queries/list-public-items.ts';
import { listQueue } from '../../src/usecases/queries/list-queue.ts';
import { readHistory, readItem, readPublicItem } from '../../src/usecases/queries/read-item.ts';
import { submit } from '../../src/usecases/submit.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { emptyHands, eventsOf, rowOf, toldOf } from './looking.ts';
import { anItem, aScene, aSubmission, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const HOOK = { webhook_url: 'http://127.0.0.1:44998/hooks' };
const SURE = { confidence: 0.97 };
/** Every automatic approval is drawn; decisions are final at once. */
let scene: Scene;
/** The same with an undo window. */
let slow: Scene;

beforeAll(async () => {
  scene = await aScene(world.services, { ...HOOK, audit_rate: 1 });
  slow = await aScene(world.services, { ...HOOK, audit_rate: 1, undo_window_seconds: 30 });
});
beforeEach(() => emptyHands(world));

async function relayAll(): Promise<void> {
  while ((await relayOnce(world.services, world.signals)).again);
}

/** Everything the pipeline can see of an item. */
async function seenByPipeline(of: Scene, itemId: string): Promise<object> {
  await relayAll();
  const { item, decision } = await readPublicItem(world.services, of.pipeline, itemId);
  const query = { since: undefined, until: undefined, after: undefined, limit: 100 };
  const lists = await Promise.all(
    (['auto_approved', 'queued', 'escalated', 'approved', 'rejected'] as const).map(async (status) => {
      const { rows } = await listPublicItems(world.services, of.pipeline, { ...query, status });
      return rows.some((row) => row.item.id === itemId && row.decision?.id === decision?.id) ? [status] : [];
    }),
  );
  const feed = await listPublicEvents(world.services, of.pipeline, { after: undefined, limit: 100 });
  return {
    item: presentPublicItem(item, decision),
    lists: lists.flat(),
    told: feed.rows.filter((row) => row.decision.itemId === itemId).map(({ eventId, decision: d }) => [eventId, d.id]),
    webhooks: await world.sql('select id from delivery where item_id = ?', [itemId]),
  };
}

const waits = async (of: Scene, itemId: string): Promise<boolean> => {
  const { items } = await listQueue(world.services, of.anna, {
    projectId: of.projectId,
    view: 'all',
    after: undefined,
    limit: 100,
  });
  return items.some(({ id }) => id === itemId);
};

describe('AU1: what is drawn', () => {
  it('waits for people, while the pipeline has its answer', async () => {
    const { item, decision } = await submit(world.services, scene.pipeline, aSubmission(SURE));
    expect(presentSubmitted(item, decision)).toMatchObject({
      status: 'auto_approved',
      decision: { action: 'auto_approve', status: 'approved', reviewer_id: null },
    });
    expect(await rowOf(world, item.id)).toMatchObject({ status: 'queued', version: 1, decided_at: null });
    expect(await waits(scene, item.id)).toBe(true);
    const audited = { status: 'queued', version: 1 };
    expect(await eventsOf(world, item.id)).toMatchObject([
      { type: 'item.finalized', data: { version: 1, action: 'auto_approve', audited } },
    ]);
  });

  it('is a share of the automatic approvals, told by the project’s salt and the id, and nothing else', async () => {
    const half = await aScene(world.services, { audit_rate: 0.5 });
    const [{ audit_salt } = { audit_salt: '' }] = await world.sql<{ audit_salt: string }>(
      'select audit_salt from project where id = ?',
      [half.projectId],
    );
    for (let n = 0; n < 24; n += 1) {
      const { id } = await anItem(world.services, half, SURE);
      expect((await rowOf(world, id)).status).toBe(
        isDrawn(hashPoint(`${audit_salt} ${id}`), 0.5) ? 'queued' : 'auto_approved',
      );
    }
    for (const other of [{ confidence: 0.7 }, { confidence: 0.1 }, { confidence: 0.97, riskFlags: ['legal'] }]) {
      const { id } = await anItem(world.services, scene, other);
      const [{ audit } = { audit: null }] = await world.sql<{ audit: boolean }>('select audit from item where id = ?', [
        id,
      ]);
      expect(audit).toBe(false);
    }
  });

  it('I2: a repeat under the same key is the same item and the same answer', async () => {
    const idempotency = { key: 'drawn-once', bodySha256: 'a'.repeat(64) };
    const first = await submit(world.services, scene.pipeline, { ...aSubmission(SURE), idempotency });
    await review(world.services, scene.anna, { itemId: first.item.id, action: 'reject' });
    const again = await submit(world.services, scene.pipeline, { ...aSubmission(SURE), idempotency });
    expect(again.replayed).toBe(true);
    expect(presentSubmitted(again.item, again.decision)).toEqual(presentSubmitted(first.item, first.decision));
  });
});

describe('AU2: a verdict changes nothing that was shipped', () => {
  it.each(['approve', 'edit', 'reject'] as const)(
    '%s: the pipeline sees what it saw, and no webhook leaves',
    async (action) => {
      const { id } = await anItem(world.services, scene, SURE);
      const before = await seenByPipeline(scene, id);
      expect(before).toMatchObject({
        lists: ['auto_approved'],
        told: [[expect.anything(), expect.anything()]],
        webhooks: [],
      });
      const after = await review(world.services, scene.anna, { itemId: id, action });
      expect(after.status).toBe('auto_approved');
      expect(await waits(scene, id)).toBe(false);
      expect(await seenByPipeline(scene, id)).toEqual(before);
      expect((await toldOf(world, id)).slice(-2)).toEqual(['item.decided', 'item.finalized']);
      expect((await eventsOf(world, id)).at(-1)).toMatchObject({ data: { status: 'auto_approved', action } });
    },
  );

  it('LC2, I1: it is provisional as any decision is, can be taken back from wherever the item was, and then stands once', async () => {
    const { id } = await anItem(world.services, slow, SURE);
    const before = await seenByPipeline(slow, id);
    await review(world.services, slow.anna, { itemId: id, action: 'escalate' });
    expect((await rowOf(world, id)).status).toBe('escalated');
    await review(world.services, slow.supervisor, { itemId: id, action: 'reject' });
    expect(await seenByPipeline(slow, id)).toEqual(before);
    const undone = await undoDecision(world.services, slow.supervisor, id);
    expect(undone).toMatchObject({ status: 'escalated', publicStatus: null });
    expect(await seenByPipeline(slow, id)).toEqual(before);
    await review(world.services, slow.supervisor, { itemId: id, action: 'edit' });
    await world.sql(
      `update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ? and final_at is null`,
      [id],
    );
    while ((await finalizeOnce(world.services)).again);
    expect(await seenByPipeline(slow, id)).toEqual(before);
    expect(await rowOf(world, id)).toMatchObject({ status: 'auto_approved', public_status: null });
    await expect(claim(world.services, slow.anna, id)).rejects.toMatchObject({ code: 'already_decided' });
    const decisions = await world.sql('select audit, action from decision where item_id = ? order by audit', [id]);
    expect(decisions).toEqual([
      { audit: false, action: 'auto_approve' },
      { audit: true, action: 'edit' },
    ]);
  });

  it('an override is a learning; a taken back one is none', async () => {
    const { id } = await anItem(world.services, slow, SURE);
    const learnt = async () => {
      const page = await listLearnings(world.services, slow.supervisor, {
        projectId: slow.projectId,
        filter: {},
        cluster: undefined,
        after: undefined,
        limit: 100,
      });
      return JSON.stringify(page).includes(id);
    };
    await review(world.services, slow.anna, { itemId: id, action: 'edit' });
    expect(await learnt()).toBe(true);
    await undoDecision(world.services, slow.anna, id);
    expect(await learnt()).toBe(false);
  });
});

describe('AU3: nothing tells a reviewer that it is an audit', () => {
  const shown = async (of: Scene, itemId: string) => {
    const view = await readItem(world.services, of.anna, itemId);
    return presentItem(view, { userId: of.anna.userId, role: view.role });
  };

  it('neither its line, nor the item, nor its history; once it is decided the item says so', async () => {
    const { id } = await anItem(world.services, scene, SURE);
    const { id: other } = await anItem(world.services, scene, { confidence: 0.7 });
    await relayAll();
    const [audited, plain] = [await shown(scene, id), await shown(scene, other)];
    const same = { decision: null, decided_by: null, audited: false, undo_until: null, status: 'queued', version: 1 };
    for (const item of [audited, plain]) expect(item).toMatchObject({ ...same, routing: null, confidence: null });
    const types = async (itemId: string) => {
      const { events, audited } = await readHistory(world.services, scene.anna, { itemId, after: undefined });
      return events.map((event) => presentFact(event, { audited }).type);
    };
    expect(await types(id)).toEqual(await types(other));
    await review(world.services, scene.ben, { itemId: id, action: 'reject' });
    await relayAll();
    expect(await shown(scene, id)).toMatchObject({
      status: 'auto_approved',
      audited: true,
      routing: null,
      decision: { action: 'reject', status: 'rejected' },
    });
    expect((await types(id))[0]).toBe('item.finalized');
  });

  it('of an item of a database from before one fact told of both: the approval is kept back until it is decided', async () => {
    const { id } = await anItem(world.services, scene, SURE);
    await world.sql(
      `insert into event (id, project_id, type, item_id, actor, data, created_at)
       select gen_random_uuid(), project_id, 'item.queued', item_id, actor,
         '{"version": 2, "reason": null, "item": {"status": "queued"}}', created_at from event where item_id = ?`,
      [id],
    );
    await world.sql(`update event set data = (data::jsonb - 'audited') where item_id = ? and type = 'item.finalized'`, [
      id,
    ]);
    await relayAll();
    const types = async () =>
      (await readHistory(world.services, scene.anna, { itemId: id, after: undefined })).events.map(({ type }) => type);
    expect(await types()).toEqual(['item.queued']);
    await review(world.services, scene.ben, { itemId: id, action: 'approve' });
    await relayAll();
    expect((await types()).slice(0, 2)).toEqual(['item.finalized', 'item.queued']);
  });
});
