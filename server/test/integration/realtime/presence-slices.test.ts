// Tests that presence goes out in slices, and that memberships are read for each of them (PR1, MB9).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeMember } from '@countersign/shared/routes/projects';
import { join, openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { type Listener, type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { useServices } from '../support/test-services.ts';
import { changesOf, NOWHERE, publish } from './presence-fixture.ts';

/** Two projects with three tabs each. */
const PACKETS = 8;

const inside = useServices();
let served: Served;
let live: LiveTestServer;

beforeAll(async () => {
  served = await serve(inside.services);
  live = await startLiveServer(inside, { packets: PACKETS });
});
afterAll(async () => {
  await live.close();
  await served.close();
});

/** A member of five projects with three tabs, all of which know who is online. */
async function inFiveProjects(): Promise<{ who: Person; projects: OpenProject[]; tabs: Listener[] }> {
  const [owner, who] = [await person(served.testEnv), await person(served.testEnv)];
  const projects: OpenProject[] = [];
  for (let n = 0; n < 5; n += 1) {
    const project = await openProject(owner);
    await join(project, who);
    projects.push(project);
  }
  const tabs: Listener[] = [];
  for (let n = 0; n < 3; n += 1)
    tabs.push(await live.connect({ origin: served.testEnv.baseUrl, cookie: who.cookieHeader() }));
  await live.deliverEvents();
  await Promise.all(tabs.map((tab) => tab.caughtUp()));
  return { who, projects, tabs };
}

/** The person is away in all tabs, which all their projects are told. */
async function leave(tabs: Listener[]): Promise<void> {
  for (const tab of tabs) await publish(tab, { ...NOWHERE, idle: true });
}

it('MB9: a run sends a limited number of packets, and the next runs the rest, each project once', async () => {
  const { projects, tabs } = await inFiveProjects();
  let packets = 0;
  for (const { inside: socket } of tabs) socket.conn.on('packetCreate', () => (packets += 1));
  const before = tabs.map((tab) => changesOf(tab).length);
  await leave(tabs);
  const sent: number[] = [];
  for (let again = true; again; sent.push(packets)) {
    packets = 0;
    ({ again } = await live.presentSlice());
  }
  expect(sent).toEqual([6, 6, 3]);
  await Promise.all(tabs.map((tab) => tab.caughtUp()));
  for (const [index, tab] of tabs.entries())
    expect(
      changesOf(tab)
        .slice(before[index])
        .map(({ project_id: id }) => id)
        .toSorted(),
    ).toEqual(projects.map(({ id }) => id).toSorted());
  tabs.forEach(({ socket }) => socket.close());
});

it('A13: a run sends a limited number of bytes to those who enter, and nobody twice', async () => {
  const narrow = await startLiveServer(inside, { turnBytes: 1 });
  const owner = await person(served.testEnv);
  const project = await openProject(owner);
  const tabs: Listener[] = [];
  for (let n = 0; n < 4; n += 1)
    tabs.push(await narrow.connect({ origin: served.testEnv.baseUrl, cookie: owner.cookieHeader() }));
  const sent: number[] = [];
  for (let again = true; again;) {
    ({ again } = await narrow.presentSlice());
    await Promise.all(tabs.map((tab) => tab.caughtUp()));
    sent.push(tabs.reduce((sum, tab) => sum + changesOf(tab).length, 0));
  }
  expect(sent).toEqual([1, 2, 3, 4]);
  expect(tabs.map((tab) => changesOf(tab).map(({ project_id: id }) => id))).toEqual(tabs.map(() => [project.id]));
  await narrow.close();
});

it('PR1: a member who is removed between two slices receives no later one of that project', async () => {
  const { who, projects, tabs } = await inFiveProjects();
  await leave(tabs);
  expect(await live.presentSlice()).toEqual({ again: true });
  for (const { id, owner } of projects) await owner.call(removeMember, { params: { id, user_id: who.id } });
  await live.present();
  await Promise.all(tabs.map((tab) => tab.caughtUp()));
  // The presence of five projects on entering, and the first slice.
  expect(tabs.map((tab) => changesOf(tab).length)).toEqual([7, 7, 7]);
  tabs.forEach(({ socket }) => socket.close());
});
