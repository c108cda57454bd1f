// Connection reuse between attempts: when a connection is used again, when it must not be, and its limits (W2, W4).
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeReceivers, httpReceiver, listening, type Receiver, tcpReceiver } from '../../test/fixtures/receivers.ts';
import { outcomeAtDeadline, pass, until, useFrozenClock } from '../../test/fixtures/frozen-clock.ts';
import { ConnectionPool } from './connections.ts';
import type { TargetAddress } from './guard/guard.ts';
import { type SendLimits, sendWebhook, type WebhookRequest } from './send.ts';

const POLICY = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };
const OK = 'HTTP/1.1 204 No Content\r\n\r\n';

useFrozenClock();

let connections: ConnectionPool;
beforeEach(() => {
  connections = new ConnectionPool();
});
afterEach(async () => {
  connections.close();
  await closeReceivers();
});

interface Sent extends Partial<WebhookRequest> {
  projectId?: string;
  limits?: Partial<SendLimits>;
}

function send({ port }: Pick<Receiver, 'port'>, { projectId = 'a', limits, ...more }: Sent = {}) {
  const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', policy: POLICY, ...more };
  return sendWebhook({ ...request, reuse: { connections, projectId } }, limits);
}

/** Responds to each request by its number on the connection, from 0. */
const scripted = (answer: (n: number, socket: Socket) => string | undefined) =>
  tcpReceiver((socket) => {
    let n = 0;
    socket.on('data', () => {
      const text = answer(n, socket);
      n += 1;
      if (text !== undefined) socket.write(text);
    });
  });

const friendly = () => httpReceiver((request, response) => request.resume().on('end', () => response.end('thanks')));
const WELL = { httpStatus: 200, error: null, responseText: 'thanks', remoteAddress: '127.0.0.1' };

describe('a pooled connection', () => {
  it('is used again for the same project and origin, with a connect time of zero', async () => {
    const receiver = await friendly();
    expect(await send(receiver)).toMatchObject({ ...WELL, timings: { connectMs: expect.any(Number) as number } });
    for (let n = 0; n < 3; n += 1) {
      const { timings, ...again } = await send(receiver);
      expect(again).toMatchObject(WELL);
      expect(timings).toMatchObject({ connectMs: null, tlsMs: null, firstByteMs: expect.any(Number) as number });
    }
    expect(receiver.connections()).toBe(1);
  });

  it('serves one attempt at a time', async () => {
    const receiver = await friendly();
    await Promise.all(Array.from({ length: 4 }, () => send(receiver)));
    expect(receiver.connections()).toBe(4);
    await Promise.all(Array.from({ length: 4 }, () => send(receiver)));
    expect(receiver.connections()).toBe(4);
  });

  it('is not shared with another project, host or port', async () => {
    const [one, other] = [await friendly(), await friendly()];
    await send(one);
    await send(one, { projectId: 'b' });
    await send(other);
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    await send(one, { url: `http://hooks.example:${one.port}/`, lookup });
    expect([one.connections(), other.connections()]).toEqual([3, 1]);
  });

  it('is closed after a second without use, and sooner if the receiver says so', async () => {
    const receiver = await scripted(() => OK);
    await send(receiver);
    await pass(999);
    expect(receiver.sockets.size).toBe(1);
    await pass(1);
    await until(() => receiver.sockets.size === 0);
    const brief = await scripted(() => 'HTTP/1.1 204 No Content\r\nkeep-alive: timeout=1\r\n\r\n');
    await send(brief);
    await send(brief);
    expect(brief.connections()).toBe(2);
  });

  it('is not reused after five seconds', async () => {
    const receiver = await friendly();
    await send(receiver);
    const pooled = connections.take('a http://127.0.0.1:' + receiver.port, [{ address: '127.0.0.1' }]);
    expect(pooled?.isFresh()).toBe(true);
    await pass(4_999);
    pooled?.rest();
    expect(pooled?.isFresh()).toBe(true);
    await pass(1);
    expect(pooled?.isFresh()).toBe(false);
    pooled?.close();
  });

  it('is not reused if the response closes it or was not read to its end', async () => {
    const closing = await scripted(() => 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
    const endless = await scripted(() => `HTTP/1.1 200 OK\r\ncontent-length: 900000\r\n\r\n${'x'.repeat(100_000)}`);
    for (const receiver of [closing, endless]) {
      await send(receiver);
      expect(await send(receiver)).toMatchObject({ error: null });
      expect(receiver.connections()).toBe(2);
    }
  });

  it('closes with its pool', async () => {
    const receiver = await friendly();
    await send(receiver);
    expect(receiver.sockets.size).toBe(1);
    connections.close();
    await until(() => receiver.sockets.size === 0);
  });

  it('is one of a bounded number: the one idle for longest is closed', async () => {
    const receiver = await friendly();
    for (let n = 0; n <= 130; n += 1) await send(receiver, { projectId: `p${n}` });
    await until(() => receiver.sockets.size <= 128);
    const before = receiver.connections();
    await send(receiver, { projectId: 'p130' });
    expect(receiver.connections()).toBe(before);
    await send(receiver, { projectId: 'p0' });
    expect(receiver.connections()).toBe(before + 1);
  });
});

describe('W2: a name that resolves to another address later', () => {
  const at = (answers: TargetAddress[][]) => {
    const left = [...answers];
    return () => Promise.resolve(left.shift() ?? []);
  };
  const [HERE, THERE, INSIDE]: TargetAddress[] = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ] as const;
  const named = (receiver: Receiver, lookup: ReturnType<typeof at>) =>
    send(receiver, { url: `http://hooks.example:${receiver.port}/`, lookup });

  it('is resolved again each time, and a blocked address refuses it, pooled connection or not', async () => {
    const receiver = await friendly();
    const lookup = at([[HERE], [INSIDE], [HERE, INSIDE]]);
    expect(await named(receiver, lookup)).toMatchObject(WELL);
    for (let n = 0; n < 2; n += 1) {
      expect(await named(receiver, lookup)).toMatchObject({ error: 'blocked_address', httpStatus: null });
    }
    expect(receiver.connections()).toBe(1);
  });

  it('gets a connection to its new address, and the old one is closed', async () => {
    const receiver = await listening(
      createServer((_, response) => response.end('thanks')),
      '0.0.0.0',
    );
    const lookup = at([[HERE], [THERE], [HERE, THERE]]);
    expect(await named(receiver, lookup)).toMatchObject({ remoteAddress: '127.0.0.1' });
    expect(await named(receiver, lookup)).toMatchObject({ remoteAddress: '127.0.0.2' });
    await until(() => receiver.sockets.size === 1);
    expect(await named(receiver, lookup)).toMatchObject({ remoteAddress: '127.0.0.2' });
    expect(receiver.connections()).toBe(2);
  });
});

