// Tests access to the live socket, and that no client bytes end the process or disturb other clients.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { browser, type Person, person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { type RawSocket, rawSocket } from '../resilience/raw-socket.ts';

const testEnv = useTestEnvironment({ processes: 1 });
let owner: Person;
let project: OpenProject;
let live: Live;
/** Identifies the process: it changes when the process is another one. */
let url: string;
let raw: RawSocket | undefined;

beforeAll(async () => {
  owner = await person(testEnv);
  project = await openProject(owner);
  live = await connectLive(owner);
  url = testEnv.url();
});
afterEach(() => raw?.close());
afterAll(() => live.close());

/** The process responds, and the socket of another person receives the next event. */
async function expectHealthy(): Promise<void> {
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const { id } = await project.pipeline.submit(aSubmission());
  await live.next('item.queued', (event) => event.item_id === id);
  expect(live.isOpen()).toBe(true);
}

describe('a socket', () => {
  it('is refused without a session cookie, with an invented one, and with one of an ended session', async () => {
    const stranger = { ...owner, ...browser(testEnv) };
    await expect(connectLive(stranger)).rejects.toThrow('websocket error');
    stranger.cookies.set('__Host-sid', `${owner.id}.${'A'.repeat(43)}`);
    await expect(connectLive(stranger)).rejects.toThrow('session_missing');
    stranger.cookies.set('__Host-sid', "x'; select 1; --");
    await expect(connectLive(stranger)).rejects.toThrow('websocket error');
  });

  it.each([
    ['another site', 'https://evil.example'],
    ['another scheme', 'https://countersign.test'],
    ['another port', 'http://countersign.test:8080'],
    ['null', 'null'],
    ['our address and more', 'http://countersign.test.evil.example'],
  ])('is refused from %s, cookie or not (A7)', async (_, origin) => {
    await expect(rawSocket(owner, { headers: { origin } })).rejects.toThrow(/refused with 4\d\d/);
    await expectHealthy();
  });

  it('is refused without an Origin (A7), and there is no polling transport (A8)', async () => {
    await expect(
      connectLive({ ...owner, testEnv: { ...owner.testEnv, baseUrl: '', url: () => url } }),
    ).rejects.toThrow();
    const headers = { origin: testEnv.baseUrl, cookie: owner.cookieHeader() };
    expect((await fetch(`${url}/socket.io/?EIO=4&transport=polling`, { headers })).status).toBe(400);
  });
});

/** Text frames that are no, or broken, Engine.IO and Socket.IO packets. */
const PACKETS = [
  '',
  '9',
  'x',
  '\0',
  '4',
  '42',
  '42{',
  '42["open"',
  '42"text"',
  '42[]',
  '42[1]',
  '42[null]',
  '42["connect"]',
  '42["disconnect"]',
  '42["disconnecting"]',
  '42["newListener"]',
  '42["removeListener"]',
  '42["error","boom"]',
  '42["__proto__",{"__proto__":{"x":1}}]',
  '42["constructor"]',
  '42["events",[{"type":"item.queued"}]]',
  '42["hello",{"to":"everyone"}]',
  '420["needs an answer"]',
  '429999999999999999999["id"]',
  '43[]',
  '430["an answer nobody asked for"]',
  '44{"message":"x"}',
  '45',
  '451-["file",{"_placeholder":true,"num":0}]',
  '451-["file",{"_placeholder":true,"num":99}]',
  '459999999999-["file"]',
  '46-["x"]',
  '41',
  '40{',
  '40/admin,',
  '42/admin,["x"]',
  '42/,["x"]',
  '42/__proto__,["x"]',
  '5',
  '2probe',
  `42["deep",${'['.repeat(5000)}${']'.repeat(5000)}]`,
  `42["large","${'x'.repeat(70_000)}"]`,
];

describe('A9: invalid client input', () => {
  it.each(PACKETS.map((packet) => [packet.slice(0, 40), packet]))(
    '%j before and after joining affects no other client',
    async (_, packet) => {
      for (const joined of [false, true]) {
        const socket = await rawSocket(owner);
        if (joined) await socket.join();
        socket.frame(packet);
        socket.frame(Buffer.from([1, 2, 3]), { opcode: 2 });
        socket.frame('2');
        socket.close();
      }
      await expectHealthy();
    },
  );

  it('frames that break the protocol close that socket, and no other', async () => {
    const frames: ((socket: RawSocket) => void)[] = [
      (socket) => socket.bytes(randomBytes(4096)),
      (socket) => socket.bytes(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
      (socket) => socket.frame('40', { masked: false }),
      (socket) => socket.frame('40', { opcode: 3 }),
      (socket) => socket.frame('40', { opcode: 0xb }),
      (socket) => socket.frame('40', { reserved: 7 }),
      (socket) => socket.frame('40', { opcode: 0 }),
      (socket) => socket.frame('ping', { opcode: 9, final: false }),
      (socket) => socket.frame(Buffer.alloc(200), { opcode: 9 }),
      (socket) => socket.frame(Buffer.from([0xff, 0xfe]), { opcode: 1 }),
      (socket) => socket.frame(Buffer.from([0x00]), { opcode: 8 }),
      (socket) => socket.frame('40', { claims: 2n ** 62n }),
      (socket) => socket.frame('40', { claims: 2n ** 63n + 5n }),
      (socket) => socket.frame('40', { claims: 65_537n }),
    ];
    for (const send of frames) {
      const socket = await rawSocket(owner);
      send(socket);
      await socket.closed;
    }
    await expectHealthy();
  });

  it('a client that sends without end is cut off, although it may listen as long as it likes', async () => {
    raw = await rawSocket(owner);
    await raw.join();
    for (let n = 0; n < 150; n += 1) raw.frame(`42["presence",${n}]`);
    await raw.closed;
    await expectHealthy();
  });

  it('a hundred sockets that vanish at once leave nothing behind', async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => rawSocket(owner)));
    sockets.forEach((socket, n) => {
      if (n % 3 === 0) socket.frame('40');
      if (n % 3 === 1) socket.frame('40', { claims: 1000n });
      socket.close();
    });
    await expectHealthy();
  });
});
