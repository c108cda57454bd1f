// Tests media behind the guard: hosts, redirects, types, sizes and times, against hosts of every bad kind (MP2 to MP5).
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { badReceivers } from '../../test/fixtures/bad-receivers.ts';
import { CERTIFICATE, PRIVATE_KEY, trust } from '../../test/fixtures/receiver-certificate.ts';
import { answering, closeReceivers, httpReceiver, listening } from '../../test/fixtures/receivers.ts';
import { fetchMedia, type MediaLimits, type MediaSource } from './fetch-media.ts';

afterEach(closeReceivers);

const POLICY = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };
const HOSTS = ['receiver.test', 'other.test', 'rebinding.test'];
const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const picture = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]);

async function fetched(
  url: string,
  { range = null, limits = {}, ...source }: Partial<MediaSource> & { range?: string | null } = {},
) {
  const answer = await fetchMedia({ policy: POLICY, lookup, limits, ...source }, { url, hosts: HOSTS, range });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks) chunks.push(chunk);
  return { ...answer, bytes: Buffer.concat(chunks) };
}

const serving = (answer: (request: IncomingMessage, response: ServerResponse) => void) => httpReceiver(answer);
const sending = (type: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  serving((_, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body));
const at = (port: number, path = '/a.png') => `http://receiver.test:${port}${path}`;
const refused = (fault: string) => ({ name: 'MediaRefused', fault });

describe('MP2: the host', () => {
  it('is fetched without anything of the reader, and closes its connection', async () => {
    let seen: IncomingMessage['headers'] = {};
    const host = await serving((request, response) => {
      seen = request.headers;
      response.writeHead(200, { 'content-type': 'image/png', 'set-cookie': 'a=b', 'x-evil': '1' }).end(picture(5_000));
    });
    const { status, type, headers, bytes } = await fetched(at(host.port));
    expect({ status, type, bytes: bytes.length }).toEqual({ status: 200, type: 'image/png', bytes: 5_000 });
    expect(Object.keys(headers)).toEqual(['accept-ranges']);
    expect(Object.keys(seen).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host']);
    await vi.waitFor(() => expect(host.sockets.size).toBe(0));
  });

  it('gets the address without its fragment', async () => {
    const asked: (string | undefined)[] = [];
    const host = await serving((request, response) => {
      asked.push(request.url);
      response.writeHead(200, { 'content-type': 'image/png' }).end(picture(100));
    });
    await fetched(at(host.port, '/a.png?b=1#page=3'));
    expect(asked).toEqual(['/a.png?b=1']);
  });

  it('must be listed, in any spelling of the URL', async () => {
    const host = await sending('image/png', picture(100));
    for (const name of ['unlisted.test', 'receiver.test.evil.test', 'evil.test?receiver.test', '127.0.0.1'])
      await expect(fetched(`http://${name.replace('?', `:${host.port}/?`)}:${host.port}/`)).rejects.toMatchObject({
        name: 'MediaRefused',
      });
    expect(host.connections()).toBe(0);
  });

  it('must be https at its own port, unless the operator allows http', async () => {
    const policy = { ...POLICY, allowHttp: false };
    for (const url of ['http://receiver.test/', 'https://receiver.test:8443/', 'ftp://receiver.test/', 'nonsense'])
      await expect(fetched(url, { policy })).rejects.toMatchObject(refused('url_refused'));
  });

  it('is refused where its name leads to a private address, also when it does so later', async () => {
    const inside = await sending('image/png', picture(100));
    const strict = { allowCidrs: [], allowHttp: true };
    await expect(fetched(at(inside.port), { policy: strict })).rejects.toMatchObject(refused('url_refused'));
    const turning = vi.fn(async () => [
      { address: turning.mock.calls.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 },
    ]);
    const url = `http://rebinding.test:${inside.port}/`;
    expect((await fetched(url, { lookup: turning })).type).toBe('image/png');
    await expect(fetched(url, { lookup: turning })).rejects.toMatchObject(refused('url_refused'));
    expect(inside.connections()).toBe(1);
  });

  it('is verified by its certificate', async () => {
    const host = await listening(
      createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (_, response) =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(picture(100)),
      ),
    );
    const url = `https://receiver.test:${host.port}/`;
    await expect(fetched(url)).rejects.toMatchObject(refused('unreachable'));
    trust(CERTIFICATE);
    expect((await fetched(url)).type).toBe('image/png');
  });
});

describe('MP2: a redirect', () => {
  it.each([
    [3, 'fetched'],
    [4, 'too_many_redirects'],
  ])('followed %d times is %s, and each connection is closed', async (redirects, outcome) => {
    const host = await serving((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.writeHead(200, { 'content-type': 'image/png' }).end(picture(100));
      // Its body never ends: nothing but the reader closes the connection.
      else response.writeHead(302, { location: `/${left - 1}` }).write('moved');
    });
    const got = await fetched(at(host.port, `/${redirects}`)).then(
      () => 'fetched',
      ({ fault }: { fault: string }) => fault,
    );
    expect(got).toBe(outcome);
    await vi.waitFor(() => expect(host.sockets.size).toBe(0));
  });

  it('is followed to a listed host', async () => {
    const target = await sending('image/png', picture(100));
    const host = await serving((_, response) =>
      response.writeHead(302, { location: `http://other.test:${target.port}/b.png` }).end('moved'),
    );
    expect((await fetched(at(host.port))).bytes.length).toBe(100);
  });

  it.each([
    ['an unlisted host', (port: number) => `http://unlisted.test:${port}/`, 'host_refused'],
    ['a private address', (port: number) => `http://127.0.0.2:${port}/latest/meta-data`, 'host_refused'],
    ['a metadata service', () => 'http://169.254.169.254/latest/meta-data', 'url_refused'],
    ['another scheme', () => 'file:///etc/passwd', 'url_refused'],
    ['itself, again and again', (_: number, self: string) => self, 'too_many_redirects'],
  ])('to %s is refused', async (_, location, fault) => {
    const inside = await sending('image/png', picture(100));
    const host = await serving((request, response) =>
      response.writeHead(307, { location: location(inside.port, `http://${request.headers.host}/`) }).end(),
    );
    await expect(fetched(at(host.port))).rejects.toMatchObject(refused(fault));
    expect(inside.connections()).toBe(0);
  });
});

describe('MP4: the type', () => {
  it.each([
    ['HTML called a picture', 'image/png', '<html><script>alert(1)</script>'],
    ['HTML before a picture', 'image/png', `<script></script>${PNG.toString('latin1')}`],
    ['SVG', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['SVG called a picture', 'image/png', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a picture called HTML', 'text/html', picture(100)],
    ['a picture without a type', '', picture(100)],
    ['a PDF called a picture', 'image/png', '%PDF-1.7'],
    ['nothing', 'image/png', ''],
  ])('%s is refused for its media type', async (_, type, body) => {
    const host = await sending(type, body);
    await expect(fetched(at(host.port))).rejects.toMatchObject(refused('wrong_type'));
    await vi.waitFor(() => expect(host.sockets.size).toBe(0));
  });

  it('is that of the first bytes, not of the header', async () => {
    const host = await sending('image/jpeg; charset=utf-8', picture(100));
    expect((await fetched(at(host.port))).type).toBe('image/png');
  });

  it('closes the connection of a file that it refuses', async () => {
    const host = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'.repeat(1000));
    });
    await expect(fetched(at(host.port))).rejects.toMatchObject(refused('wrong_type'));
    await vi.waitFor(() => expect(host.sockets.size).toBe(0));
  });

  it('is refused compressed, before anything is decompressed', async () => {
    const host = await sending('image/png', gzipSync(picture(10_000_000)), { 'content-encoding': 'gzip' });
    await expect(fetched(at(host.port))).rejects.toMatchObject(refused('encoded'));
  });
});

describe('MP3: limits', () => {
  const small = { bytes: 10_000 };

  it('refuses a file that says it is too large, and a part of one', async () => {
    const host = await sending('image/png', picture(10_001), { 'content-length': '10001' });
    await expect(fetched(at(host.port), { limits: small })).rejects.toMatchObject(refused('too_large'));
    const parts = await serving((_, response) =>
      response.writeHead(206, { 'content-type': 'image/png', 'content-range': 'bytes 0-99/10001' }).end(picture(100)),
    );
    const part = fetched(at(parts.port), { limits: small, range: 'bytes=0-99' });
    await expect(part).rejects.toMatchObject(refused('too_large'));
  });

  it('refuses a file by its announced length, before the file is sent', async () => {
    const host = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '10001' }).write(picture(2_000));
    });
    await expect(fetched(at(host.port), { limits: small })).rejects.toMatchObject(refused('too_large'));
  });

  it.each([
    ['in its first bytes', 500, 501],
    ['later', 200_000, 200_001],
  ])('counts a body without a length, and refuses it %s', async (_, limit, length) => {
    const limits = { bytes: limit };
    const sent = (bytes: number) =>
      serving((_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        response.write(picture(bytes), () => response.end());
      });
    expect((await fetched(at((await sent(limit)).port), { limits })).bytes.length).toBe(limit);
    await expect(fetched(at((await sent(length)).port), { limits })).rejects.toMatchObject(refused('too_large'));
  });

  it('counts what stands around the file on the connection too', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\n';
    const chunk = `1;note=${'x'.repeat(900)}\r\n.\r\n`;
    const host = await answering(head, (socket: Socket) => {
      socket.write(`8\r\n${PNG.toString('latin1')}\r\n`, 'latin1');
      socket.end(`${chunk.repeat(100)}0\r\n\r\n`);
    });
    await expect(fetched(at(host.port), { limits: small })).rejects.toMatchObject(refused('too_large'));
  });

  it.each([
    [204, 'unreachable'],
    [304, 'unreachable'],
    [404, 'not_there'],
    [410, 'not_there'],
    [416, 'not_there'],
    [500, 'unreachable'],
  ])('the status %d is %s', async (status, fault) => {
    const host = await serving((_, response) => response.writeHead(status, { 'content-type': 'image/png' }).end());
    await expect(fetched(at(host.port))).rejects.toMatchObject(refused(fault));
  });

  it('breaks off a body without end, and one that is longer than it said', async () => {
    const endless = await answering('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n', (socket: Socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(picture(65_536)));
      };
      socket.on('drain', more);
      more();
    });
    await expect(fetched(at(endless.port), { limits: small })).rejects.toMatchObject(refused('too_large'));
    await vi.waitFor(() => expect(endless.sockets.size).toBe(0));
  });

  it('ends a file that arrives byte by byte by one deadline', async () => {
    const slow = await answering('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n', (socket: Socket) => {
      const timer = setInterval(() => socket.write('.'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const limits: Partial<MediaLimits> = { deadlineMs: 300 };
    await expect(fetched(at(slow.port), { limits })).rejects.toMatchObject(refused('timeout'));
    await vi.waitFor(() => expect(slow.sockets.size).toBe(0));
  });

  it('closes the connection when the reader leaves', async () => {
    const host = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write(picture(5_000));
    });
    const request = { url: at(host.port), hosts: HOSTS, range: null };
    const { chunks } = await fetchMedia({ policy: POLICY, lookup }, request);
    await chunks.next();
    const closed = once([...host.sockets][0]!, 'close');
    await chunks.return(undefined);
    await closed;
  });

  const internal = { port: 9, sockets: new Set<Socket>(), connections: () => 0, mostWritten: () => 0 };
  const receivers = badReceivers({ internal, rebinding: 'rebinding.test' });
  it.each(Object.entries(receivers).filter(([name]) => name !== 'a name that turns private'))(
    'survives a host with %s',
    async (_, bad) => {
      const { port } = await bad.open();
      const url = bad.url(port).replace('127.0.0.1', 'receiver.test');
      const limits = { deadlineMs: 1_500, connectMs: 500, bytes: 65_536 };
      await expect(fetched(url, { limits })).rejects.toMatchObject({ name: 'MediaRefused' });
    },
  );
});