describe('a broken pooled connection', () => {
  it('is replaced within the attempt if the receiver had closed it, and the attempt succeeds', async () => {
    const bodies: number[] = [];
    const receiver = await scripted((n, socket) => {
      bodies.push(n);
      if (n === 0) return OK;
      socket.destroy();
      return undefined;
    });
    await send(receiver);
    const timings = { connectMs: expect.any(Number) as number };
    expect(await send(receiver)).toMatchObject({ httpStatus: 204, error: null, timings });
    expect([receiver.connections(), bodies]).toEqual([2, [0, 1, 0]]);
  });

  it.each([
    ['it is closed only after the receiver had it for a while', 700],
    ['the new one is closed too', 0],
  ])('fails the attempt when %s', async (_, ms) => {
    let posts = 0;
    const receiver = await scripted((n, socket) => {
      posts += 1;
      if (n === 0 && posts === 1) return OK;
      void pass(ms).then(() => socket.destroy());
      return undefined;
    });
    await send(receiver);
    expect(await send(receiver)).toMatchObject({ httpStatus: null, error: 'connection_reset' });
    expect(posts).toBe(ms === 0 ? 3 : 2);
  });

  it('is not replaced when the new connection fails', async () => {
    const receiver = await scripted((n, socket) => {
      if (n === 0) return OK;
      void closeReceivers();
      socket.destroy();
      return undefined;
    });
    await send(receiver);
    expect(await send(receiver)).toMatchObject({ error: 'connection_refused', remoteAddress: null });
  });

  it('is not reused while part of the request is still being sent', async () => {
    const receiver = await tcpReceiver((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write(OK);
      });
    });
    expect(await send(receiver, { body: 'x'.repeat(8_000_000) })).toMatchObject({ httpStatus: 204 });
    expect(await send(receiver)).toMatchObject({ httpStatus: 204 });
    expect(receiver.connections()).toBe(2);
  });

  it('is replaced if it was closed while idle', async () => {
    const receiver = await scripted(() => OK);
    await send(receiver);
    for (const socket of receiver.sockets) socket.destroy();
    await until(() => receiver.sockets.size === 0);
    await nextIteration();
    expect(await send(receiver)).toMatchObject({ httpStatus: 204, error: null });
    expect(receiver.connections()).toBe(2);
  });

  it('fails the attempt once any part of a response arrived: that was the receiver', async () => {
    const receiver = await scripted((n, socket) => {
      if (n === 0) return OK;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
      return undefined;
    });
    await send(receiver);
    expect(await send(receiver)).toMatchObject({ httpStatus: 200, error: 'connection_reset', responseText: 'half' });
    expect(receiver.connections()).toBe(1);
  });

  it('W4: has the same deadline as any other, and is closed after it', async () => {
    const asked = Promise.withResolvers<undefined>();
    const receiver = await scripted((n) => (n === 0 ? OK : void asked.resolve(undefined)));
    await send(receiver);
    const limits = { deadlineMs: 200 };
    const late = await outcomeAtDeadline(send(receiver, { limits }), { ...limits, soFar: () => asked.promise });
    expect(late).toMatchObject({ error: 'timeout', httpStatus: null });
    expect(receiver.connections()).toBe(1);
    await until(() => receiver.sockets.size === 0);
  });

  it('W4: is limited per attempt: many small responses do not add up', async () => {
    const small = `HTTP/1.1 200 OK\r\ncontent-length: 600\r\n\r\n${'x'.repeat(600)}`;
    const chatty = `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(200)}\r\n\r\n`.repeat(20);
    const receiver = await scripted((n) => (n < 5 ? small : chatty));
    const limits = { wireBytes: 2_000 };
    for (let n = 0; n < 5; n += 1) expect(await send(receiver, { limits })).toMatchObject({ error: null });
    expect(await send(receiver, { limits })).toMatchObject({ error: 'response_too_large' });
    expect(receiver.connections()).toBe(1);
  });

  it('is not reused after unexpected data', async () => {
    const receiver = await scripted(() => OK + OK);
    expect(await send(receiver)).toMatchObject({ httpStatus: 204 });
    await until(() => receiver.sockets.size === 0);
    expect(await send(receiver)).toMatchObject({ httpStatus: 204 });
    expect(receiver.connections()).toBe(2);
  });
});
