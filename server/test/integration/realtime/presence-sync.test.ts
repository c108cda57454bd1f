// Tests presence sync of two processes, and the lock store status sent to sockets, with manual messages and clocks.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HEARTBEAT_MS, PEER_TIMEOUT_MS } from '../../../src/realtime/presence/presence-sync.ts';
import type { Listener } from '../support/live-server.ts';
import { known, namesOf, publish, usePresenceFixture } from './presence-fixture.ts';

const fixture = usePresenceFixture();

describe('PR1: two processes', () => {
  it('show each other’s people, and the next heartbeat repairs a lost message', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const [ana, bo] = [await fixture.tab(people[0]), await fixture.tab(people[1], fixture.there)];
    await fixture.settle(ana, bo);
    expect([known(ana, project.id), known(bo, project.id)].map((who) => who.length)).toEqual([2, 2]);
    fixture.wire.cut = true;
    const item = randomUUID();
    await publish(bo, { project_id: project.id, item_id: item, idle: false });
    await fixture.settle(ana);
    fixture.wire.cut = false;
    await fixture.settle(ana);
    expect(known(ana, project.id)[1]?.viewing).toEqual([]);
    fixture.pass(HEARTBEAT_MS);
    await fixture.settle(ana);
    expect(known(ana, project.id)[1]?.viewing).toEqual([item]);
  });

  it('drop a silent process, and restore it when it sends again', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const [ana, bo] = [await fixture.tab(people[0]), await fixture.tab(people[1], fixture.there)];
    await fixture.settle(ana, bo);
    fixture.wire.cut = true;
    fixture.pass(PEER_TIMEOUT_MS - 1000);
    await fixture.settle(ana, bo);
    expect(known(ana, project.id)).toHaveLength(2);
    fixture.pass(1000);
    await fixture.settle(ana, bo);
    expect([namesOf(ana, project.id), namesOf(bo, project.id)]).toEqual([['Ana'], ['Bo']]);
    fixture.wire.cut = false;
    fixture.pass(HEARTBEAT_MS);
    await fixture.settle(ana, bo);
    expect([known(ana, project.id), known(bo, project.id)].map((who) => who.length)).toEqual([2, 2]);
  });

  it('send everything once per heartbeat, and between heartbeats only what changed', async () => {
    const { people } = await fixture.project('Ana');
    await fixture.settle(await fixture.tab(people[0]));
    fixture.wire.messages.length = 0;
    await fixture.settle();
    expect(fixture.wire.messages).toEqual([]);
    fixture.pass(HEARTBEAT_MS);
    await fixture.settle();
    expect(fixture.wire.messages.map(({ snapshot }) => snapshot)).toEqual([true, true]);
  });

  it('go on when the time of the machine is set back', async () => {
    const { project, people } = await fixture.project('Ana', 'Bo');
    const [ana, bo] = [await fixture.tab(people[0]), await fixture.tab(people[1], fixture.there)];
    await fixture.settle(ana, bo);
    fixture.inside.clock.pass(-3_600_000);
    fixture.wire.messages.length = 0;
    fixture.pass(HEARTBEAT_MS);
    await fixture.settle();
    expect(fixture.wire.messages.map(({ snapshot }) => snapshot)).toEqual([true, true]);
    fixture.wire.cut = true;
    fixture.pass(PEER_TIMEOUT_MS);
    await fixture.settle(ana);
    expect(namesOf(ana, project.id)).toEqual(['Ana']);
    fixture.wire.cut = false;
    fixture.inside.clock.pass(3_600_000);
  });
});

describe('LC6: live assignment', () => {
  const statesOf = ({ received }: Listener) =>
    received.flatMap(({ event, text }) =>
      event === 'assignment' ? (JSON.parse(text) as { degraded: boolean }[])[0]?.degraded : [],
    );

  it('is reported as degraded while the lock store does not answer, to everybody, once, and recovers automatically', async () => {
    const [before] = [await fixture.tab(await fixture.newcomer())];
    await fixture.here.probe();
    fixture.store.answers = false;
    await fixture.here.probe();
    await fixture.here.probe();
    const meanwhile = await fixture.tab(await fixture.newcomer());
    fixture.store.answers = true;
    await fixture.here.probe();
    await Promise.all([before, meanwhile].map((each) => each.caughtUp()));
    expect(statesOf(before)).toEqual([false, true, false]);
    expect(statesOf(meanwhile)).toEqual([true, false]);
  });
});
