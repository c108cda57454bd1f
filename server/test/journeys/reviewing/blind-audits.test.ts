// Tests that a reviewer cannot tell an audit item from one queued by its confidence, in anything they read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEventOf } from '@countersign/shared/schemas/parts/events';
import * as queue from '@countersign/shared/routes/queue';
import { listQueue, readHistory } from '@countersign/shared/routes/queue';
import type { Role } from '@countersign/shared/enums';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { VisibleHistory } from './visible-history.ts';

const testEnv = useSharedTestEnvironment();
let reviewer: Person;
let project: OpenProject;
let live: Live;

beforeAll(async () => {
  const [owner, member] = (await people(testEnv, 2)) as [Person, Person];
  reviewer = member;
  project = await openProject(owner, { settings: { audit_rate: 1, auto_threshold: 0.9 } });
  await join(project, reviewer);
  live = await connectLive(reviewer, { process: 1 });
  await live.entered(project.id);
});
afterAll(() => live.close());

/** The members that necessarily differ from item to item. */
const withoutIds = ({ seq: _seq, server_time: _time, item_id: _id, item, ...event }: DomainEventOf<'item.queued'>) => {
  const { id: _item, confidence: _confidence, created_at: _created, due_at: _due, preview: _preview, ...line } = item;
  return { ...event, item: line };
};

describe('AU3: what sockets, lists and histories say', () => {
  it('is one event and one row, with the same members and values as any arrival, and no gap in seq', async () => {
    const audited = await project.pipeline.submit(aSubmission({ confidence: 0.97 }));
    const plain = await project.pipeline.submit(aSubmission({ confidence: 0.7 }));
    expect([audited.status, plain.status]).toEqual(['auto_approved', 'queued']);
    const first = await live.next('item.queued', ({ item_id }) => item_id === audited.id);
    const second = await live.next('item.queued', ({ item_id }) => item_id === plain.id);
    expect(withoutIds(first)).toEqual(withoutIds(second));
    expect(second.seq).toBe(first.seq + 1);
    const ofItems = live.events.filter((event) => 'item_id' in event && [audited.id, plain.id].includes(event.item_id));
    expect(ofItems).toHaveLength(2);
    const { data } = await reviewer.call(listQueue, { query: { project_id: project.id } });
    expect(data.map(({ version, status }) => [version, status])).toEqual([1, 1].map((version) => [version, 'queued']));
    const historyOf = async (id: string) => (await reviewer.call(readHistory, { params: { id }, query: {} })).data;
    expect(await historyOf(audited.id)).toEqual([first]);
    expect(await historyOf(plain.id)).toEqual([second]);
  });
});

const AUTO = 0.9137;
/** In one project an audit waits, in the other an item that routing queued; they differ only in their ids. */
const KINDS = { audit: 0.971, plain: 0.713 } as const;

/** Takes a person through everything one can see and do with an item; returns all responses, with ids and times normalized. */
async function visibleHistoryOf(kind: keyof typeof KINDS, role: Role): Promise<string[]> {
  const [owner, viewer] = (await people(testEnv, 2)) as [Person, Person];
  const settings = { name: 'Twins', audit_rate: 1, auto_threshold: AUTO, undo_window_seconds: 30 };
  const otherProject = await openProject(owner, { settings });
  await join(otherProject, viewer, role);
  const watching = await connectLive(viewer, { process: 1 });
  await watching.entered(otherProject.id);
  const submission = {
    input: { question: 'Twins?' },
    suggestion: 'Yes.',
    risk_flags: ['odd'],
    confidence: KINDS[kind],
  };
  const { id } = await otherProject.pipeline.submit(submission);
  await watching.next('item.queued');
  const visibleHistory = new VisibleHistory(
    viewer,
    [id, otherProject.id, viewer.id, owner.id, viewer.wallet.address, owner.wallet.address],
    [submission.confidence, AUTO],
  );
  const { ask } = visibleHistory;
  const readAll = () => visibleHistory.readAll({ projectId: otherProject.id, itemIds: [id], around: AUTO });
  const params = { id };
  const fenceOf = (text: string) => (JSON.parse(text) as { fence: number }).fence;
  await readAll();
  const { fence } = await viewer.call(queue.claimItem, { params });
  await ask('renew', queue.renewClaim, { params, body: { fence } });
  await readAll();
  await ask('release', queue.releaseClaim, { params, body: { fence } });
  const next = await ask('next', queue.claimNext, { body: { project_id: otherProject.id } });
  await ask('decide', queue.decideItem, {
    params,
    body: { fence: fenceOf(next.text), action: 'reject', reason: 'Odd' },
  });
  await watching.next('item.decided');
  // A slow machine reads everything for longer than a decision can be undone.
  await testEnv.sql("update decision set undo_until = now() + interval '1 hour' where item_id = $1", [id]);
  await readAll();
  await ask('undo', queue.undoDecision, { params });
  await watching.next('item.undone');
  await readAll();
  const again = await ask('claim', queue.claimItem, { params });
  const escalate = { fence: fenceOf(again.text), action: 'escalate', reason: 'Odd' };
  await ask('escalate', queue.decideItem, { params, body: escalate });
  await watching.next('item.escalated');
  await readAll();
  visibleHistory.addEvents(watching.events);
  watching.close();
  return visibleHistory.lines;
}

describe('AU3: the difference between an audit and any other queued item', () => {
  it('is in nothing that a reviewer can read or receive, until the decision is final', async () => {
    const [audit, plain] = await Promise.all([
      visibleHistoryOf('audit', 'reviewer'),
      visibleHistoryOf('plain', 'reviewer'),
    ]);
    expect(audit).toEqual(plain);
    // No response had the confidence or the thresholds, which would tell them apart.
    expect(audit.filter((line) => line.includes('<confidence'))).toEqual([]);
    expect(audit.filter((line) => line.startsWith('listQueue 200')).length).toBeGreaterThan(3);
  });

  it('is visible to members who may see analytics: by confidence and threshold', async () => {
    const [audit, plain] = await Promise.all([
      visibleHistoryOf('audit', 'supervisor'),
      visibleHistoryOf('plain', 'supervisor'),
    ]);
    expect(audit).not.toEqual(plain);
    expect(audit.some((line) => line.includes('"confidence":<confidence 0>'))).toBe(true);
  });

  it('a project without audits shows everybody the confidence', async () => {
    const [owner, viewer] = (await people(testEnv, 2)) as [Person, Person];
    const open = await openProject(owner, { settings: { auto_threshold: AUTO } });
    await join(open, viewer);
    const { id } = await open.pipeline.submit(aSubmission({ confidence: 0.75 }));
    const { data } = await viewer.call(listQueue, { query: { project_id: open.id, min_confidence: 0.7 } });
    expect(data.map((row) => [row.id, row.confidence])).toEqual([[id, 0.75]]);
    expect((await viewer.call(queue.readQueueItem, { params: { id } })).routing).toMatchObject({
      auto_threshold: AUTO,
    });
  });
});
