// Presence by hand: who is told what of whom, with nothing left to chance or to time.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { removeMember } from '@countersign/shared/api/projects';
import { openProject } from '../builders.ts';
import type { Person } from '../client.ts';
import { BEAT_MS } from '../../src/realtime/neighbours.ts';
import type { Listener } from './live-served.ts';
import { changesOf, known, namesOf, NOWHERE, rename, say, useScene } from './presence-scene.ts';

const scene = useScene();

describe('PR1: members of a project see', () => {
  it('who is online in it, who came, who looks at what, who is away, and who left', async () => {
    const { project, people } = await scene.project('Ana', 'Bo');
    const [ana, bo] = people as [Person, Person];
    const item = randomUUID();
    const first = await scene.tab(ana);
    await scene.settle(first);
    expect(known(first, project.id)).toEqual([{ user_id: ana.id, name: 'Ana', idle: false, looks_at: [] }]);
    const second = await scene.tab(bo);
    await say(second, { project_id: project.id, item_id: item, idle: false });
    await scene.settle(first, second);
    const both = [
      { user_id: ana.id, name: 'Ana', idle: false, looks_at: [] },
      { user_id: bo.id, name: 'Bo', idle: false, looks_at: [item] },
    ];
    expect([known(first, project.id), known(second, project.id)]).toEqual([both, both]);
    await say(second, { ...NOWHERE, idle: true });
    await scene.settle(first);
    expect(known(first, project.id)[1]).toMatchObject({ idle: true, looks_at: [] });
    second.inside.disconnect(true);
    await scene.settle(first);
    expect(namesOf(first, project.id)).toEqual(['Ana']);
  });

  it('two tabs as one person: away only when both are, looking at what both show', async () => {
    const { project, people } = await scene.project('Ana', 'Bo');
    const [ana, bo] = people as [Person, Person];
    const [watcher, one, two] = [await scene.tab(ana), await scene.tab(bo), await scene.tab(bo, scene.there)];
    const items = [randomUUID(), randomUUID()].sort();
    await say(one, { project_id: project.id, item_id: items[0], idle: true });
    await say(two, { project_id: project.id, item_id: items[1], idle: false });
    await scene.settle(watcher);
    expect(known(watcher, project.id)[1]).toEqual({ user_id: bo.id, name: 'Bo', idle: false, looks_at: items });
    await say(two, { project_id: project.id, item_id: items[0], idle: true });
    await scene.settle(watcher);
    expect(known(watcher, project.id)[1]).toMatchObject({ idle: true, looks_at: [items[0]] });
    two.inside.disconnect(true);
    await scene.settle(watcher);
    expect(known(watcher, project.id)).toHaveLength(2);
  });

  it('a new name at once', async () => {
    const { project, people } = await scene.project('Ana', 'Bo');
    const [ana, bo] = people as [Person, Person];
    const [watcher] = [await scene.tab(ana), await scene.tab(bo, scene.there)];
    await scene.settle(watcher);
    await rename(bo, project, 'Bojan');
    await scene.there.flow();
    await scene.settle(watcher);
    expect(namesOf(watcher, project.id)).toEqual(['Ana', 'Bojan']);
  });

  it('everything on coming in, afterwards only what changed, and nothing when nothing did', async () => {
    const { project, people } = await scene.project('Ana', 'Bo', 'Cem');
    const [first, second] = [await scene.tab(people[0]), await scene.tab(people[1])];
    await scene.settle(first, second);
    const third = await scene.tab(people[2]);
    await scene.settle(first, third);
    expect(changesOf(third).map(({ whole, here: who }) => [whole, who.length])).toEqual([[true, 3]]);
    expect(changesOf(first).map(({ whole, here: who }) => [whole, who.length])).toEqual([
      [true, 2],
      [false, 1],
    ]);
    const before = changesOf(first).length;
    await say(third, NOWHERE);
    scene.inside.clock.pass(BEAT_MS);
    await scene.settle(first);
    expect(changesOf(first)).toHaveLength(before);
    expect(known(first, project.id)).toHaveLength(3);
  });

  it('one message each when everybody comes back at once', async () => {
    const { project, people } = await scene.project('Ana', 'Bo');
    const tabs = await Promise.all(people.flatMap((who) => Array.from({ length: 20 }, () => scene.tab(who))));
    await scene.settle(...tabs);
    expect(tabs.map((each) => changesOf(each).length)).toEqual(tabs.map(() => 1));
    expect(known(tabs[39] as Listener, project.id)).toHaveLength(2);
  });
});

describe('PR1: nobody else sees or says anything', () => {
  it('a stranger hears nothing, and what they say of a project that is not theirs reaches nobody', async () => {
    const { project, people } = await scene.project('Ana');
    const stranger = await scene.newcomer();
    const theirs = await openProject(stranger);
    const [member, liar] = [await scene.tab(people[0]), await scene.tab(stranger)];
    const item = randomUUID();
    await say(liar, { project_id: project.id, item_id: item, idle: false });
    await scene.settle(member, liar);
    expect(known(member, project.id)).toHaveLength(1);
    expect(JSON.stringify(member.heard)).not.toContain(item);
    // Nor is it told in the liar's own project, which its members would read as an item of theirs.
    expect(known(liar, theirs.id)).toEqual([expect.objectContaining({ looks_at: [] })]);
    expect(JSON.stringify(liar.heard)).not.toContain(project.id);
  });

  it('T4, I8: who was removed hears nothing later and is seen no more, before any fact has said so', async () => {
    const { project, people } = await scene.project('Ana', 'Bo', 'Cem');
    const [ana, bo] = people as [Person, Person];
    const [stayer, leaver, other] = [
      await scene.tab(ana),
      await scene.tab(bo),
      await scene.tab(people[2], scene.there),
    ];
    await scene.settle(stayer, leaver);
    const before = changesOf(leaver).length;
    await project.owner.call(removeMember, { params: { id: project.id, user_id: bo.id } });
    const item = randomUUID();
    await say(other, { project_id: project.id, item_id: item, idle: false });
    await scene.settle(stayer, leaver);
    expect(JSON.stringify(stayer.heard)).toContain(item);
    expect(changesOf(leaver)).toHaveLength(before);
    expect(namesOf(stayer, project.id)).toEqual(['Ana', 'Cem']);
    // What the removed one says now is said to nobody.
    await say(leaver, { project_id: project.id, item_id: randomUUID(), idle: false });
    await scene.settle(stayer);
    expect(namesOf(stayer, project.id)).toEqual(['Ana', 'Cem']);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'north'],
    ['a project that is no id', { project_id: 'north', item_id: randomUUID(), idle: false }],
    ['an item without a project', { project_id: null, item_id: randomUUID(), idle: false }],
    ['more than is asked', { ...NOWHERE, name: 'Mallory' }],
    ['no word on idleness', { project_id: null, item_id: null }],
    ['a deep one', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown],
  ])('A9: %s is dropped without a word', async (_, said) => {
    const { project, people } = await scene.project('Ana');
    const listener = await scene.tab(people[0]);
    await scene.settle(listener);
    const before = listener.heard.length;
    await say(listener, said);
    await scene.settle(listener);
    expect(listener.heard).toHaveLength(before);
    expect(known(listener, project.id)).toEqual([expect.objectContaining({ idle: false, looks_at: [] })]);
  });
});
