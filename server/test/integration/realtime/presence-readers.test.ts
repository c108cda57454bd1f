// Tests that presence of many people in many projects closes no connection whose client reads (A13, QU4).
import { expect, it } from 'vitest';
import { join, openProject } from '../../builders.ts';
import type { Person } from '../../client.ts';
import { MAX_UNSENT } from '../../../src/realtime/connection/connection-guard.ts';
import type { Listener } from '../support/live-server.ts';
import { changesOf, known, usePresenceFixture } from './presence-fixture.ts';

const fixture = usePresenceFixture();

/** A member of that many projects; with the presence of the crowd they exceed what a client may leave unread. */
async function inCrowds(projects: number): Promise<{ who: Person; ids: string[] }> {
  const [owner, who] = [await fixture.newcomer(), await fixture.newcomer()];
  const ids: string[] = [];
  for (let n = 0; n < projects; n += 1) {
    const project = await openProject(owner);
    await join(project, who);
    ids.push(project.id);
  }
  return { who, ids };
}

/** Sends presence until the socket has received that of all these projects. */
async function receivesAll(tabs: Listener[], ids: string[], people: number): Promise<void> {
  const everywhere = tabs.flatMap((tab) => ids.map((id) => ({ tab, id })));
  await expect
    .poll(async () => {
      await fixture.here.present();
      return everywhere.filter(({ tab, id }) => known(tab, id).length < people).length;
    })
    .toBe(0);
  expect(tabs.map(({ socket }) => socket.connected)).toEqual(tabs.map(() => true));
}

it('A13: a socket that enters nine projects with a thousand people each stays open and receives each once', async () => {
  const { who, ids } = await inCrowds(9);
  fixture.crowd(ids, 1000);
  const tab = await fixture.tab(who);
  await receivesAll([tab], ids, 1001);
  const snapshots = changesOf(tab).filter(({ snapshot }) => snapshot);
  expect(JSON.stringify(snapshots).length).toBeGreaterThan(MAX_UNSENT);
  expect(snapshots.map(({ project_id: id }) => id).toSorted()).toEqual(ids.toSorted());
});

it('A13: a socket whose nine projects all change at once stays open and ends with the presence of now', async () => {
  const { who, ids } = await inCrowds(9);
  const tab = await fixture.tab(who);
  await receivesAll([tab], ids, 1);
  fixture.crowd(ids, 1000);
  await receivesAll([tab], ids, 1001);
  fixture.crowd(ids, 0);
  await expect
    .poll(async () => {
      await fixture.here.present();
      return ids.map((id) => known(tab, id).length);
    })
    .toEqual(ids.map(() => 1));
});
