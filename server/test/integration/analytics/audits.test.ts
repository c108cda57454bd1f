// Tests audits: auto-approvals that wait in the queue like any item, while the pipeline keeps its answer (AU).
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashToUnit } from '../../../src/crypto/hash-to-unit.ts';
import { isDrawn } from '../../../src/domain/audits/audit.ts';
import { presentDomainEvent } from '../../../src/presenters/domain-event.ts';
import { presentItem, presentPublicItem, presentSubmitted } from '../../../src/presenters/item.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { listPublicEvents } from '../../../src/usecases/decisions/list-public-events.ts';
import { listPublicItems } from '../../../src/usecases/items/list-public-items.ts';
import { listQueue } from '../../../src/usecases/items/list-queue.ts';
import { readHistory, readItem, readPublicItem } from '../../../src/usecases/items/read-item.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { endAllClaims, eventsOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, aSubmission, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const HOOK = { webhook_url: 'http://127.0.0.1:44998/hooks' };
const SURE = { confidence: 0.97 };
/** Every auto-approval is drawn; decisions are final at once. */
let fixture: ProjectFixture;
/** The same with an undo window. */
let slow: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, { ...HOOK, audit_rate: 1 });
  slow = await createProjectFixture(testEnv.services, { ...HOOK, audit_rate: 1, undo_window_seconds: 30 });
});
beforeEach(() => endAllClaims(testEnv));

async function relayAll(): Promise<void> {
  while ((await relayOnce(testEnv.services, testEnv.signals)).again);
}

/** Everything the pipeline can see of an item. */
async function pipelineViewOf(of: ProjectFixture, itemId: string): Promise<object> {
  await relayAll();
  const { item, decision } = await readPublicItem(testEnv.services, of.pipeline, itemId);
  const query = { since: undefined, until: undefined, after: undefined, limit: 100 };
  const lists = await Promise.all(
    (['auto_approved', 'queued', 'escalated', 'approved', 'rejected'] as const).map(async (status) => {
      const { rows } = await listPublicItems(testEnv.services, of.pipeline, { ...query, status });
      return rows.some((row) => row.item.id === itemId && row.decision?.id === decision?.id) ? [status] : [];
    }),
  );
  const feed = await listPublicEvents(testEnv.services, of.pipeline, { after: undefined, limit: 100 });
  return {
    item: presentPublicItem(item, decision),
    lists: lists.flat(),
    told: feed.rows.flatMap((row) =>
      row.itemId === itemId && 'decision' in row.outcome ? [[row.eventId, row.outcome.decision.id]] : [],
    ),
    webhooks: await testEnv.sql('select id from delivery where item_id = ?', [itemId]),
  };
}

const waits = async (of: ProjectFixture, itemId: string): Promise<boolean> => {
  const { items } = await listQueue(testEnv.services, of.anna, {
    projectId: of.projectId,
    view: 'all',
    after: undefined,
    limit: 100,
  });
  return items.some(({ id }) => id === itemId);
};

describe('AU1: a drawn item', () => {
  it('waits for people, while the pipeline has its answer', async () => {
    const { item, decision } = await submit(testEnv.services, fixture.pipeline, aSubmission(SURE));
    expect(presentSubmitted(item, decision)).toMatchObject({
      status: 'auto_approved',
      decision: { action: 'auto_approve', status: 'approved', reviewer_id: null },
    });
    expect(await rowOf(testEnv, item.id)).toMatchObject({ status: 'queued', version: 1, decided_at: null });
    expect(await waits(fixture, item.id)).toBe(true);
    const audited = { status: 'queued', version: 1 };
    expect(await eventsOf(testEnv, item.id)).toMatchObject([
      { type: 'item.finalized', data: { version: 1, action: 'auto_approve', audited } },
    ]);
  });

  it('is one of a share of the auto-approvals, chosen only by the salt of the project and the id', async () => {
    const half = await createProjectFixture(testEnv.services, { audit_rate: 0.5 });
    const [{ audit_salt } = { audit_salt: '' }] = await testEnv.sql<{ audit_salt: string }>(
      'select audit_salt from project where id = ?',
      [half.projectId],
    );
    for (let n = 0; n < 24; n += 1) {
      const { id } = await anItem(testEnv.services, half, SURE);
      expect((await rowOf(testEnv, id)).status).toBe(
        isDrawn(hashToUnit(`${audit_salt} ${id}`), 0.5) ? 'queued' : 'auto_approved',
      );
    }
    for (const other of [{ confidence: 0.7 }, { confidence: 0.1 }, { confidence: 0.97, riskFlags: ['legal'] }]) {
      const { id } = await anItem(testEnv.services, fixture, other);
      const [{ audit } = { audit: null }] = await testEnv.sql<{ audit: boolean }>(
        'select audit from item where id = ?',
        [id],
      );
      expect(audit).toBe(false);
    }
  });

  it('I2: a repeat under the same key returns the same item and answer', async () => {
    const idempotency = { key: 'drawn-once', bodySha256: 'a'.repeat(64) };
    const first = await submit(testEnv.services, fixture.pipeline, { ...aSubmission(SURE), idempotency });
    await review(testEnv.services, fixture.anna, { itemId: first.item.id, action: 'reject' });
    const again = await submit(testEnv.services, fixture.pipeline, { ...aSubmission(SURE), idempotency });
    expect(again.replayed).toBe(true);
    expect(presentSubmitted(again.item, again.decision)).toEqual(presentSubmitted(first.item, first.decision));
  });
});

