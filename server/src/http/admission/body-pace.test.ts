// Tests that a real server reads large bodies in batches that alternate between owners (MB8).
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { READING } from '../../limits/memory-limits.ts';
import { RoundRobin } from '../../limits/round-robin.ts';
import { readFor } from './body-pace.ts';
import { createHttpServer } from '../connection/server.ts';

/** The most that Node buffers: its high-water mark, and one more chunk before it stops reading. */
const AHEAD = 2 * 64 * 1024;
const LARGE = 2 * 1024 * 1024;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A server that reads large bodies only when the test advances the turns. */
async function served(listener: RequestListener, perTurn = 1) {
  const coming: (() => void)[] = [];
  const queue = new RoundRobin(perTurn, (turn) => void coming.push(turn));
  const server = createHttpServer(listener, {}, queue);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  /** Starts a request; its body is sent later. */
  const post = (headers: Record<string, string | number>) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    return sent;
  };
  const turn = () => coming.shift()?.();
  /** Advances turns until the response arrives; returns how many it took. */
  const turnsUntil = async (answer: Promise<unknown>) => {
    let [turns, done] = [0, false];
    void answer.then(() => (done = true));
    const step = () => {
      if (coming.length > 0) turns += 1;
      turn();
      return done;
    };
    await expect.poll(step, { interval: 1, timeout: 20_000 }).toBe(true);
    return turns;
  };
  return { queue, post, turn, turnsUntil, port };
}

const answered = async (sent: ClientRequest): Promise<string> => {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return text;
};

/** Counts the received bytes per request name, and responds with the count. */
function counting(got = new Map<string, number>()) {
  const listener: RequestListener = (asked, response) => {
    const { name = '', owner = '' } = asked.headers as Record<string, string>;
    readFor(asked, owner);
    asked.on('data', (chunk: Buffer) => got.set(name, (got.get(name) ?? 0) + chunk.length));
    asked.on('end', () => response.end(String(got.get(name))));
    asked.on('error', () => undefined);
  };
  return { got, listener };
}

describe('a large body', () => {
  it.each([
    ['of known length', { 'content-length': LARGE }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('MB8: %s is read one batch per turn, and arrives completely', async (_, headers) => {
    const { got, listener } = counting();
    const { queue, post, turn } = await served(listener);
    const sent = post({ name: 'one', owner: 'a', ...headers });
    const answer = answered(sent);
    sent.end(Buffer.alloc(LARGE, 'x'));
    let [turns, before] = [0, 0];
    for (; turns < LARGE / READING.batch - 1; turns += 1) {
      await expect.poll(() => queue.waiting, { interval: 1 }).toBe(1);
      const now = got.get('one') ?? 0;
      expect(now - before).toBeLessThanOrEqual((turns === 0 ? READING.free : READING.batch) + AHEAD);
      before = now;
      turn();
    }
    const rest = setInterval(turn, 1);
    expect(await answer).toBe(String(LARGE));
    clearInterval(rest);
    expect(queue.waiting).toBe(0);
  });

  it('MB8: does not delay a small one', async () => {
    const { got, listener } = counting();
    const { queue, post } = await served(listener);
    const large = post({ name: 'large', owner: 'a', 'content-length': LARGE });
    large.end(Buffer.alloc(LARGE, 'x'));
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(1);
    const small = post({ name: 'small', owner: 'a', 'content-length': READING.free });
    const answer = answered(small);
    small.end(Buffer.alloc(READING.free, 'x'));
    expect(await answer).toBe(String(READING.free));
    expect(queue.waiting).toBe(1);
    expect(got.get('large')).toBeLessThan(LARGE);
  });

  it('MB8: is read next to many of another owner, and finishes before them', async () => {
    const { got, listener } = counting();
    const { queue, post, turnsUntil } = await served(listener);
    const crowd = Array.from({ length: 8 }, (_, n) => {
      const one = post({ name: `crowd ${n}`, owner: 'crowd', 'content-length': LARGE });
      const answer = answered(one);
      one.end(Buffer.alloc(LARGE, 'x'));
      return answer;
    });
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(8);
    const one = post({ name: 'one', owner: 'other', 'content-length': LARGE });
    const answer = answered(one);
    one.end(Buffer.alloc(LARGE, 'x'));
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(9);
    await turnsUntil(answer);
    const finished = [...got].filter(([name, bytes]) => name.startsWith('crowd') && bytes === LARGE);
    expect(finished).toEqual([]);
    await turnsUntil(Promise.all(crowd));
    expect(queue.waiting).toBe(0);
  });

  it('MB8: that stalls delays no one', async () => {
    const { listener } = counting();
    const { queue, post, turn, turnsUntil } = await served(listener);
    const silent = Array.from({ length: 5 }, (_, n) => {
      const one = post({ name: `silent ${n}`, owner: `silent ${n}`, 'content-length': LARGE });
      one.write('x');
      return one;
    });
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(5);
    for (let n = 0; n < 5; n += 1) turn();
    // They had their turn and sent nothing, so none is queued.
    expect(queue.waiting).toBe(0);
    const one = post({ name: 'one', owner: 'other', 'content-length': LARGE });
    const answer = answered(one);
    one.end(Buffer.alloc(LARGE, 'x'));
    await turnsUntil(answer);
    for (const other of silent) other.destroy();
  });

  it('MB8: of a disconnected client leaves the queue at its next turn and leaks nothing', async () => {
    const closed: string[] = [];
    const { listener } = counting();
    const { queue, post, turn } = await served((asked, response) => {
      response.once('close', () => closed.push(String(asked.headers.name)));
      listener(asked, response);
    });
    const sent = post({ name: 'gone', owner: 'a', 'content-length': LARGE });
    sent.write(Buffer.alloc(LARGE / 2, 'x'));
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(1);
    sent.destroy();
    await expect.poll(() => (turn(), closed), { interval: 1 }).toEqual(['gone']);
    expect(queue.waiting).toBe(0);
  });

  it('MB8: of a connection that the server closes leaves the queue immediately', async () => {
    const { listener } = counting();
    const asked: IncomingMessage[] = [];
    const { queue, post } = await served((request, response) => {
      asked.push(request);
      listener(request, response);
    });
    post({ name: 'late', owner: 'a', 'content-length': LARGE }).write(Buffer.alloc(LARGE / 2, 'x'));
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(1);
    asked[0]?.socket.destroy();
    await expect.poll(() => queue.waiting, { interval: 1 }).toBe(0);
  });

  it('MB8: that no handler reads is drained in batches too, and the next request is answered', async () => {
    const { port, turnsUntil, queue } = await served((_asked, response) => void response.end('no'));
    const socket = connect(port, '127.0.0.1');
    endings.push(() => Promise.resolve(socket.destroy()));
    let said = '';
    const { promise: both, resolve } = Promise.withResolvers<void>();
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if ([...said.matchAll(/HTTP\/1.1 200/g)].length === 2) resolve();
    });
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${LARGE}\r\n\r\n`);
    socket.write(Buffer.alloc(LARGE, 'x'));
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const least = (LARGE - READING.free - AHEAD) / (READING.batch + AHEAD);
    expect(await turnsUntil(both)).toBeGreaterThanOrEqual(Math.floor(least));
    expect(queue.waiting).toBe(0);
  });
});
