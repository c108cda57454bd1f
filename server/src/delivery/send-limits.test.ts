// Attempts against receivers that send too much or too slowly (W4).
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { connectProxy } from '../../test/fixtures/connect-proxy.ts';
import { CERTIFICATE, PRIVATE_KEY, trust } from '../../test/fixtures/receiver-certificate.ts';
import {
  answering,
  closeReceivers,
  closingAfter,
  httpReceiver,
  listening,
  tcpReceiver,
} from '../../test/fixtures/receivers.ts';
import {
  bodyRead,
  type DeadlineOptions,
  outcomeAtDeadline,
  pass,
  until,
  useFrozenClock,
} from '../../test/fixtures/frozen-clock.ts';
import { type SendLimits, sendWebhook, type WebhookRequest } from './send.ts';

const LOOPBACK = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

useFrozenClock();
afterEach(closeReceivers);

function send(target: number | string, limits: Partial<SendLimits> = {}, options: Partial<WebhookRequest> = {}) {
  const url = typeof target === 'number' ? `http://127.0.0.1:${target}/` : target;
  return sendWebhook({ url, headers: {}, body: '{}', policy: LOOPBACK, ...options }, limits);
}

/** The same, with a deadline that passes. */
function sendLate(
  target: number | string,
  lateness: Partial<DeadlineOptions>,
  options: Partial<SendLimits & WebhookRequest> = {},
) {
  const limits = { deadlineMs: 300, ...options };
  return outcomeAtDeadline(send(target, limits, options), { deadlineMs: limits.deadlineMs, ...lateness });
}

const gone = (sockets: Set<Socket>) => until(() => sockets.size === 0);

describe('W4: the response', () => {
  it('is cut off when its body is endless: 2xx counts, the start is stored, the connection is closed', async () => {
    let written = 0;
    const { port, sockets } = await httpReceiver((_, response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000;
      };
      response.on('drain', pour);
      pour();
    });
    const outcome = await send(port);
    expect(outcome).toMatchObject({ httpStatus: 200, error: null });
    expect(outcome.responseText).toBe('x'.repeat(8_192));
    await gone(sockets);
    expect(written).toBeLessThan(64 * 1_024 * 1_024);
  });

  it('is read up to 64 KiB', async () => {
    const { port } = await httpReceiver((_, response) => {
      response.writeHead(200);
      response.write('x'.repeat(65_535));
    });
    expect(await sendLate(port, { soFar: () => bodyRead(65_535) })).toMatchObject({
      httpStatus: 200,
      error: 'timeout',
    });
    const { port: fuller } = await httpReceiver((_, response) => {
      response.writeHead(200);
      response.write('x'.repeat(65_536));
    });
    expect(await send(fuller)).toMatchObject({ httpStatus: 200, error: null });
  });

  it('is stripped of control characters, and of a character that is cut in half', async () => {
    const bodies = [
      Buffer.from([0x41, 0xff, 0xfe, 0x00, 0x1b, 0x9f, 0x0a, 0x09, 0x0d, 0x42]),
      Buffer.concat([Buffer.alloc(8_191, 'a'), Buffer.from('€')]),
      Buffer.from('<script>alert(1)</script>'),
    ];
    const { port } = await httpReceiver((_, response) => response.end(bodies.shift()));
    expect((await send(port)).responseText).toBe('A\ufffd\ufffd\ufffd\ufffd\ufffd\n\t\rB');
    expect((await send(port)).responseText).toBe('a'.repeat(8_191));
    expect((await send(port)).responseText).toBe('<script>alert(1)</script>');
  });

  it('is not decompressed: a gzip bomb stays small', async () => {
    const { port } = await httpReceiver((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(1_000, 0x1f)),
    );
    expect((await send(port)).responseText).toBe('\ufffd'.repeat(1_000));
  });

  it('is response_too_large with more than 16 KiB of headers', async () => {
    const withHeaders = (bytes: number) =>
      `HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(bytes)}\r\ncontent-length: 0\r\n\r\n`;
    const { port } = await closingAfter(withHeaders(15_000), withHeaders(17_000), withHeaders(1_000_000));
    expect(await send(port)).toMatchObject({ httpStatus: 200, error: null });
    expect(await send(port)).toMatchObject({ httpStatus: null, error: 'response_too_large', responseText: null });
    expect(await send(port)).toMatchObject({ httpStatus: null, error: 'response_too_large' });
  });
});