describe('MP4: a part', () => {
  const sound = Buffer.concat([Buffer.from('ID3\x03'), Buffer.alloc(5_000, 1)]);
  const player = (body: Buffer, asked: string[] = []) =>
    serving((request, response) => {
      const [, from = '0', to = ''] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
      asked.push(request.headers.range ?? '');
      const end = Math.min(to === '' ? body.length : Number(to) + 1, body.length);
      const range = `bytes ${from}-${end - 1}/${body.length}`;
      response.writeHead(206, { 'content-type': 'audio/mpeg', 'content-range': range });
      response.end(body.subarray(Number(from), end));
    });

  it('from the middle is served once the start is recognized', async () => {
    const asked: string[] = [];
    const host = await player(sound, asked);
    const part = await fetched(at(host.port), { range: 'bytes=2000-2999' });
    expect(part).toMatchObject({ status: 206, type: 'audio/mpeg' });
    expect(part.headers).toMatchObject({
      'content-range': `bytes 2000-2999/${sound.length}`,
      'accept-ranges': 'bytes',
    });
    expect(part.bytes.equals(sound.subarray(2_000, 3_000))).toBe(true);
    expect(asked).toEqual(['bytes=0-1023', 'bytes=2000-2999']);
    await vi.waitFor(() => expect(host.sockets.size).toBe(0));
  });

  it('from the middle of HTML is refused, even where it looks like sound', async () => {
    const host = await player(Buffer.concat([Buffer.from(`<html>${' '.repeat(1_994)}`), sound]));
    await expect(fetched(at(host.port), { range: 'bytes=2000-' })).rejects.toMatchObject(refused('wrong_type'));
  });

  it('that does not say where it belongs is refused', async () => {
    const host = await serving((_, response) => response.writeHead(206, { 'content-type': 'audio/mpeg' }).end(sound));
    await expect(fetched(at(host.port), { range: 'bytes=0-' })).rejects.toMatchObject(refused('unreachable'));
  });

  it('is the whole file where the host knows no ranges', async () => {
    const host = await sending('audio/mpeg', sound);
    const { status, bytes } = await fetched(at(host.port), { range: 'bytes=2000-2999' });
    expect([status, bytes.length]).toEqual([200, sound.length]);
  });
});
