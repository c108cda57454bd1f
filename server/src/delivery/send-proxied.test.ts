// Attempts through the operator's proxy (W5, WH7): the target, TLS, and who is at fault for a failure.
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectProxy } from '../../test/fixtures/connect-proxy.ts';
import { CERTIFICATE, PRIVATE_KEY, trust } from '../../test/fixtures/receiver-certificate.ts';
import { closeReceivers, closingAfter, httpReceiver, listening, tcpReceiver } from '../../test/fixtures/receivers.ts';
import { bodyRead, outcomeAtDeadline, pass, until, useFrozenClock } from '../../test/fixtures/frozen-clock.ts';
import { type SendLimits, sendWebhook, type WebhookRequest } from './send.ts';

const NUMBER: unknown = expect.any(Number);
/** No exceptions, although the proxy and the receiver are on loopback. */
const STRICT = { allowCidrs: [], allowHttp: true };
const noAnswer = () => Promise.reject(new Error('ENOTFOUND'));

useFrozenClock();
afterEach(closeReceivers);

/** Posts to the URL through the proxy; names resolve only there. */
function send(url: string, proxyUrl: string, options: Partial<WebhookRequest & { limits: Partial<SendLimits> }> = {}) {
  const { limits = {}, ...request } = options;
  const policy = { ...STRICT, proxyUrl };
  return sendWebhook({ url, headers: {}, body: '{"a":1}', policy, lookup: noAnswer, ...request }, limits);
}

const gone = (...all: Set<Socket>[]) => until(() => all.every(({ size }) => size === 0));

