// Tests what a process does when it listens again after notifications of the database were lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSignals, type Signals } from '../../../src/db/connection/signals.ts';
import { aSubmission, join, openProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { emptyDatabase } from '../../fixtures/test-database.ts';
import { connectTo, connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { type Listener, type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let live: LiveTestServer;
const reconnectListeners: (() => void)[] = [];

/** A session that hears nothing. */
const deaf = (): Signals => ({
  on: () => Promise.resolve(),
  onReconnected: (listener) => void reconnectListeners.push(listener),
  announce: (name) => inside.signals.announce(name),
  lead: (key) => inside.signals.lead(key),
  close: () => Promise.resolve(),
});

/** It hears again. */
const reconnect = () => reconnectListeners.forEach((listener) => listener());

beforeAll(async () => {
  served = await serve(inside.services);
  live = await startLiveServer({ services: inside.services, signals: deaf() });
});
afterAll(async () => {
  await live.close();
  await served.close();
});

const connect = (who: Person) => live.connect({ origin: who.testEnv.baseUrl, cookie: who.cookieHeader() });

const namesOf = ({ received }: Listener) => received.map(({ event }) => event);
const textsOf = ({ received }: Listener, name: string) =>
  received.flatMap(({ event, text }) => (event === name ? text : []));

describe('QU4: when notifications were lost', () => {
  it('a socket enters the project that its user became a member of, and receives its next event', async () => {
    const [project, who] = [await openProject(await person(served.testEnv)), await person(served.testEnv)];
    const [socket, stranger] = [await connect(who), await connect(await person(served.testEnv))];
    await join(project, who);
    await live.deliverEvents();
    await socket.caughtUp();
    expect(socket.inside.rooms).not.toContain(`project:${project.id}`);
    await live.syncMissed();
    const item = await project.pipeline.submit(aSubmission({ confidence: 0.1 }));
    await live.deliverEvents();
    await Promise.all([socket, stranger].map((each) => each.caughtUp()));
    expect(textsOf(socket, 'rooms').at(-1)).toContain(project.id);
    expect(textsOf(socket, 'resync')).toEqual([JSON.stringify([{ project_id: project.id, reason: 'membership' }])]);
    expect(textsOf(socket, 'events').join()).toContain(item.id);
    expect(JSON.stringify(stranger.received)).not.toContain(project.id);
  });

  it('pages read their offers and figures again', async () => {
    const owner = await person(served.testEnv);
    const project = await openProject(owner);
    const socket = await connect(owner);
    await live.tick();
    reconnect();
    await live.tick();
    await socket.caughtUp();
    expect(namesOf(socket)).toContain('offers');
    expect(textsOf(socket, 'metrics').join()).toContain(project.id);
  });
});

it('a session that was lost tells once when it listens again', async () => {
  const { url, remove } = await emptyDatabase();
  const signals = openSignals(await connectionTo(url), { onError: () => undefined });
  const [heard, reconnected] = [Promise.withResolvers<string>(), Promise.withResolvers<undefined>()];
  let times = 0;
  signals.onReconnected(() => {
    times += 1;
    reconnected.resolve(undefined);
  });
  await signals.on('news', (payload) => heard.resolve(payload));
  await signals.announce('listening');
  expect(times).toBe(0);
  const client = await connectTo(url);
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listening'`);
  await reconnected.promise;
  await client.query(`notify news, 'again'`);
  expect([await heard.promise, times]).toEqual(['again', 1]);
  await client.end();
  await signals.close();
  await remove();
});