describe('W4: the data of a connection is limited in total', () => {
  const without = (text: string) => (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', more);
    more();
  };
  const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500);
  const inTls = (then: (socket: Socket) => void) =>
    listening(
      createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (socket) => socket.once('data', () => then(socket))),
    );

  it('for endless interim responses: plain, over TLS, and through a proxy', async () => {
    trust(CERTIFICATE);
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const plain = await answering('', without(INTERIM));
    const secure = await inTls(without(INTERIM));
    const proxy = await connectProxy();
    const urls = [`http://receiver.test:${plain.port}/`, `https://receiver.test:${secure.port}/`];
    for (const policy of [LOOPBACK, { ...LOOPBACK, proxyUrl: proxy.url }]) {
      for (const url of urls) {
        const outcome = await send(url, {}, { lookup, policy });
        expect(outcome, url).toMatchObject({ httpStatus: null, error: 'response_too_large' });
      }
    }
    await gone(plain.sockets);
    await gone(secure.sockets);
  });

  it('for chunks that are mostly overhead: the status is stored, and an error status determines the error', async () => {
    const chunk = `1;${'x'.repeat(8_000)}\r\nx\r\n`;
    const head = (status: string) => `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n`;
    const good = await answering(head('200 OK'), without(chunk));
    expect(await send(good.port)).toMatchObject({ httpStatus: 200, error: 'response_too_large' });
    const bad = await answering(head('503 No'), without(chunk));
    expect(await send(bad.port)).toMatchObject({ httpStatus: 503, error: 'http_5xx' });
  });

  it('allows a body of 64 KiB in chunks of one byte', async () => {
    const { port } = await answering(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(65_536)}0\r\n\r\n`,
    );
    expect(await send(port)).toMatchObject({ httpStatus: 200, error: null, responseText: 'x'.repeat(8_192) });
  });
});

describe('W4: one deadline covers everything', () => {
  it('a receiver that accepts the connection and never responds', async () => {
    const asked = Promise.withResolvers<unknown>();
    const { port, sockets } = await tcpReceiver((socket) => socket.once('data', asked.resolve));
    const outcome = await sendLate(port, { soFar: () => asked.promise });
    expect(outcome).toMatchObject({
      httpStatus: null,
      error: 'timeout',
      responseText: null,
      remoteAddress: '127.0.0.1',
    });
    await gone(sockets);
  });

  it('a body that trickles', async () => {
    const { port, sockets } = await answering('HTTP/1.1 200 OK\r\n\r\nstart', (socket) => drip(socket, '.'));
    const outcome = await sendLate(port, { soFar: bodyRead, meanwhile: bodyRead });
    expect(outcome).toMatchObject({ httpStatus: 200, error: 'timeout' });
    expect(outcome.responseText).toMatch(/^start\.*$/);
    await gone(sockets);
  });

  it('a body that trickles after an error status: the status counts', async () => {
    const { port } = await answering('HTTP/1.1 410 Gone\r\n\r\nbye', (socket) => drip(socket, '.'));
    expect(await sendLate(port, { soFar: bodyRead, meanwhile: bodyRead })).toMatchObject({
      httpStatus: 410,
      error: 'http_4xx',
    });
  });

  it.each([
    ['trickling headers', 'HTTP/1.1 200 OK\r\nx-slow: ', '.'],
    ['endless interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('ends %s at the deadline', async (_, head, text) => {
    let drops = 0;
    const { port } = await answering(head, (socket) => drip(socket, text, () => (drops += 1)));
    const more = () => {
      const before = drops;
      return until(() => drops - before > 2);
    };
    expect(await sendLate(port, { soFar: more, meanwhile: more })).toMatchObject({
      httpStatus: null,
      error: 'timeout',
    });
  });

  it('a name that never resolves', async () => {
    const outcome = await sendLate('http://receiver.test/', {}, { lookup: () => new Promise(() => undefined) });
    expect(outcome).toMatchObject({ error: 'timeout', remoteAddress: null });
  });

  it('an unfinished TLS handshake', async () => {
    const greeted = Promise.withResolvers<unknown>();
    const { port, sockets } = await tcpReceiver((socket) => socket.once('data', greeted.resolve));
    const lateness = { soFar: () => greeted.promise };
    const outcome = await sendLate(`https://127.0.0.1:${port}/`, lateness, { connectMs: 60_000 });
    expect(outcome).toMatchObject({ httpStatus: null, error: 'timeout' });
    await gone(sockets);
  });

  it('a TLS handshake that never finishes is connect_timeout', async () => {
    const greeted = Promise.withResolvers<unknown>();
    const { port } = await tcpReceiver((socket) => socket.once('data', greeted.resolve));
    const attempt = send(`https://127.0.0.1:${port}/`, { connectMs: 100 });
    await greeted.promise;
    // By the timers of undici, which tick twice a second.
    await pass(2_000);
    expect(await attempt).toMatchObject({ httpStatus: null, error: 'connect_timeout' });
  });

  function drip(socket: Socket, text: string, onDrop: () => unknown = () => undefined): void {
    const timer = setInterval(() => socket.write(text, onDrop), 10);
    socket.on('close', () => clearInterval(timer));
  }
});
