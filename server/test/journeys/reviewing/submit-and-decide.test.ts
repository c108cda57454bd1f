// Tests an item's whole lifecycle: submitted, seen live, claimed, decided, and delivered by signed webhook.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listClusters } from '@countersign/shared/routes/clusters';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import { listLearnings } from '@countersign/shared/routes/learnings';
import { readItem } from '@countersign/shared/routes/public';
import { readHistory, readQueueItem, undoDecision } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, review, setUndoWindow, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { useTestEnvironment } from '../../test-environment.ts';

const testEnv = useTestEnvironment({ empty: true });
let owner: Person;
let live: Live;
let receiver: Receiver;
let project: OpenProject;

beforeAll(async () => {
  owner = await person(testEnv);
  receiver = await startReceiver();
  project = await openProject(owner, { receiver });
  live = await connectLive(owner, { process: 1 });
});

afterAll(async () => {
  live.close();
  await receiver.close();
});

/** Submits and waits until the socket shows it. */
async function arrive(overrides: Parameters<typeof aSubmission>[0] = {}, of = project) {
  const submitted = await of.pipeline.submit(aSubmission(overrides));
  return submitted.id;
}

describe('a decision', () => {
  it('is seen live from arrival to delivery, without a gap in seq', async () => {
    const id = await arrive({ input: { question: 'Where is parcel 7?' }, metadata: { model: 'm-1' } });
    const queued = await live.next('item.queued', (domainEvent) => domainEvent.item_id === id);
    expect(queued.item).toMatchObject({
      id,
      status: 'queued',
      preview: 'Where is parcel 7?',
      model: 'm-1',
      claim: null,
    });
    await review(owner, id, 'approve');
    const claimed = await live.next('item.claimed', (domainEvent) => domainEvent.item_id === id);
    expect(claimed.actor).toMatchObject({ kind: 'member', id: owner.id });
    const decided = await live.next('item.decided', (domainEvent) => domainEvent.item_id === id);
    expect(decided).toMatchObject({ status: 'approved', action: 'approve', undo_until: null });
    await live.next('item.finalized', (domainEvent) => domainEvent.item_id === id);
    const changed = await live.next('delivery.changed', (domainEvent) => domainEvent.item_id === id);
    expect(changed).toMatchObject({ status: 'succeeded', attempt: 1, http_status: 200, error: null });
    const seqs = live.events
      .filter((domainEvent) => 'item_id' in domainEvent && domainEvent.item_id === id)
      .map((domainEvent) => domainEvent.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  it.each([
    ['approve', { status: 'approved', edited: false, output: 'The suggestion', reason: null }],
    ['edit', { status: 'approved', edited: true, output: 'An answer that a person wrote.', reason: 'Wrong fact' }],
    ['reject', { status: 'rejected', edited: false, output: null, reason: 'Incomplete' }],
  ] as const)(
    'by %s is sent as a webhook with exactly the fields of docs/spec/webhooks.md#outbound (I7)',
    async (action, expected) => {
      const id = await arrive({ suggestion: 'The suggestion' });
      await review(owner, id, action);
      const { body, attempt } = await receiver.next(id);
      expect(attempt).toBe(1);
      const event = JSON.parse(body) as Record<string, unknown>;
      expect(Object.keys(event)).toEqual([
        'event',
        'item_id',
        'project_id',
        'status',
        'decision',
        'reviewer_id',
        'decided_at',
      ]);
      expect(event).toMatchObject({
        event: 'item.decided',
        item_id: id,
        project_id: project.id,
        reviewer_id: owner.id,
      });
      expect(event.decision).toMatchObject({ action, note: null, reviewer_id: owner.id, ...expected });
      const read = await project.pipeline.read(id);
      expect(read.decision).toEqual(event.decision);
      expect(event).toMatchObject({ status: read.status, decided_at: read.decided_at });
      expect(await owner.call(readQueueItem, { params: { id } })).toMatchObject({
        decision: event.decision,
        status: read.status,
      });
    },
  );

  it('of an escalated item by finalize is sent as escalated_final, with no output', async () => {
    const id = await arrive({ risk_flags: [' LEGAL '] });
    await live.next('item.escalated', (domainEvent) => domainEvent.item_id === id);
    await review(owner, id, 'finalize');
    const { event } = await receiver.next(id);
    expect(event).toMatchObject({ status: 'escalated_final', decision: { action: 'finalize', output: null } });
  });

  it('sends the output with the number spelling and the key order it was edited to (I7)', async () => {
    const suggestion = '{"b":1.10,"a":[1e2,-0.0],"1":"x"}';
    const answer = await project.pipeline.submitRaw(
      `{"project_id":"${project.id}","input":{"z":1.0,"2":0,"1":0},"suggestion":${suggestion},"confidence":0.70}`,
    );
    const id = answer.ok ? answer.reply.id : '';
    await review(owner, id, 'approve');
    const { body } = await receiver.next(id);
    expect(body).toContain(`"output":${suggestion},`);
    const { text } = await project.pipeline.attempt(readItem, {
      params: { id },
    });
    expect(text).toContain(`"suggestion":${suggestion},`);
    expect(text).toContain('"input":{"z":1.0,"2":0,"1":0},');
  });
});

describe('what is not sent', () => {
  it('sends no webhook for an automatic approval: the response itself carried the decision', async () => {
    const submitted = await project.pipeline.submit(aSubmission({ confidence: 0.99, suggestion: 'Ship it' }));
    expect(submitted).toMatchObject({
      status: 'auto_approved',
      decision: { action: 'auto_approve', output: 'Ship it' },
    });
    const rejected = await project.pipeline.submit(aSubmission({ confidence: 0.1 }));
    expect(rejected).toMatchObject({ status: 'rejected', decision: null });
    // Webhooks keep their order: when this one is there, one for the earlier items would be too.
    const id = await arrive();
    await review(owner, id);
    await receiver.next(id);
    const told = receiver.arrivals.map(({ event }) => event.item_id);
    expect(told).not.toContain(submitted.id);
    expect(told).not.toContain(rejected.id);
    const { data } = await owner.call(listDeliveries, { params: { id: project.id } });
    expect(data.map((delivery) => delivery.item_id)).not.toContain(submitted.id);
  });
});

describe('learnings', () => {
  it('appear for an edit and a rejection, and for nothing else', async () => {
    const own = await openProject(owner, {});
    const [approved, edited, rejected] = [await arrive({}, own), await arrive({}, own), await arrive({}, own)];
    await own.pipeline.submit(aSubmission({ confidence: 1 }));
    await review(owner, approved, 'approve');
    await review(owner, edited, 'edit');
    await review(owner, rejected, 'reject');
    const { data, total } = await owner.call(listLearnings, { params: { id: own.id } });
    expect(total).toBe(2);
    expect(data.map(({ item_id, action, reason }) => [item_id, action, reason])).toEqual([
      [rejected, 'reject', 'Incomplete'],
      [edited, 'edit', 'Wrong fact'],
    ]);
    // A worker assigns the reasons, once the decisions are stored (CT4).
    const clusters = () => owner.call(listClusters, { params: { id: own.id } });
    const clusterSizes = async () => (await clusters()).data.map(({ name, size }) => [name, size]).sort();
    await expect.poll(clusterSizes).toEqual([
      ['Incomplete', 1],
      ['Wrong fact', 1],
    ]);
  });
});

describe('the undo window (LC2)', () => {
  it('hides a provisional decision from the outside, and an undo leaves no trace there', async () => {
    const own = await openProject(owner, { receiver, settings: { undo_window_seconds: 30 } });
    await live.entered(own.id);
    const id = await arrive({}, own);
    const decided = await review(owner, id, 'edit');
    expect(decided).toMatchObject({ status: 'approved', decision: { edited: true }, abilities: { undo: true } });
    expect(decided.undo_until).not.toBeNull();
    const outside = await own.pipeline.read(id);
    expect(outside).toMatchObject({ status: 'queued', decision: null, decided_at: null });
    const undone = await owner.call(undoDecision, { params: { id } });
    expect(undone).toMatchObject({ status: 'queued', decision: null, undo_until: null, abilities: { undo: false } });
    await live.next('item.undone', (domainEvent) => domainEvent.item_id === id);
    expect((await owner.call(listLearnings, { params: { id: own.id } })).total).toBe(0);
    expect((await owner.call(listDeliveries, { params: { id: own.id } })).data).toEqual([]);
    await owner.refused('undo_window_passed', undoDecision, { params: { id } });
    const { data } = await owner.call(readHistory, { params: { id } });
    expect(data.map((domainEvent) => domainEvent.type)).toEqual([
      'item.queued',
      'item.claimed',
      'item.decided',
      'item.undone',
    ]);
  });

  it('ends with item.finalized and one webhook, for the final decision and not for the undone one', async () => {
    const own = await openProject(owner, { receiver, settings: { undo_window_seconds: 30 } });
    await live.entered(own.id);
    const id = await arrive({}, own);
    await review(owner, id, 'reject');
    await owner.call(undoDecision, { params: { id } });
    await setUndoWindow(own, 1);
    await review(owner, id, 'approve');
    const decided = await live.next(
      'item.decided',
      (domainEvent) => domainEvent.item_id === id && domainEvent.action === 'approve',
    );
    const finalized = await live.next('item.finalized', (domainEvent) => domainEvent.item_id === id);
    expect(Date.parse(finalized.server_time)).toBeGreaterThanOrEqual(Date.parse(decided.undo_until ?? ''));
    const { event, at } = await receiver.next(id);
    expect(event.decision.action).toBe('approve');
    expect(at).toBeGreaterThanOrEqual(Date.parse(decided.undo_until ?? ''));
    await live.next('delivery.changed', (domainEvent) => domainEvent.item_id === id);
    expect(await own.pipeline.read(id)).toMatchObject({ status: 'approved', decision: event.decision });
    await owner.refused('undo_window_passed', undoDecision, { params: { id } });
    expect(receiver.arrivals.filter((arrival) => arrival.event.item_id === id)).toHaveLength(1);
  });
});
