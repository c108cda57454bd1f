// Attempts against real receivers on loopback: the meaning of their responses, and broken receivers.
import { afterEach, describe, expect, it } from 'vitest';
import { answering, closeReceivers, closingAfter, httpReceiver, tcpReceiver } from '../../test/fixtures/receivers.ts';
import { sendWebhook, type WebhookRequest } from './send.ts';

const LOOPBACK = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };
const BODY = '{"event":"item.decided","note":"größer ✓"}';

afterEach(closeReceivers);

function send(port: number, options: Partial<WebhookRequest> = {}) {
  const request = { url: `http://127.0.0.1:${port}/hooks?a=1`, headers: {}, body: BODY, policy: LOOPBACK, ...options };
  return sendWebhook(request, { deadlineMs: 5_000 });
}

describe('responses', () => {
  it('posts the given body and headers once, on a connection of its own', async () => {
    const seen: unknown[] = [];
    const { port, connections } = await httpReceiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push([request.method, request.url, request.headers, Buffer.concat(chunks).toString()]);
        response.end('thanks');
      });
    });
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1', 'user-agent': 'Countersign' };
    const outcome = await send(port, { headers });
    const { totalMs, timings, responseHeaders, ...answer } = outcome;
    expect(answer).toEqual({
      httpStatus: 200,
      error: null,
      retryAfter: null,
      responseText: 'thanks',
      remoteAddress: '127.0.0.1',
    });
    expect(totalMs).toBeGreaterThanOrEqual(0);
    expect(responseHeaders?.['content-length']).toBe('6');
    expect(responseHeaders?.date).toMatch(/GMT$/);
    expect(timings.tlsMs).toBeNull();
    expect([timings.connectMs, timings.firstByteMs]).not.toContain(null);
    expect(seen).toEqual([
      [
        'POST',
        '/hooks?a=1',
        expect.objectContaining({ ...headers, host: `127.0.0.1:${port}`, connection: 'close' }),
        BODY,
      ],
    ]);
    await send(port, { headers });
    expect(connections()).toBe(2);
  });

  it.each([200, 201, 202, 204, 299])('treats %i as success', async (status) => {
    const { port } = await httpReceiver((_, response) => response.writeHead(status).end());
    expect(await send(port)).toMatchObject({ httpStatus: status, error: null, responseText: '' });
  });

  it.each([
    [400, 'http_4xx'],
    [404, 'http_4xx'],
    [410, 'http_4xx'],
    [500, 'http_5xx'],
    [503, 'http_5xx'],
    [599, 'http_5xx'],
    [300, 'redirect_refused'],
    [304, 'redirect_refused'],
  ])('maps %i to %s', async (status, error) => {
    const { port } = await httpReceiver((_, response) =>
      response.writeHead(status).end(status === 304 ? undefined : 'no'),
    );
    expect(await send(port)).toMatchObject({ httpStatus: status, error, responseText: status === 304 ? '' : 'no' });
  });

  it('returns Retry-After as received: text, truncated, the first of several', async () => {
    const answers = [['120'], ['Sun, 01 Mar 2026 12:02:00 GMT'], ['7', '8'], ['x'.repeat(5_000)]];
    const { port } = await httpReceiver((_, response) => {
      response.setHeader('retry-after', answers.shift() ?? []);
      response.writeHead(429).end();
    });
    expect(await send(port)).toMatchObject({ httpStatus: 429, error: 'http_4xx', retryAfter: '120' });
    expect(await send(port)).toMatchObject({ retryAfter: 'Sun, 01 Mar 2026 12:02:00 GMT' });
    expect((await send(port)).retryAfter).toMatch(/^7/);
    expect((await send(port)).retryAfter).toHaveLength(200);
  });

  it.each([301, 302, 303, 307, 308])('W2: never follows a %i', async (status) => {
    const inside = await httpReceiver((_, response) => response.end('secret'));
    const location = `http://127.0.0.1:${inside.port}/latest/meta-data`;
    const { port } = await httpReceiver((_, response) => response.writeHead(status, { location }).end('moved'));
    expect(await send(port)).toMatchObject({ httpStatus: status, error: 'redirect_refused', responseText: 'moved' });
    expect(inside.connections()).toBe(0);
  });
});

describe('broken receivers', () => {
  it('reports a refused port', async () => {
    const { port } = await tcpReceiver(() => undefined);
    await closeReceivers();
    expect(await send(port)).toMatchObject({ httpStatus: null, error: 'connection_refused', remoteAddress: null });
  });

  it('reports a connection that is closed or reset without a response', async () => {
    const closing = await tcpReceiver((socket) => socket.once('data', () => socket.end()));
    expect(await send(closing.port)).toMatchObject({ httpStatus: null, error: 'connection_reset' });
    const resetting = await tcpReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await send(resetting.port)).toMatchObject({ httpStatus: null, error: 'connection_reset' });
  });

  it('reports a reset in the body, regardless of how the response began', async () => {
    const { port } = await answering('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', (socket) =>
      socket.resetAndDestroy(),
    );
    expect(await send(port)).toMatchObject({ httpStatus: 200, error: 'connection_reset' });
    const ended = await closingAfter('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    expect(await send(ended.port)).toMatchObject({ httpStatus: 200, error: 'connection_reset', responseText: 'half' });
    const chunked = await closingAfter('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nstart\r\n');
    expect(await send(chunked.port)).toMatchObject({
      httpStatus: 200,
      error: 'connection_reset',
      responseText: 'start',
    });
  });

  it.each([
    'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    'HTTP/1.1 two hundred\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
    'HTTP/1.1 200 OK\r\nbad header\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    'HTTP/1.1 101 No Upgrade\r\n\r\n',
    '\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
  ])('reports what is not an HTTP response: %j', async (answer) => {
    const { port } = await closingAfter(answer);
    expect(await send(port)).toMatchObject({ httpStatus: null, error: 'connection_reset' });
  });

  it('never throws, also for invalid headers', async () => {
    const { port, connections } = await httpReceiver((_, response) => response.end());
    const unfit: Record<string, string>[] = [
      { 'x-bad': 'a\r\nx-injected: 1' },
      { 'bad name': '1' },
      { 'transfer-encoding': 'chunked' },
    ];
    for (const headers of unfit) {
      expect(await send(port, { headers })).toMatchObject({ httpStatus: null, error: 'internal' });
    }
    expect(connections()).toBeLessThanOrEqual(3);
  });
});
