// Pipelined requests, sent before the earlier ones were answered: limited per connection and in total.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer } from './server.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
let server: Server;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function serve(listener: RequestListener): Promise<void> {
  server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** A connection that sends this text and reads the responses. */
function open(text: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.write(text);
  return socket;
}

describe('MB5: a connection that pipelines requests and reads no responses', () => {
  it('may have 16 requests in flight, and is closed with the next', async () => {
    let asked = 0;
    await serve(() => void (asked += 1));
    const socket = open(REQUEST.repeat(16));
    const closed = once(socket.resume(), 'close');
    await expect.poll(() => asked, { interval: 5 }).toBe(16);
    expect(socket.closed).toBe(false);
    socket.write(REQUEST);
    await closed;
    expect(asked).toBe(16);
  });

  it('costs nothing for the rest of its data once it is closed', async () => {
    let [seen, upgraded] = [0, 0];
    await serve(() => undefined);
    server.prependListener('request', () => void (seen += 1));
    server.on('upgrade', () => void (upgraded += 1));
    await once(open(REQUEST.repeat(1000)).resume(), 'close');
    expect([seen, upgraded]).toEqual([17, 0]);
  });

  it('a pipelined request that is refused before it is handled counts as well', async () => {
    await serve(() => undefined);
    const odd = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n';
    let refused = 0;
    server.on('checkExpectation', () => (refused += 1));
    await once(open(REQUEST + odd.repeat(100)).resume(), 'close');
    expect(refused).toBeLessThanOrEqual(16);
  });

  it('may send any number of requests one after the other', async () => {
    await serve((_, response) => void response.end('ok'));
    let heard = '';
    const socket = open('');
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    for (let sent = 1; sent <= 70; sent += 1) {
      socket.write(REQUEST);
      await expect.poll(() => heard.split('200 OK').length - 1, { interval: 1 }).toBe(sent);
    }
  });
});

it('MB5: with a thousand pipelined requests over all connections, the next one closes its connection; sequential clients continue', async () => {
  let [now, most, answers] = [0, 0, false];
  await serve((_, response) => {
    if (answers) return void response.end('ok');
    most = Math.max(most, (now += 1));
    response.once('close', () => (now -= 1));
  });
  // Each has one response in progress and 14 requests behind it: 72 of these exceed the limit.
  const crowd = Array.from({ length: 80 }, () => open(REQUEST.repeat(15)).resume());
  await expect.poll(() => crowd.filter(({ closed }) => closed).length, { interval: 5 }).toBeGreaterThan(7);
  expect(most).toBeLessThanOrEqual(1000 + crowd.length);
  answers = true;
  const [answer] = (await once(open(REQUEST), 'data')) as [Buffer];
  expect(answer.toString()).toContain('200 OK');
});