describe('AU2: a verdict changes nothing that was shipped', () => {
  it.each(['approve', 'edit', 'reject'] as const)(
    '%s: the pipeline sees the same as before, and no webhook is sent',
    async (action) => {
      const { id } = await anItem(testEnv.services, fixture, SURE);
      const before = await pipelineViewOf(fixture, id);
      expect(before).toMatchObject({
        lists: ['auto_approved'],
        told: [[expect.anything(), expect.anything()]],
        webhooks: [],
      });
      const after = await review(testEnv.services, fixture.anna, { itemId: id, action });
      expect(after.status).toBe('auto_approved');
      expect(await waits(fixture, id)).toBe(false);
      expect(await pipelineViewOf(fixture, id)).toEqual(before);
      expect((await eventTypesOf(testEnv, id)).slice(-2)).toEqual(['item.decided', 'item.finalized']);
      expect((await eventsOf(testEnv, id)).at(-1)).toMatchObject({ data: { status: 'auto_approved', action } });
    },
  );

  it('LC2, I1: it is provisional like any decision, can be undone from any status of the item, and is then final once', async () => {
    const { id } = await anItem(testEnv.services, slow, SURE);
    const before = await pipelineViewOf(slow, id);
    await review(testEnv.services, slow.anna, { itemId: id, action: 'escalate' });
    expect((await rowOf(testEnv, id)).status).toBe('escalated');
    await review(testEnv.services, slow.supervisor, { itemId: id, action: 'reject' });
    expect(await pipelineViewOf(slow, id)).toEqual(before);
    const undone = await undoDecision(testEnv.services, slow.supervisor, id);
    expect(undone).toMatchObject({ status: 'escalated', publicStatus: null });
    expect(await pipelineViewOf(slow, id)).toEqual(before);
    await review(testEnv.services, slow.supervisor, { itemId: id, action: 'edit' });
    await testEnv.sql(
      `update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ? and final_at is null`,
      [id],
    );
    while ((await finalizeOnce(testEnv.services)).again);
    expect(await pipelineViewOf(slow, id)).toEqual(before);
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'auto_approved', public_status: null });
    await expect(claim(testEnv.services, slow.anna, id)).rejects.toMatchObject({ code: 'already_decided' });
    const decisions = await testEnv.sql('select audit, action from decision where item_id = ? order by audit', [id]);
    expect(decisions).toEqual([
      { audit: false, action: 'auto_approve' },
      { audit: true, action: 'edit' },
    ]);
  });

  it('an override is a learning; an undone one is none', async () => {
    const { id } = await anItem(testEnv.services, slow, SURE);
    const learnt = async () => {
      const page = await listLearnings(testEnv.services, slow.supervisor, {
        projectId: slow.projectId,
        filter: {},
        cluster: undefined,
        after: undefined,
        limit: 100,
      });
      return JSON.stringify(page).includes(id);
    };
    await review(testEnv.services, slow.anna, { itemId: id, action: 'edit' });
    expect(await learnt()).toBe(true);
    await undoDecision(testEnv.services, slow.anna, id);
    expect(await learnt()).toBe(false);
  });
});

describe('AU3: nothing shows a reviewer that an item is an audit', () => {
  const shown = async (of: ProjectFixture, itemId: string) => {
    const view = await readItem(testEnv.services, of.anna, itemId);
    return presentItem(view, { userId: of.anna.userId, role: view.role });
  };

  it('neither the line, the item nor its history shows an audit; after the decision the item says so', async () => {
    const { id } = await anItem(testEnv.services, fixture, SURE);
    const { id: other } = await anItem(testEnv.services, fixture, { confidence: 0.7 });
    await relayAll();
    const [audited, plain] = [await shown(fixture, id), await shown(fixture, other)];
    const same = { decision: null, decided_by: null, audited: false, undo_until: null, status: 'queued', version: 1 };
    for (const item of [audited, plain]) expect(item).toMatchObject({ ...same, routing: null, confidence: null });
    const types = async (itemId: string) => {
      const { events, audited } = await readHistory(testEnv.services, fixture.anna, { itemId, after: undefined });
      return events.map((event) => presentDomainEvent(event, { audited }).type);
    };
    expect(await types(id)).toEqual(await types(other));
    await review(testEnv.services, fixture.ben, { itemId: id, action: 'reject' });
    await relayAll();
    expect(await shown(fixture, id)).toMatchObject({
      status: 'auto_approved',
      audited: true,
      routing: null,
      decision: { action: 'reject', status: 'rejected' },
    });
    expect((await types(id))[0]).toBe('item.finalized');
  });

  it('of an item from before one event covered both: the approval is withheld until it is decided', async () => {
    const { id } = await anItem(testEnv.services, fixture, SURE);
    await testEnv.sql(
      `insert into event (id, project_id, type, item_id, actor, data, created_at)
       select gen_random_uuid(), project_id, 'item.queued', item_id, actor,
         '{"version": 2, "reason": null, "item": {"status": "queued"}}', created_at from event where item_id = ?`,
      [id],
    );
    await testEnv.sql(
      `update event set data = (data::jsonb - 'audited') where item_id = ? and type = 'item.finalized'`,
      [id],
    );
    await relayAll();
    const types = async () =>
      (await readHistory(testEnv.services, fixture.anna, { itemId: id, after: undefined })).events.map(
        ({ type }) => type,
      );
    expect(await types()).toEqual(['item.queued']);
    await review(testEnv.services, fixture.ben, { itemId: id, action: 'approve' });
    await relayAll();
    expect((await types()).slice(0, 2)).toEqual(['item.finalized', 'item.queued']);
  });
});
