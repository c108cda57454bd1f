// Tests joining by an invite and leaving, over sockets: a removed member receives nothing more, in any process (I8).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptInvite, createInvite, listInvites } from '@countersign/shared/routes/invites';
import { changeMember, listMembers, readProject, removeMember } from '@countersign/shared/routes/projects';
import { claimItem, decideItem, readQueueItem } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
let owner: Person;
let reviewer: Person;
let stayer: Person;
let project: OpenProject;
let staying: Live;

beforeAll(async () => {
  [owner, reviewer, stayer] = (await people(testEnv, 3)) as [Person, Person, Person];
  project = await openProject(owner);
  await join(project, stayer);
  staying = await connectLive(stayer, { process: 1 });
  await staying.entered(project.id);
});
afterAll(() => staying.close());

const arrive = async () => (await project.pipeline.submit(aSubmission())).id;

describe('an invite', () => {
  it('PM3: admits the person with its link, whose socket enters the room at once; its token is never shown again', async () => {
    const socket = await connectLive(reviewer);
    const made = await owner.call(createInvite, { params: { id: project.id }, body: { role: 'supervisor' } });
    expect(made.url).toBe(`${testEnv.baseUrl}/invites/${made.token}`);
    const { data } = await owner.call(listInvites, { params: { id: project.id } });
    expect(JSON.stringify(data)).not.toContain(made.token);
    const joined = await reviewer.call(acceptInvite, { params: { token: made.token } });
    expect(joined).toEqual({ project: { id: project.id, name: project.project.name }, role: 'supervisor' });
    await socket.entered(project.id);
    const id = await arrive();
    await socket.next('item.queued', (event) => event.item_id === id);
    await stayer.refused('not_found', acceptInvite, { params: { token: made.token } });
    socket.close();
  });

  it('PM3: that is invalid gets the same response', async () => {
    for (const token of ['x', '..', "' or 1=1", '\u0000', 'A'.repeat(5000), '%', '🦆'])
      await stayer.refused('not_found', acceptInvite, { params: { token } });
  });
});

describe('a removed member', () => {
  it('I8, PM2: receives nothing more, not even about their own claims, and gets 404', async () => {
    const sockets = [await connectLive(reviewer, { process: 0 }), await connectLive(reviewer, { process: 1 })];
    const id = await arrive();
    const { fence } = await reviewer.call(claimItem, { params: { id } });
    for (const socket of sockets) await socket.next('item.claimed', (event) => event.item_id === id);
    const claimed = await staying.next('item.claimed', (event) => event.item_id === id);
    const { data } = await owner.call(listMembers, { params: { id: project.id } });
    expect(data.find(({ user_id: user }) => user === reviewer.id)).toMatchObject({ role: 'supervisor', holding: 1 });
    await owner.call(removeMember, { params: { id: project.id, user_id: reviewer.id } });
    const change = await staying.next('project.changed', (event) => event.seq > claimed.seq);
    expect(change.changed).toEqual(['members']);
    const released = await staying.next('claim.released', (event) => event.item_id === id);
    expect(released.seq).toBeGreaterThan(change.seq);
    const later = await arrive();
    await staying.next('item.queued', (event) => event.item_id === later);
    // Their own room still delivers: an event of the other project would have come before it.
    const own = await openProject(reviewer);
    const { id: mine } = await own.pipeline.submit(aSubmission());
    for (const socket of sockets) {
      await socket.next('item.queued', (event) => event.item_id === mine);
      const heard = socket.events.filter((event) => event.project_id === project.id).map(({ seq }) => seq);
      expect(Math.max(...heard)).toBeLessThan(change.seq);
      expect(socket.resyncs).toContainEqual({ project_id: project.id, reason: 'membership' });
      socket.close();
    }
    await reviewer.refused('not_found', decideItem, { params: { id }, body: { fence, action: 'approve' } });
    await reviewer.refused('not_found', readQueueItem, { params: { id } });
    await reviewer.refused('not_found', readProject, { params: { id: project.id } });
    expect(await stayer.call(claimItem, { params: { id } })).toMatchObject({ fence: fence + 1 });
  });

  it('I8: a socket that opens while its member is removed is not in the room', async () => {
    await join(project, reviewer);
    const socket = await connectLive(reviewer);
    await socket.entered(project.id);
    const [fresh] = await Promise.all([
      connectLive(reviewer, { process: 1 }),
      reviewer.call(removeMember, { params: { id: project.id, user_id: reviewer.id } }),
    ]);
    const id = await arrive();
    await staying.next('item.queued', (event) => event.item_id === id);
    const own = await openProject(reviewer);
    const { id: mine } = await own.pipeline.submit(aSubmission());
    for (const one of [socket, fresh]) {
      await one.next('item.queued', (event) => event.item_id === mine);
      expect(one.events.filter((event) => 'item_id' in event && event.item_id === id)).toEqual([]);
      one.close();
    }
  });
});

it('PM1, T6: the last owner stays, and gets the reason', async () => {
  const params = { id: project.id, user_id: owner.id };
  const { detail } = await owner.refused('forbidden', removeMember, { params });
  expect(detail).toContain('Make someone else an owner first');
  const { errors } = await owner.refused('validation_failed', changeMember, { params, body: { role: 'reviewer' } });
  expect(errors).toMatchObject([{ pointer: '#/role' }]);
});
