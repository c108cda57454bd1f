// Tests concurrent large bodies: the reading order, and how many are parsed in one turn (MB8, MB9).
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '@countersign/shared/limits';
import { RoundRobin } from '../../src/limits/round-robin.ts';
import { aSubmission, openProject, type OpenProject } from '../builders.ts';
import { person } from '../client.ts';
import { serve, type Served } from './support/http-server.ts';
import { useServices } from './support/test-services.ts';

const inside = useServices();
/** For reading bodies, turns of the event loop happen when a test says so; otherwise at once. */
const coming: (() => void)[] = [];
let byHand = false;
const bodies = new RoundRobin(1, (turn) => (byHand ? void coming.push(turn) : void setImmediate(turn)));
let served: Served;
let crowd: OpenProject;
let other: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services, { bodies });
  crowd = await openProject(await person(served.testEnv));
  other = await openProject(await person(served.testEnv));
  return () => served.close();
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  vi.restoreAllMocks();
});

interface Posted {
  socket: Socket;
  status: Promise<string>;
}

/** A request of this many bytes, sent up to its last byte. */
async function post(path: string, headers: Record<string, string>, body: Buffer): Promise<Posted> {
  const socket = connect(Number(new URL(served.testEnv.url()).port), '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  const all = { host: 'x', 'content-type': 'application/json', 'content-length': body.length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body.subarray(0, -1));
  const status = once(socket, 'data').then(([chunk]) => (chunk as Buffer).toString().slice(9, 12));
  return { socket, status };
}

const item = (of: OpenProject, bytes: number) =>
  JSON.stringify({ project_id: of.id, ...aSubmission({ input: 'x'.repeat(bytes) }) });
const batch = (of: OpenProject, items: number) =>
  Buffer.from(`{"items":[${Array(items).fill(item(of, 200_000)).join()}]}`);
const keyOf = (of: OpenProject) => ({ 'x-api-key': of.pipeline.apiKey });
const cookieOf = (of: OpenProject) => ({ cookie: of.owner.cookieHeader(), origin: served.testEnv.baseUrl });

/** A person or a key with a large body. */
const SENDERS = {
  keys: (of: OpenProject) => post('/api/public/items/batch', keyOf(of), batch(of, 5)),
  sessions: (of: OpenProject) =>
    post('/api/projects', cookieOf(of), Buffer.from(`{"name":"a","guidelines":"${'x'.repeat(400_000)}"}`)),
};

describe('concurrent large bodies', () => {
  it.each(Object.keys(SENDERS) as (keyof typeof SENDERS)[])(
    'MB8: with %s are read in turn by owner: many of one owner delay no other',
    async (kind) => {
      const send = SENDERS[kind];
      byHand = true;
      const many = await Promise.all(Array.from({ length: 6 }, () => send(crowd)));
      await expect.poll(() => bodies.waiting, { interval: 5 }).toBe(6);
      const one = await send(other);
      await expect.poll(() => bodies.waiting, { interval: 5 }).toBe(7);
      for (const { socket } of [...many, one]) socket.write('}');
      const answered: string[] = [];
      for (const { status } of many) void status.then(() => answered.push('crowd'));
      void one.status.then(() => answered.push('other'));
      const step = () => (coming.shift()?.(), answered.length);
      await expect.poll(step, { interval: 1, timeout: 20_000 }).toBe(7);
      byHand = false;
      for (const turn of coming.splice(0)) turn();
      expect(answered[0]).toBe('other');
      expect(bodies.waiting).toBe(0);
    },
  );

  it('MB9: are parsed one per turn of the event loop', async () => {
    const posted = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const of = n % 2 === 0 ? crowd : other;
        return post('/api/public/items', keyOf(of), Buffer.from(item(of, LIMITS.itemBytes - 1000)));
      }),
    );
    // All of them are read as far as they were sent, so the last bytes arrive at one moment.
    const { received } = inside.services.memory;
    const reading = () => (bodies.waiting === 0 ? received.taken : 0);
    await expect.poll(reading, { interval: 5 }).toBeGreaterThan((posted.length - 1) * LIMITS.itemBytes);
    let turn = 0;
    let immediate = setImmediate(function next() {
      turn += 1;
      immediate = setImmediate(next);
    });
    const turns: number[] = [];
    const { parse } = JSON;
    vi.spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
      // The server parses a text within a body once more, separately.
      if (text.startsWith('{') && text.length > LIMITS.itemBytes / 2) turns.push(turn);
      return parse(text, ...rest) as unknown;
    });
    for (const { socket } of posted) socket.write('}');
    const statuses = await Promise.all(posted.map(({ status }) => status));
    clearImmediate(immediate);
    expect(statuses).toEqual(statuses.map(() => '201'));
    expect(turns).toHaveLength(posted.length);
    expect(new Set(turns).size).toBe(posted.length);
  });
});
