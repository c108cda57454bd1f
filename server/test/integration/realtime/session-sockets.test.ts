// Tests that a socket closes with its session, however that ends: the gateway over the test's own services and clock.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io as connectSocket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSession } from '@countersign/shared/routes/session';
import { person, type Person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { createAdmission } from '../../../src/realtime/connection/admission.ts';
import { guardConnections } from '../../../src/realtime/connection/connection-guard.ts';
import { createLiveServer, openGateway, SESSION_CHECK_MS, sweepSessions } from '../../../src/realtime/gateway.ts';
import { createRooms, type LiveServer } from '../../../src/realtime/rooms.ts';
import { signOut } from '../../../src/usecases/credentials/end-sessions.ts';
import { IDLE_MS } from '../../../src/db/live-session.ts';
import { ABSOLUTE_MS, findSession } from '../../../src/usecases/credentials/sessions.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let io: LiveServer;
let url: string;
/** What happens between the handshake and joining the room of the session. */
let meanwhile: (token: string) => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  served = await serve(inside.services);
  const http = createServer();
  const clientOf = () => 'somebody';
  const { services } = inside;
  io = createLiveServer(http, { admit: createAdmission(services, { clientOf }), redis: null, log: services.log });
  openGateway(services, io, {
    rooms: createRooms(services, io, (_, seq) => seq),
    clientOf,
    guard: guardConnections(io),
  });
  io.use((socket, next) => {
    const token = /__Host-sid=([^;]+)/.exec(socket.handshake.headers.cookie ?? '')?.[1] ?? '';
    void meanwhile(token).then(() => next(), next);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await io.close();
  await served.close();
});

const connect = (who: Person) => connectLive({ ...who, testEnv: { ...who.testEnv, url: () => url } });

describe('A3: the sweep over open sockets', () => {
  it('closes one whose session was idle too long, within the period, and leaves an active one', async () => {
    const [idle, busy] = [await person(served.testEnv), await person(served.testEnv)];
    const [left, kept] = [await connect(idle), await connect(busy)];
    inside.clock.pass(IDLE_MS - 1000);
    await sweepSessions(inside.services, io);
    await busy.call(readSession);
    expect([left.isOpen(), kept.isOpen()]).toEqual([true, true]);
    inside.clock.pass(SESSION_CHECK_MS);
    await sweepSessions(inside.services, io);
    expect(await left.closed()).toBe('io server disconnect');
    expect(kept.isOpen()).toBe(true);
    kept.close();
  });

  it('closes one whose session has reached its absolute end, however active', async () => {
    const who = await person(served.testEnv);
    const live = await connect(who);
    for (let passed = 0; passed < ABSOLUTE_MS - IDLE_MS; passed += IDLE_MS / 2) {
      inside.clock.pass(IDLE_MS / 2);
      await who.call(readSession);
      await sweepSessions(inside.services, io);
      expect(live.isOpen()).toBe(true);
    }
    inside.clock.pass(IDLE_MS / 2);
    await who.call(readSession);
    inside.clock.pass(IDLE_MS / 2);
    await sweepSessions(inside.services, io);
    expect(await live.closed()).toBe('io server disconnect');
  });

  it('reads nothing when there is no socket', async () => {
    await expect(sweepSessions({ ...inside.services, db: null as never }, io)).resolves.toBeUndefined();
  });
});

describe('A4: a session that ends during the handshake', () => {
  it('leaves no socket behind, although the kick found none', async () => {
    meanwhile = async (token) => {
      const actor = await findSession(inside.services, token);
      if (actor !== null) await signOut(inside.services, actor);
    };
    const who = await person(served.testEnv);
    const extraHeaders = { origin: inside.services.baseUrl, cookie: who.cookieHeader() };
    const socket = connectSocket(url, { transports: ['websocket'], reconnection: false, forceNew: true, extraHeaders });
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.once('disconnect', resolve);
    socket.once('rooms', () => resolve('let in'));
    expect(await promise).toBe('io server disconnect');
    socket.close();
  });
});
