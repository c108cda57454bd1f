// Tests what one connection may send: a CONNECT, its events, a limited amount; anything else closes it (A9).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { person, type Person } from '../../client.ts';
import { frameOf, type RawSocket, rawSocket } from '../../journeys/resilience/raw-socket.ts';
import type { LiveSocket } from '../../../src/realtime/rooms.ts';
import { type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let live: LiveTestServer;
let who: Person;
/** How often the database was asked for sockets. */
let reads = 0;
/** The time by which the server measures, in milliseconds. */
let elapsed = 0;
const open: RawSocket[] = [];

beforeAll(async () => {
  served = await serve(inside.services);
  const { db } = inside.services;
  const read: typeof db.read = (work) => {
    reads += 1;
    return db.read(work);
  };
  live = await startLiveServer(
    { signals: inside.signals, services: { ...inside.services, db: { ...db, read } } },
    { now: () => elapsed },
  );
  who = await person(served.testEnv);
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});
afterAll(async () => {
  await live.close();
  await served.close();
});

/** A connection that has sent nothing yet. */
async function connect(by: Person = who, options: Parameters<typeof rawSocket>[1] = {}): Promise<RawSocket> {
  const socket = await rawSocket({ ...by, testEnv: { ...by.testEnv, url: () => live.url } }, options);
  open.push(socket);
  reads = 0;
  return socket;
}

async function joined(): Promise<RawSocket & { inside: LiveSocket }> {
  const before = new Set(live.io.of('/').sockets.keys());
  const socket = await connect();
  await socket.join();
  const own = [...live.io.of('/').sockets].find(([id]) => !before.has(id))?.[1];
  await expect.poll(() => socket.received.some((text) => text.startsWith('42["rooms"'))).toBe(true);
  reads = 0;
  return Object.assign(socket, { inside: own as LiveSocket });
}

async function expectOpen(socket: RawSocket & { inside: LiveSocket }): Promise<void> {
  socket.bytes(frameOf(Buffer.from('still there?'), { opcode: 9 }));
  await expect.poll(() => socket.received.includes('pong')).toBe(true);
  expect(socket.inside.connected).toBe(true);
}

const text = (packet: string) => frameOf(Buffer.from(packet));
const PRESENCE = '42["presence",{"project_id":null,"item_id":null,"idle":true}]';
/** A well-formed session that does not exist. */
const stranger = () => `__Host-sid=${crypto.randomUUID()}.${'A'.repeat(43)}`;

describe('A9: a connection', () => {
  it('reads its session from the database once, however often it sends CONNECT', async () => {
    const socket = await connect(who, { headers: { cookie: stranger() } });
    socket.bytes(Buffer.concat(Array.from({ length: 10_000 }, () => text('40'))));
    await socket.gone;
    expect(reads).toBeLessThanOrEqual(1);
    const slowly = await connect(who, { headers: { cookie: stranger() } });
    for (let n = 0; n < 15; n += 1) slowly.bytes(text('40'));
    await slowly.gone;
    expect(reads).toBeLessThanOrEqual(1);
  });

  it.each([
    ['another namespace', '40/admin,'],
    ['an event', PRESENCE],
    ['binary', '451-["presence",{"_placeholder":true,"num":0}]'],
    ['a packet outside the protocol', 'hello'],
    ['a ping', '2'],
    ['a pong', '3'],
  ])('a connection that begins with %s is closed, and the database is not asked', async (_, packet) => {
    const socket = await connect();
    socket.bytes(Buffer.concat([text(packet), text('40')]));
    await socket.gone;
    expect(reads).toBe(0);
  });

  it.each([
    ['a second CONNECT', '40'],
    ['another namespace', '40/admin,'],
    ['an unknown event', '42["hello"]'],
    ['an event with an acknowledgement', '420["presence",{}]'],
    ['an acknowledgement', '430[]'],
    ['an unrequested pong', '3'],
    ['a packet that announces attachments', '451-["presence",{"_placeholder":true,"num":0}]'],
    ['a packet above 4 KiB', `42["presence","${'x'.repeat(4096)}"]`],
  ])('a connection that sends %s is closed, and what came with it is ignored', async (_, packet) => {
    const socket = await joined();
    socket.bytes(Buffer.concat([text(packet), text(PRESENCE)]));
    await socket.gone;
    expect([reads, socket.inside.data.where]).toEqual([0, undefined]);
  });

  it('a connection that sends binary is closed', async () => {
    const socket = await joined();
    socket.frame(PRESENCE, { opcode: 2 });
    await socket.gone;
    expect(socket.inside.data.where).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ['events', text(PRESENCE)],
    ['WebSocket pings', frameOf(Buffer.from('x'), { opcode: 9 })],
    ['WebSocket pongs', frameOf(Buffer.from('x'), { opcode: 10 })],
    ['empty fragments', frameOf(Buffer.alloc(0), { opcode: 0, final: false })],
  ])('a connection that sends 40 %s at once is cut off, and none of them is answered', async (name, frame) => {
    const socket = await joined();
    const first = name === 'empty fragments' ? [frameOf(Buffer.alloc(0), { opcode: 1, final: false })] : [];
    socket.bytes(Buffer.concat([...first, ...Array.from({ length: 40 }, () => frame)]));
    await socket.gone;
    expect([socket.inside.data.where, socket.received.includes('pong')]).toEqual([undefined, false]);
  });

  it('a connection that sends few packets and many bytes is cut off', async () => {
    const socket = await joined();
    for (let n = 0; n < 10; n += 1) socket.bytes(text(`42["presence","${'x'.repeat(3000)}"]`));
    await socket.gone;
  });

  it('a connection that stays within its limits stays open, even with invalid messages', async () => {
    const socket = await joined();
    for (let n = 0; n < 10; n += 1) socket.bytes(text('42["presence",{"nonsense":true}]'));
    socket.bytes(text(PRESENCE));
    await expect.poll(() => socket.inside.data.where?.idle).toBe(true);
    elapsed += 30_000;
    socket.bytes(Buffer.concat(Array.from({ length: 15 }, () => text(PRESENCE))));
    await expectOpen(socket);
  });

  it('a connection that stays within its limits stays open after the time of the machine was set back', async () => {
    const socket = await joined();
    inside.clock.pass(-3_600_000);
    for (const idle of [true, false, true]) {
      elapsed += 60_000;
      socket.bytes(Buffer.concat(Array.from({ length: 15 }, () => text(PRESENCE.replace('true', `${idle}`)))));
      await expect.poll(() => socket.inside.data.where?.idle).toBe(idle);
    }
    await expectOpen(socket);
    inside.clock.pass(3_600_000);
  });
});

describe('A9: a refused connection', () => {
  it('gets the reason and is closed, also when it never answers the close frame', async () => {
    const socket = await connect(who, { headers: { cookie: stranger() } });
    socket.bytes(text('40'));
    await socket.gone;
    expect(socket.received.slice(1)).toEqual(['44{"message":"session_missing"}', 'close']);
    expect(reads).toBe(1);
  });

  it('a refused connection that the client closes is closed too', async () => {
    const socket = await joined();
    socket.bytes(text('41'));
    await socket.gone;
    expect(socket.inside.connected).toBe(false);
  });
});