describe('W5: through the proxy', () => {
  it('sends plain HTTP by CONNECT to the name, and nothing about the proxy reaches the receiver', async () => {
    const seen: unknown[] = [];
    const { port, sockets } = await httpReceiver((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push({ method: request.method, url: request.url, names: Object.keys(request.headers).sort(), body });
        response.end('thanks');
      });
    });
    const proxy = await connectProxy();
    const outcome = await send(`http://receiver.test:${port}/hooks?a=1`, proxy.url, {
      headers: { 'webhook-id': 'e1' },
    });
    expect(outcome).toMatchObject({ httpStatus: 200, error: null, responseText: 'thanks', remoteAddress: null });
    expect(outcome.timings).toEqual({ dnsMs: NUMBER, connectMs: NUMBER, tlsMs: null, firstByteMs: NUMBER });
    expect(outcome).not.toHaveProperty('proxyFault');
    const names = ['connection', 'content-length', 'host', 'webhook-id'];
    expect(seen).toEqual([{ method: 'POST', url: '/hooks?a=1', names, body: '{"a":1}' }]);
    expect(proxy.asked).toEqual([{ target: `receiver.test:${port}`, credentials: undefined }]);
    await gone(sockets, proxy.sockets);
  });

  it('requests the default port if the URL names none, and a literal unchanged', async () => {
    const proxy = await connectProxy(() => 'HTTP/1.1 502 Bad Gateway\r\n\r\n');
    for (const url of ['https://a.test/', 'http://b.test/', 'https://8.8.8.8:8443/', 'https://[2606:4700::1]/']) {
      await send(url, proxy.url);
    }
    expect(proxy.asked.map(({ target }) => target)).toEqual([
      ...['a.test:443', 'b.test:80', '8.8.8.8:8443', '[2606:4700::1]:443'],
    ]);
  });

  it("verifies the receiver's certificate inside the tunnel, and measures its TLS", async () => {
    const { port } = await listening(
      createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) =>
        response.end(request.headers.host),
      ),
    );
    const proxy = await connectProxy();
    expect(await send(`https://receiver.test:${port}/`, proxy.url)).toMatchObject({
      httpStatus: null,
      error: 'tls_error',
    });
    trust(CERTIFICATE);
    const outcome = await send(`https://receiver.test:${port}/`, proxy.url);
    expect(outcome).toMatchObject({ httpStatus: 200, error: null, responseText: `receiver.test:${port}` });
    expect(outcome.timings).toEqual({ dnsMs: NUMBER, connectMs: NUMBER, tlsMs: NUMBER, firstByteMs: NUMBER });
    expect(await send(`https://other.test:${port}/`, proxy.url)).toMatchObject({
      httpStatus: null,
      error: 'tls_error',
    });
    expect(proxy.asked).toHaveLength(3);
    await gone(proxy.sockets);
  });

  it.each([
    ['http://10.0.0.1/', []],
    ['http://2130706433/', []],
    ['http://[::ffff:169.254.169.254]/', []],
    ['http://inside.test/', ['10.0.0.1']],
    ['http://inside.test/', ['8.8.8.8', 'fd00::1']],
  ])('refuses %s with the addresses %j before contacting the proxy', async (url, addresses) => {
    const proxy = await connectProxy();
    const lookup = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    expect(await send(url, proxy.url, { lookup })).toMatchObject({ httpStatus: null, error: 'blocked_address' });
    expect(proxy.connections()).toBe(0);
  });

  it('passes a name with allowed addresses to the proxy, not the addresses', async () => {
    const { port } = await httpReceiver((_, response) => response.end());
    const proxy = await connectProxy();
    const lookup = async () => [{ address: '8.8.8.8', family: 4 }];
    expect(await send(`http://public.test:${port}/`, proxy.url, { lookup })).toMatchObject({ httpStatus: 200 });
    expect(proxy.asked.map(({ target }) => target)).toEqual([`public.test:${port}`]);
  });

  it('sends its password to the proxy only', async () => {
    const { port } = await httpReceiver((request, response) => response.end(JSON.stringify(request.headers)));
    const expected = `Basic ${Buffer.from('us er:p@ss:wörd').toString('base64')}`;
    const proxy = await connectProxy(({ headers }) =>
      headers['proxy-authorization'] === expected ? false : 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
    );
    const url = `http://receiver.test:${port}/`;
    const right = await send(url, proxy.url.replace('//', '//us%20er:p%40ss:w%C3%B6rd@'));
    expect(right).toMatchObject({ httpStatus: 200, error: null });
    expect(right.responseText).not.toMatch(/proxy|Basic/i);
    const wrong = await send(url, proxy.url.replace('//', '//user:hunter2@'));
    expect(wrong).toMatchObject({ httpStatus: null, error: 'internal', proxyFault: 'responded with 407' });
    expect(JSON.stringify(wrong)).not.toMatch(/hunter2|dXNlcjpodW50ZXIy|127\.0\.0\.1/);
  });

  it('limits the response and follows no redirect, as without a proxy', async () => {
    const inside = await httpReceiver((_, response) => response.end('secret'));
    const location = `http://127.0.0.1:${inside.port}/`;
    const { port } = await httpReceiver((_, response) =>
      response.writeHead(302, { location }).end('x'.repeat(100_000)),
    );
    const proxy = await connectProxy();
    const outcome = await send(`http://receiver.test:${port}/`, proxy.url);
    expect(outcome).toMatchObject({ httpStatus: 302, error: 'redirect_refused', responseText: 'x'.repeat(8_192) });
    expect(inside.connections()).toBe(0);
  });
});

