// Tests presence step by step, without timers: who receives what about whom.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { removeMember } from '@countersign/shared/routes/projects';
import { openProject } from '../../builders.ts';
import type { Person } from '../../client.ts';
import { HEARTBEAT_MS } from '../../../src/realtime/presence/presence-sync.ts';
import type { Listener } from '../support/live-server.ts';
import { changesOf, known, namesOf, NOWHERE, rename, publish, usePresenceFixture } from './presence-fixture.ts';

const fixture = usePresenceFixture();

describe('PR1: members of a project see', () => {
  it('who is online in it, who came, who looks at what, who is away, and who left', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const [ana, bo] = people as [Person, Person];
    const item = randomUUID();
    const first = await fixture.tab(ana);
    await fixture.settle(first);
    expect(known(first, project.id)).toEqual([{ user_id: ana.id, name: 'Ana', idle: false, viewing: [] }]);
    const second = await fixture.tab(bo);
    await publish(second, { project_id: project.id, item_id: item, idle: false });
    await fixture.settle(first, second);
    const both = [
      { user_id: ana.id, name: 'Ana', idle: false, viewing: [] },
      { user_id: bo.id, name: 'Bo', idle: false, viewing: [item] },
    ];
    expect([known(first, project.id), known(second, project.id)]).toEqual([both, both]);
    await publish(second, { ...NOWHERE, idle: true });
    await fixture.settle(first);
    expect(known(first, project.id)[1]).toMatchObject({ idle: true, viewing: [] });
    second.inside.disconnect(true);
    await fixture.settle(first);
    expect(namesOf(first, project.id)).toEqual(['Ana']);
  });

  it('two tabs as one person: away only when both are, looking at what both show', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const [ana, bo] = people as [Person, Person];
    const [watcher, one, two] = [await fixture.tab(ana), await fixture.tab(bo), await fixture.tab(bo, fixture.there)];
    const items = [randomUUID(), randomUUID()].sort();
    await publish(one, { project_id: project.id, item_id: items[0], idle: true });
    await publish(two, { project_id: project.id, item_id: items[1], idle: false });
    await fixture.settle(watcher);
    expect(known(watcher, project.id)[1]).toEqual({ user_id: bo.id, name: 'Bo', idle: false, viewing: items });
    await publish(two, { project_id: project.id, item_id: items[0], idle: true });
    await fixture.settle(watcher);
    expect(known(watcher, project.id)[1]).toMatchObject({ idle: true, viewing: [items[0]] });
    two.inside.disconnect(true);
    await fixture.settle(watcher);
    expect(known(watcher, project.id)).toHaveLength(2);
  });

  it('a new name at once', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const [ana, bo] = people as [Person, Person];
    const [watcher] = [await fixture.tab(ana), await fixture.tab(bo, fixture.there)];
    await fixture.settle(watcher);
    await rename(bo, project, 'Bojan');
    await fixture.there.deliverEvents();
    await fixture.settle(watcher);
    expect(namesOf(watcher, project.id)).toEqual(['Ana', 'Bojan']);
  });

  it('everything on connecting, afterwards only changes, and nothing without a change', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo', 'Cem');
    const [first, second] = [await fixture.tab(people[0]), await fixture.tab(people[1])];
    await fixture.settle(first, second);
    const third = await fixture.tab(people[2]);
    await fixture.settle(first, third);
    expect(changesOf(third).map(({ snapshot, online: who }) => [snapshot, who.length])).toEqual([[true, 3]]);
    expect(changesOf(first).map(({ snapshot, online: who }) => [snapshot, who.length])).toEqual([
      [true, 2],
      [false, 1],
    ]);
    const before = changesOf(first).length;
    await publish(third, NOWHERE);
    fixture.pass(HEARTBEAT_MS);
    await fixture.settle(first);
    expect(changesOf(first)).toHaveLength(before);
    expect(known(first, project.id)).toHaveLength(3);
  });

  it('one message each when everybody reconnects at once', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const tabs = await Promise.all(people.flatMap((who) => Array.from({ length: 20 }, () => fixture.tab(who))));
    await fixture.settle(...tabs);
    expect(tabs.map((each) => changesOf(each).length)).toEqual(tabs.map(() => 1));
    expect(known(tabs[39] as Listener, project.id)).toHaveLength(2);
  });
});

describe('PR1: nobody else sees or reports anything', () => {
  it('a stranger receives nothing, and presence they report in a foreign project reaches nobody', async () => {
    const { project, people } = await fixture.project('Ana');
    const stranger = await fixture.newcomer();
    const theirs = await openProject(stranger);
    const [member, impostor] = [await fixture.tab(people[0]), await fixture.tab(stranger)];
    const item = randomUUID();
    await publish(impostor, { project_id: project.id, item_id: item, idle: false });
    await fixture.settle(member, impostor);
    expect(known(member, project.id)).toHaveLength(1);
    expect(JSON.stringify(member.received)).not.toContain(item);
    // Nor is it published in the sender's own project, where members would take it for an item of theirs.
    expect(known(impostor, theirs.id)).toEqual([expect.objectContaining({ viewing: [] })]);
    expect(JSON.stringify(impostor.received)).not.toContain(project.id);
  });

  it('T4, I8: a removed member receives nothing later and is not shown, before any event arrives', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo', 'Cem');
    const [ana, bo] = people as [Person, Person];
    const [stayer, leaver, other] = [
      await fixture.tab(ana),
      await fixture.tab(bo),
      await fixture.tab(people[2], fixture.there),
    ];
    await fixture.settle(stayer, leaver);
    const before = changesOf(leaver).length;
    await project.owner.call(removeMember, { params: { id: project.id, user_id: bo.id } });
    const item = randomUUID();
    await publish(other, { project_id: project.id, item_id: item, idle: false });
    await fixture.settle(stayer, leaver);
    expect(JSON.stringify(stayer.received)).toContain(item);
    expect(changesOf(leaver)).toHaveLength(before);
    expect(namesOf(stayer, project.id)).toEqual(['Ana', 'Cem']);
    // What the removed member reports now reaches nobody.
    await publish(leaver, { project_id: project.id, item_id: randomUUID(), idle: false });
    await fixture.settle(stayer);
    expect(namesOf(stayer, project.id)).toEqual(['Ana', 'Cem']);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'north'],
    ['a malformed project id', { project_id: 'north', item_id: randomUUID(), idle: false }],
    ['an item without a project', { project_id: null, item_id: randomUUID(), idle: false }],
    ['an unknown field', { ...NOWHERE, name: 'Mallory' }],
    ['no idle field', { project_id: null, item_id: null }],
    ['a deep one', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown],
  ])('A9: %s is dropped without a response', async (_, said) => {
    const { project, people } = await fixture.project('Ana');
    const listener = await fixture.tab(people[0]);
    await fixture.settle(listener);
    const before = listener.received.length;
    await publish(listener, said);
    await fixture.settle(listener);
    expect(listener.received).toHaveLength(before);
    expect(known(listener, project.id)).toEqual([expect.objectContaining({ idle: false, viewing: [] })]);
  });
});
