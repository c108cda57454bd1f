// Tests clients that do not read: a bounded backlog, a closed connection, and nothing missed by others (A13).
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { person, type Person } from '../../client.ts';
import { rawSocket } from '../../journeys/resilience/raw-socket.ts';
import type { LiveSocket } from '../../../src/realtime/rooms.ts';
import { MAX_UNSENT } from '../../../src/realtime/connection/connection-guard.ts';
import { type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let live: LiveTestServer;
let slow: Person;
let quick: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  live = await startLiveServer(inside);
  [slow, quick] = [await person(served.testEnv), await person(served.testEnv)];
});
afterAll(async () => {
  await live.close();
  await served.close();
});

const PACKET = 64 * 1024;
/** More than the buffers of two kernels hold. */
const MOST_PACKETS = 2000;
const hint = { project_id: null, reason: 'x'.repeat(PACKET) };
/** The buffers of Engine.IO and the connection. */
interface Insides {
  writeBuffer: { data?: string; options?: { wsPreEncodedFrame?: Buffer[] } }[];
  transport: { socket: { bufferedAmount: number } };
}

/** Bytes that this process holds for the client. */
function heldFor({ conn }: LiveSocket): number {
  const { writeBuffer, transport } = conn as unknown as Insides;
  const waiting = writeBuffer.reduce((sum, { data, options }) => {
    const frame = options?.wsPreEncodedFrame?.reduce((bytes, part) => bytes + part.length, 0);
    return sum + (frame ?? data?.length ?? 0);
  }, 0);
  return waiting + transport.socket.bufferedAmount;
}

describe('A13: a client that does not read', () => {
  const ways: [name: string, send: (socket: LiveSocket) => void][] = [
    ['to it alone', (socket) => void socket.emit('resync', hint)],
    ['to its room', (socket) => void live.io.local.to(socket.id).emit('resync', hint)],
    ['to everybody', () => void live.io.emit('resync', hint)],
  ];

  it.each(ways)('is closed when about 1 MiB of what is sent %s waits', async (_, send) => {
    const listener = await live.connect({ origin: served.testEnv.baseUrl, cookie: quick.cookieHeader() });
    const raw = await rawSocket({ ...slow, testEnv: { ...slow.testEnv, url: () => live.url } });
    await raw.join();
    raw.pause();
    const own = [...live.io.of('/').sockets.values()].find(({ id }) => id !== listener.inside.id) as LiveSocket;
    const closed = new Promise((resolve) => own.once('disconnect', resolve));
    let [most, sent] = [0, 0];
    for (; own.connected && sent < MOST_PACKETS; sent += 1) {
      send(own);
      most = Math.max(most, heldFor(own));
      await turn();
    }
    expect(own.connected).toBe(false);
    await closed;
    expect(most).toBeGreaterThan(MAX_UNSENT / 2);
    expect(most).toBeLessThan(MAX_UNSENT + 2 * PACKET);
    // The other client stays connected and receives every event.
    await listener.caughtUp();
    listener.socket.close();
    raw.close();
  });
});

it('A13: a closed client that does not read the close frame is cut off', async () => {
  const raw = await rawSocket({ ...slow, testEnv: { ...slow.testEnv, url: () => live.url } });
  await raw.join();
  raw.pause();
  const [own] = [...live.io.of('/').sockets.values()] as LiveSocket[];
  if (own === undefined) throw new Error('It joined.');
  const { conn } = own;
  // Enough to be buffered, and too little to close it.
  while (heldFor(own) < MAX_UNSENT / 2) {
    own.emit('resync', hint);
    await turn();
  }
  own.disconnect(true);
  await expect.poll(() => live.io.engine.clientsCount).toBe(0);
  expect(conn.readyState).toBe('closed');
  raw.close();
});
