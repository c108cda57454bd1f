// Presence between two processes, and what every socket is told of the lock store: messages, silence and clocks by hand.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BEAT_MS, SILENT_MS } from '../../src/realtime/neighbours.ts';
import type { Listener } from './live-served.ts';
import { known, namesOf, say, useScene } from './presence-scene.ts';

const scene = useScene();

describe('PR1: two processes', () => {
  it('show each other’s people, and a lost message is mended by the next beat', async () => {
    const { project, people } = await scene.project('Ana', 'Bo');
    const [ana, bo] = [await scene.tab(people[0]), await scene.tab(people[1], scene.there)];
    await scene.settle(ana, bo);
    expect([known(ana, project.id), known(bo, project.id)].map((who) => who.length)).toEqual([2, 2]);
    scene.wire.cut = true;
    const item = randomUUID();
    await say(bo, { project_id: project.id, item_id: item, idle: false });
    await scene.settle(ana);
    scene.wire.cut = false;
    await scene.settle(ana);
    expect(known(ana, project.id)[1]?.looks_at).toEqual([]);
    scene.inside.clock.pass(BEAT_MS);
    await scene.settle(ana);
    expect(known(ana, project.id)[1]?.looks_at).toEqual([item]);
  });

  it('drop one that has gone silent, and take it back when it speaks again', async () => {
    const { project, people } = await scene.project('Ana', 'Bo');
    const [ana, bo] = [await scene.tab(people[0]), await scene.tab(people[1], scene.there)];
    await scene.settle(ana, bo);
    scene.wire.cut = true;
    scene.inside.clock.pass(SILENT_MS - 1000);
    await scene.settle(ana, bo);
    expect(known(ana, project.id)).toHaveLength(2);
    scene.inside.clock.pass(1000);
    await scene.settle(ana, bo);
    expect([namesOf(ana, project.id), namesOf(bo, project.id)]).toEqual([['Ana'], ['Bo']]);
    scene.wire.cut = false;
    scene.inside.clock.pass(BEAT_MS);
    await scene.settle(ana, bo);
    expect([known(ana, project.id), known(bo, project.id)].map((who) => who.length)).toEqual([2, 2]);
  });

  it('say everything once in a beat, and between beats only what changed', async () => {
    const { people } = await scene.project('Ana');
    await scene.settle(await scene.tab(people[0]));
    scene.wire.said.length = 0;
    await scene.settle();
    expect(scene.wire.said).toEqual([]);
    scene.inside.clock.pass(BEAT_MS);
    await scene.settle();
    expect(scene.wire.said.map(({ whole }) => whole)).toEqual([true, true]);
  });
});

describe('LC6: live assignment', () => {
  const statesOf = ({ heard }: Listener) =>
    heard.flatMap(({ event, text }) =>
      event === 'assignment' ? (JSON.parse(text) as { degraded: boolean }[])[0]?.degraded : [],
    );

  it('is said to be degraded while the lock store does not answer, to everybody, once, and heals by itself', async () => {
    const [before] = [await scene.tab(await scene.newcomer())];
    await scene.here.probe();
    scene.store.answers = false;
    await scene.here.probe();
    await scene.here.probe();
    const meanwhile = await scene.tab(await scene.newcomer());
    scene.store.answers = true;
    await scene.here.probe();
    await Promise.all([before, meanwhile].map((each) => each.caughtUp()));
    expect(statesOf(before)).toEqual([false, true, false]);
    expect(statesOf(meanwhile)).toEqual([true, false]);
  });
});
