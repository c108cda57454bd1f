// Tests archiving and deleting a project from outside: pipelines, open pages, waiting requests and the receiver.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInboundSource } from '@countersign/shared/routes/inbound';
import { archiveProject, deleteProject, readContents, restoreProject } from '@countersign/shared/routes/lifecycle';
import { listMembers, listProjects, readProject } from '@countersign/shared/routes/projects';
import { listEvents, listItems, readItem, submitItem } from '@countersign/shared/routes/public';
import { claimItem, decideItem, listQueue, readQueueItem } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject, review } from '../../builders.ts';
import { people, type Answer, type Person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';
import { endUndoWindows } from '../resilience/expire-leases.ts';

const testEnv = useSharedTestEnvironment();
let owner: Person;
let reviewer: Person;
let receiver: Receiver;

beforeAll(async () => {
  [owner, reviewer] = (await people(testEnv, 2)) as [Person, Person];
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const bodyFor = ({ id }: OpenProject) => JSON.stringify({ project_id: id, ...aSubmission() });
const refusal = (answer: Answer<unknown>) => (answer.ok ? 'in' : answer.problem.code);

describe('AR1: an archived project', () => {
  it('refuses every kind of submission by name; earlier ones can be read and repeated', async () => {
    const project = await openProject(owner);
    const params = { id: project.id };
    const first = bodyFor(project);
    const stored = await project.pipeline.submitRaw(first, { idempotencyKey: 'before' });
    const id = stored.ok ? stored.reply.id : '';
    const archived = await owner.call(archiveProject, { params });
    expect(archived).toMatchObject({ id: project.id, abilities: { change_settings: false, manage_project: true } });
    expect(archived.archived_at).not.toBeNull();

    const words = expect.stringContaining('archived') as string;
    // Waiting for it would exceed this test's timeout.
    const waited = await project.pipeline.submitRaw(bodyFor(project), { headers: { prefer: 'wait=60' } });
    for (const answer of [await project.pipeline.submitRaw(bodyFor(project), { process: 1 }), waited])
      expect(answer).toMatchObject({ status: 403, problem: { code: 'forbidden', detail: words } });
    const items = [aSubmission(), { ...aSubmission(), confidence: 7 }, aSubmission()];
    const batch = await project.pipeline.submitBatchRaw(
      JSON.stringify({ items: items.map((item) => ({ project_id: project.id, ...item })) }),
    );
    const codes = batch.ok ? batch.reply.results.map((one) => ('error' in one ? one.error?.code : 'in')) : [];
    expect(codes).toEqual(['forbidden', 'validation_failed', 'forbidden']);

    const again = await project.pipeline.submitRaw(first, { idempotencyKey: 'before', process: 1 });
    expect(again).toMatchObject({ ok: true, reply: { id } });
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued' });
    expect((await project.pipeline.call(listItems)).data).toHaveLength(1);
    await owner.call(restoreProject, { params });
    expect((await project.pipeline.submit(aSubmission(), { process: 1 })).status).toBe('queued');
  });

  it('reaches every page: the claim is released, the queue is empty, and both return', async () => {
    const project = await openProject(owner);
    const params = { id: project.id };
    await join(project, reviewer);
    const socket = await connectLive(reviewer, { process: 1 });
    await socket.entered(project.id);
    const { id } = await project.pipeline.submit(aSubmission());
    const { fence } = await reviewer.call(claimItem, { params: { id } });
    await owner.call(archiveProject, { params });
    const change = await socket.next('project.changed', ({ changed }) => changed.includes('archived'));
    const released = await socket.next('claim.released', (domainEvent) => domainEvent.item_id === id);
    expect(released.seq).toBe(change.seq + 1);
    await reviewer.refused('forbidden', decideItem, { params: { id }, body: { fence, action: 'approve' } });
    const queue = () => reviewer.call(listQueue, { query: { project_id: project.id, view: 'all' } }, { process: 1 });
    expect((await queue()).data).toEqual([]);
    const seen = await reviewer.call(readQueueItem, { params: { id } });
    expect(Object.values(seen.abilities)).not.toContain(true);
    const listed = await reviewer.call(listProjects, { query: { archived: 'true' } });
    expect(listed.data.map((one) => one.id)).toEqual([project.id]);
    expect(listed.data[0]?.abilities).toMatchObject({ manage_project: false });
    await owner.call(restoreProject, { params });
    await socket.next('project.changed', (domainEvent) => domainEvent.seq > released.seq);
    expect((await queue()).data).toMatchObject([{ id, claim: null }]);
    await review(reviewer, id);
    socket.close();
  });
});

describe('AR2: a deleted project', () => {
  it('I8: its sockets receive nothing from then on, in every process', async () => {
    const project = await openProject(owner);
    await join(project, reviewer);
    const sockets = [await connectLive(reviewer, { process: 0 }), await connectLive(owner, { process: 1 })];
    for (const socket of sockets) await socket.entered(project.id);
    const { id } = await project.pipeline.submit(aSubmission());
    await reviewer.call(claimItem, { params: { id } });
    const seqs = await Promise.all(
      sockets.map((socket) => socket.next('item.claimed', (domainEvent) => domainEvent.item_id === id)),
    );
    await owner.call(deleteProject, { params: { id: project.id } });
    for (const [index, socket] of sockets.entries()) {
      await expect.poll(() => socket.resyncs).toContainEqual({ project_id: project.id, reason: 'membership' });
      // Their own room still delivers: an event of the deleted project would have come before it.
      const own = await openProject(index === 0 ? reviewer : owner);
      const { id: mine } = await own.pipeline.submit(aSubmission());
      await socket.next('item.queued', (domainEvent) => domainEvent.item_id === mine);
      const heard = socket.events.filter((domainEvent) => domainEvent.project_id === project.id).map(({ seq }) => seq);
      expect(Math.max(...heard)).toBe(seqs[index]?.seq);
      socket.close();
    }
  });

  it('ends requests that wait with its key, in every process, and revokes the key (K4)', async () => {
    const project = await openProject(owner);
    const { id } = await project.pipeline.submit(aSubmission());
    // A minute: longer than this test's timeout.
    const wait = { params: { id }, query: { wait: 60 } };
    const waiting = [0, 1].map((process) => project.pipeline.attempt(readItem, wait, { process }));
    const patient = project.pipeline.submitRaw(bodyFor(project), { headers: { prefer: 'wait=60' } });
    const queue = () => owner.call(listQueue, { query: { project_id: project.id, view: 'all' } });
    await expect.poll(async () => (await queue()).data.length).toBe(2);
    await owner.call(deleteProject, { params: { id: project.id } });
    for (const answer of await Promise.all(waiting)) expect(refusal(answer)).toBe('api_key_invalid');
    // It was stored while the project existed, and its sender gets that result.
    expect(await patient).toMatchObject({ status: 201, reply: { status: 'queued' } });
    for (const process of [0, 1])
      for (const call of [
        () => project.pipeline.attempt(listItems, {}, { process }),
        () => project.pipeline.attempt(listEvents, {}, { process }),
        () => project.pipeline.attempt(submitItem, { body: { project_id: project.id, ...aSubmission() } }, { process }),
      ])
        await expect.poll(async () => refusal(await call())).toBe('api_key_invalid');
  });

  it('returns 404 to its owner, for its items and at its source', async () => {
    const project = await openProject(owner);
    const params = { id: project.id };
    const { id } = await project.pipeline.submit(aSubmission());
    const source = await owner.call(createInboundSource, { params });
    expect(await owner.call(readContents, { params })).toMatchObject({ items: 1, waiting: 1, inbound_sources: 1 });
    await owner.call(deleteProject, { params });
    for (const ask of [
      (some: string) => owner.refused('not_found', readProject, { params: { id: some } }),
      (some: string) => owner.refused('not_found', listMembers, { params: { id: some } }),
      (some: string) => owner.refused('not_found', readContents, { params: { id: some } }),
      (some: string) => owner.refused('not_found', archiveProject, { params: { id: some } }),
      (some: string) => owner.refused('not_found', restoreProject, { params: { id: some } }),
      (some: string) => owner.refused('not_found', deleteProject, { params: { id: some } }),
    ]) {
      const [gone, never] = [await ask(project.id), await ask(randomUUID())];
      expect({ ...gone, instance: '', request_id: '' }).toEqual({ ...never, instance: '', request_id: '' });
    }
    await owner.refused('not_found', readQueueItem, { params: { id } });
    const path = new URL(source.url).pathname;
    const refusalCodeOf = (sourceId: string) =>
      fetch(testEnv.url() + path.replace(source.id, sourceId), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-signature': '0'.repeat(64) },
        body: '{}',
      }).then((answer) => answer.status);
    expect([await refusalCodeOf(source.id), await refusalCodeOf(randomUUID())]).toEqual([401, 401]);
  });

  it('LC2: a decision in it that could still be undone is never sent', async () => {
    const settings = { undo_window_seconds: 30 };
    const [leaving, staying] = await Promise.all([
      openProject(owner, { settings, receiver }),
      openProject(owner, { settings, receiver }),
    ]);
    const ids = await Promise.all(
      [leaving, staying].map(async ({ pipeline }) => (await pipeline.submit(aSubmission())).id),
    );
    for (const id of ids) await review(owner, id);
    await owner.call(deleteProject, { params: { id: leaving.id } });
    await endUndoWindows(testEnv);
    // The other project's decision came later: when it has arrived, this one would have, too.
    await receiver.next(ids[1]);
    expect(receiver.arrivals.map(({ event }) => event.item_id)).not.toContain(ids[0]);
  });
});
