// Bodies that are refused: at once where their client has disconnected, and without any further work in every case.
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { PassThrough, type Transform } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../limits/memory-budget.ts';
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

/** A request with this body, and what decompresses it once it is read. */
function compressed(body: Buffer, encoding: string) {
  const inflaters: Transform[] = [];
  const source = new PassThrough();
  const pipe = source.pipe.bind(source);
  const request = Object.assign(source, {
    headers: { 'transfer-encoding': 'chunked', 'content-encoding': encoding },
    pipe: <T extends NodeJS.WritableStream>(into: T) => {
      inflaters.push(into as unknown as Transform);
      return pipe(into);
    },
  });
  source.write(body);
  return { request: request as unknown as IncomingMessage, inflaters };
}

describe('a compressed body that is refused', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('MB1: as too large is not decompressed any further: %s', async (encoding, deflated) => {
    const { request, inflaters } = compressed(deflated(Buffer.alloc(1024 * 1024)), encoding);
    await expect(readBody(contextOf(request), 32 * 1024, null)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(inflaters.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('MB1: because its memory is needed is not decompressed any further', async () => {
    const { request, inflaters } = compressed(gzipSync('{').subarray(0, 12), 'gzip');
    const reservation = { makeEvictable: (evict: () => void) => evict(), pin: () => undefined };
    const reading = readBody(contextOf(request), 1000, reservation as unknown as Reservation);
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
    expect(inflaters.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});
