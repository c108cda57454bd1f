// Bodies that are read after their client disconnected: refused immediately, regardless of their announced length.
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.ts';

/** The parts of the context that readBody uses. */
const contextOf = (req: IncomingMessage) => ({ req, is: () => 'application/json' }) as unknown as Context;

/** A request whose client sent this and disconnected before the body was read. */
async function leftBehind(body: string, headers: string): Promise<IncomingMessage> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n${body}`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  const closed = once(request, 'close').catch(() => undefined);
  request.on('error', () => undefined);
  socket.destroy();
  await closed;
  server.close();
  return request;
}

describe('a body whose client disconnected before it was read', () => {
  it.each([
    ['was announced and not sent', '{', 'content-length: 1000'],
    ['came in part, in chunks', '1\r\n{\r\n', 'transfer-encoding: chunked'],
    ['was compressed', 'x', 'content-encoding: gzip\r\ncontent-length: 1000'],
    ['was sent completely', '{}', 'content-length: 2'],
  ])('MB1: that %s is refused at once, and holds no memory', async (_, body, headers) => {
    const request = await leftBehind(body, headers);
    await expect(readBody(contextOf(request), 1000, null)).rejects.toMatchObject({ code: 'invalid_json' });
  });
});
