// Invalid requests: each one gets a problem response or a closed connection, and the server keeps running.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { createHttpServer, type HttpTimeouts } from './server.ts';

const IMPATIENT: HttpTimeouts = {
  headersMs: 60,
  requestMs: 120,
  checkEveryMs: 20,
  silenceMs: 60_000,
  keepAliveMs: 60_000,
};
const PATIENT: HttpTimeouts = { ...IMPATIENT, headersMs: 30_000, requestMs: 30_000 };
/**
 * The server times out only after the request has reached a given point, so the speed of the client does not matter.
 */
const losePatience = () => {
  server.headersTimeout = IMPATIENT.headersMs;
  server.requestTimeout = IMPATIENT.requestMs;
};
let server: Server;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const ok: RequestListener = (_, response) => void response.end('ok');

async function serve(listener: RequestListener = ok, patience?: HttpTimeouts): Promise<number> {
  server = createHttpServer(listener, patience).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function open(port: number, options: { allowHalfOpen?: boolean } = {}): Socket {
  const socket = connect({ ...options, port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Everything that the server sends until it closes the connection. */
async function saidTo(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

async function answerTo(port: number, bytes: string | Buffer): Promise<string> {
  const socket = open(port);
  socket.write(bytes);
  return saidTo(socket);
}

/** Checks a response against the problem schema, and returns it with its headers. */
function problemIn(answer: string) {
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const headers = new Headers(
    head
      .split('\r\n')
      .slice(1)
      .map((line): [string, string] => line.split(': ', 2) as never),
  );
  const body = problem.parse(JSON.parse(text));
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(headers.get('x-request-id')).toBe(body.request_id);
  expect([headers.get('cache-control'), headers.get('connection')]).toEqual(['no-store', 'close']);
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${body.status} `));
  return body;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n';

describe('an unreadable request', () => {
  it.each<[string, string | Buffer]>([
    ['not HTTP', 'hello\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100f4010000f003', 'hex')],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a name', `${REQUEST}: value\r\n\r\n`],
    ['a header with a space in its name', `${REQUEST}bad name: value\r\n\r\n`],
    ['a NUL in a header', `${REQUEST}x-name: a\0b\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an unknown expectation', `${REQUEST}Expect: the-unexpected\r\n\r\n`],
    ['two lengths', `${REQUEST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    [
      'a length and chunks (request smuggling)',
      `${REQUEST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a non-numeric length', `${REQUEST}Content-Length: many\r\n\r\n`],
    ['a chunk without a size', `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n`],
  ])('%s: gets 400 invalid_header and a closed connection', async (_, bytes) => {
    const port = await serve((request, response) => void request.resume().on('end', () => response.end('ok')));
    expect(problemIn(await answerTo(port, bytes))).toMatchObject({ status: 400, code: 'invalid_header' });
    expect(await answerTo(port, `${REQUEST}Connection: close\r\n\r\n`)).toContain('200 OK');
  });

  it.each([17, 300, 30_000])(
    'headers of %s KiB: get 400 invalid_header, also when they are sent to the end',
    async (kib) => {
      const socket = open(await serve());
      const troubles: Error[] = [];
      socket.on('error', (error) => troubles.push(error));
      socket.write(`${REQUEST}x-large: ${'x'.repeat(kib * 1024)}\r\n\r\n`);
      const detail = expect.stringContaining('16 KiB') as string;
      expect(problemIn(await saidTo(socket))).toMatchObject({ code: 'invalid_header', detail });
      // The connection is not reset: a reset could lose the response.
      expect(troubles).toEqual([]);
    },
  );

  it('headers of 15 KiB are accepted', async () => {
    const port = await serve();
    const answer = await answerTo(port, `${REQUEST}Connection: close\r\nx-large: ${'x'.repeat(15 * 1024)}\r\n\r\n`);
    expect(answer).toContain('200 OK');
  });
});

describe('an unusual but valid request', () => {
  it('is answered as HTTP/1.1 when it offers HTTP/2, as clients of some languages do', async () => {
    const port = await serve();
    // With an upgrade listener, such as the one of the sockets, Node would pass every upgrade offer to it.
    server.on('upgrade', (_, socket: Socket) => void socket.end('upgraded'));
    const offer = (protocol: string, path: string) =>
      answerTo(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`);
    expect(await offer('h2c', '/socket.io/')).toContain('200 OK');
    expect(await offer('WebSocket', '/socket.io/?EIO=4')).toBe('upgraded');
    // A14: no other path accepts the upgrade, and the connection would stay open.
    for (const path of ['/', '/healthz', '/socket.iox/'])
      expect(await offer('WebSocket', path), path).toContain('200 OK');
  });

  it('needs no Host when it is HTTP/1.0', async () => {
    const port = await serve();
    expect(await answerTo(port, 'GET / HTTP/1.0\r\n\r\n')).toContain('200 OK');
  });
});

describe('a request that arrives too slowly', () => {
  it('gets 408 request_timeout for slow headers', async () => {
    const port = await serve(ok, IMPATIENT);
    const answer = await answerTo(port, REQUEST);
    expect(problemIn(answer)).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('gets 408 request_timeout for a slow body, however steadily it trickles', async () => {
    const socket = open(await serve((request) => void request.resume().on('error', () => undefined), IMPATIENT));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 10);
    const answer = await saidTo(socket).finally(() => clearInterval(drip));
    expect(problemIn(answer)).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('makes its body reader fail', async () => {
    const broken = Promise.withResolvers<unknown>();
    const listener: RequestListener = (request) => {
      request.resume().on('error', broken.resolve);
      losePatience();
    };
    const socket = open(await serve(listener, PATIENT));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
    expect(problemIn(await saidTo(socket))).toMatchObject({ status: 408, code: 'request_timeout' });
    await broken.promise;
  });

  it('is not handled when the rest of its body arrives after the response', async () => {
    const outcome = Promise.withResolvers<string>();
    const listener: RequestListener = (request) => {
      request
        .resume()
        .on('end', () => outcome.resolve('complete'))
        .on('error', () => outcome.resolve('broken off'));
      losePatience();
    };
    const socket = open(await serve(listener, PATIENT), { allowHalfOpen: true });
    socket.resume().write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx');
    await once(socket, 'end');
    socket.write('x');
    expect(await outcome.promise).toBe('broken off');
  });

  it('is not a slow response: that request arrived in time', async () => {
    const port = await serve((_, response) => {
      losePatience();
      setTimeout(() => response.end('late'), 300);
    }, PATIENT);
    expect(await answerTo(port, `${REQUEST}Connection: close\r\n\r\n`)).toContain('late');
  });
});

describe('a bad request after a good one', () => {
  it('does not corrupt the response in progress', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half ');
    });
    const socket = open(port);
    const said = saidTo(socket);
    socket.write(`${REQUEST}\r\n`);
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect(await said).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nhalf $/);
  });

  it('gets its own response when the first one is complete', async () => {
    const port = await serve();
    const socket = open(port);
    const said = saidTo(socket);
    socket.write(`${REQUEST}\r\n`);
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    const [, second = ''] = (await said).split(/(?=HTTP\/1\.1 400)/);
    expect(problemIn(second)).toMatchObject({ code: 'invalid_header' });
  });

  it('does not break the server when the client disconnects at the worst moments', async () => {
    const port = await serve(ok, PATIENT);
    for (const bytes of ['', 'GET', 'nonsense\r\n\r\n', REQUEST, `${REQUEST}Content-Length: 9\r\n\r\nx`]) {
      const socket = open(port);
      await once(socket, 'connect');
      socket.write(bytes, () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    expect(await answerTo(port, `${REQUEST}Connection: close\r\n\r\n`)).toContain('200 OK');
  });
});

describe('a client that sends a request and does not read', () => {
  it('is disconnected when nothing has moved for the longest allowed wait', async () => {
    const { promise: answering, resolve } = Promise.withResolvers<Parameters<RequestListener>[1]>();
    const listener: RequestListener = (_, response) => {
      // More than the buffers of both ends can hold.
      response.end(Buffer.alloc(64 * 1024 * 1024));
      resolve(response);
    };
    const port = await serve(listener, { ...PATIENT, silenceMs: 1000 });
    const socket = open(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const response = await answering;
    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
  });
});