describe('WH7: who is at fault', () => {
  it.each<[string, string, string | null]>([
    ['403 Forbidden', 'blocked_address', null],
    ['407 Request rejected by proxy\r\nX-Smokescreen-Error: Egress proxying is denied', 'blocked_address', null],
    ['407 Proxy Authentication Required', 'internal', 'responded with 407'],
    ['400 Bad Request', 'internal', 'responded with 400'],
    ['429 Too Many Requests', 'internal', 'responded with 429'],
    ['302 Found\r\nlocation: http://127.0.0.1/', 'internal', 'responded with 302'],
    ['500 Unable to connect', 'connection_refused', null],
    ['502 Bad gateway', 'connection_refused', null],
    ['503 Service Unavailable', 'connection_refused', null],
    ['504 Gateway timeout', 'connect_timeout', null],
  ])('maps the response %j to CONNECT to %s', async (answer, error, fault) => {
    const proxy = await connectProxy(() => `HTTP/1.1 ${answer}\r\ncontent-length: 6\r\n\r\nsecret`);
    for (const url of ['http://receiver.test/', 'https://receiver.test/']) {
      const outcome = await send(url, proxy.url);
      expect(outcome).toMatchObject({ httpStatus: null, error, responseText: null, retryAfter: null });
      expect(outcome.proxyFault ?? null).toBe(fault);
    }
    await gone(proxy.sockets);
  });

  it('the operator, for a proxy that is unreachable, breaks off, or does not speak HTTP', async () => {
    const away = await connectProxy();
    await closeReceivers();
    const shut = await tcpReceiver((socket) => socket.once('data', () => socket.end()));
    const reset = await tcpReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const ssh = await closingAfter(...Array<string>(2).fill('SSH-2.0-OpenSSH_9.2\r\n'));
    const huge = await closingAfter(...Array<string>(2).fill(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`));
    for (const { port } of [away, shut, reset, ssh, huge]) {
      for (const url of ['http://receiver.test/', 'https://receiver.test/']) {
        const outcome = await send(url, `http://127.0.0.1:${port}`);
        expect(outcome).toMatchObject({ httpStatus: null, error: 'internal' });
        expect(outcome.proxyFault).toMatch(/^\w+$/);
      }
    }
  });

  it('the receiver, when it breaks off inside the tunnel', async () => {
    const { port } = await tcpReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const proxy = await connectProxy();
    for (const scheme of ['http', 'https']) {
      const outcome = await send(`${scheme}://receiver.test:${port}/`, proxy.url);
      expect(outcome).toMatchObject({ httpStatus: null, error: 'connection_reset' });
      expect(outcome).not.toHaveProperty('proxyFault');
    }
  });
});

describe('W4: the deadline through a proxy', () => {
  /** An attempt whose time runs out at a given point. */
  const sendLate = (url: string, proxyUrl: string, soFar: () => Promise<unknown>) => {
    const limits = { deadlineMs: 300, connectMs: 60_000 };
    return outcomeAtDeadline(send(url, proxyUrl, { limits }), { ...limits, soFar });
  };
  const drip = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 10);
    socket.on('close', () => clearInterval(timer));
    return true;
  };

  it.each<[string, (socket: Socket) => boolean]>([
    ['says nothing', () => true],
    ['drips', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-slow: ') && drip(socket, '.')],
  ])('applies when its response to CONNECT %s', async (_, answer) => {
    const proxy = await connectProxy((__, socket) => answer(socket));
    for (const scheme of ['http', 'https']) {
      const before = proxy.asked.length;
      const asked = () => until(() => proxy.asked.length > before);
      const outcome = await sendLate(`${scheme}://receiver.test/`, proxy.url, asked);
      expect(outcome).toMatchObject({ httpStatus: null, error: 'timeout' });
    }
    await gone(proxy.sockets);
  });

  it('applies while the receiver is silent behind it, and while its response trickles', async () => {
    const asked = Promise.withResolvers<unknown>();
    const silent = await tcpReceiver((socket) => socket.once('data', asked.resolve));
    const dripping = await tcpReceiver((socket) => socket.once('data', () => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n.')));
    const proxy = await connectProxy();
    for (const { receiver, soFar } of [
      { receiver: silent, soFar: () => asked.promise },
      { receiver: dripping, soFar: () => bodyRead() },
    ]) {
      const outcome = await sendLate(`http://receiver.test:${receiver.port}/`, proxy.url, soFar);
      expect(outcome.error).toBe('timeout');
      await gone(receiver.sockets, proxy.sockets);
    }
  });

  it('applies to TLS in the tunnel, which has its own limit too', async () => {
    let greetings = 0;
    const silent = await tcpReceiver((socket) => socket.once('data', () => (greetings += 1)));
    const proxy = await connectProxy();
    const url = `https://receiver.test:${silent.port}/`;
    const ended = await sendLate(url, proxy.url, () => until(() => greetings === 1));
    expect(ended).toMatchObject({ httpStatus: null, error: 'timeout' });
    await gone(silent.sockets, proxy.sockets);
    const limited = send(url, proxy.url, { limits: { connectMs: 100 } });
    await until(() => greetings === 2);
    // By the timers of undici, which tick twice a second.
    await pass(2_000);
    expect(await limited).toMatchObject({ httpStatus: null, error: 'connect_timeout' });
    await gone(silent.sockets, proxy.sockets);
  });
});
