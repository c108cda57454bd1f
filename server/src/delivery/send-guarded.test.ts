// Where an attempt may and may not connect (W1, W2): literals, names, changing names, certificates.
import { createServer as createTlsServer } from 'node:https';
import tls from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY, trust } from '../../test/fixtures/receiver-certificate.ts';
import { closeReceivers, closingAfter, httpReceiver, listening, tcpReceiver } from '../../test/fixtures/receivers.ts';
import { sendWebhook, type WebhookRequest } from './send.ts';

const LOOPBACK = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

afterEach(closeReceivers);
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function send(url: string, options: Partial<WebhookRequest> = {}) {
  return sendWebhook({ url, headers: {}, body: '{}', policy: LOOPBACK, ...options }, { deadlineMs: 5_000 });
}

describe('W1, W2: the target', () => {
  const strict = { allowCidrs: [], allowHttp: true };

  it.each([
    '',
    'nonsense',
    'ftp://example.com/',
    'https://user:pw@example.com/',
    'https://example.com:22/',
    'https://example.com/#x',
  ])('refuses to send to %j with invalid_url', async (url) => {
    expect(await send(url, { policy: strict })).toMatchObject({
      httpStatus: null,
      error: 'invalid_url',
      remoteAddress: null,
    });
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'is not connected to when it is a blocked literal: %s',
    async (host) => {
      const { port, connections } = await httpReceiver((_, response) => response.end('secret'));
      const outcome = await send(`http://${host}:${port}/`, { policy: strict });
      expect(outcome).toMatchObject({
        httpStatus: null,
        error: 'blocked_address',
        responseText: null,
        remoteAddress: null,
      });
      expect(connections()).toBe(0);
    },
  );

  it('is not connected to when its name has any private address', async () => {
    const { port, connections } = await httpReceiver((_, response) => response.end('secret'));
    const url = `http://receiver.test:${port}/`;
    const lookup = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    expect(await send(url, { lookup })).toMatchObject({ error: 'blocked_address', remoteAddress: null });
    expect(await send(url, { lookup, policy: strict })).toMatchObject({ error: 'blocked_address' });
    expect(connections()).toBe(0);
  });

  it('is a dns_error when its name does not resolve', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    expect(await send('http://receiver.test/', { lookup })).toMatchObject({ httpStatus: null, error: 'dns_error' });
  });

  it('is resolved once and pinned, even if the name changes its address after the check', async () => {
    const { port } = await httpReceiver((request, response) => response.end(request.headers.host));
    const lookup = vi.fn(async () => [
      { address: lookup.mock.calls.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 },
    ]);
    const outcome = await send(`http://rebinding.test:${port}/`, { lookup });
    expect(outcome).toMatchObject({
      httpStatus: 200,
      responseText: `rebinding.test:${port}`,
      remoteAddress: '127.0.0.1',
    });
    expect(lookup).toHaveBeenCalledOnce();
  });

  it('is checked again after connecting and before anything is sent', async () => {
    const received: Buffer[] = [];
    const { port, connections } = await tcpReceiver((socket) => socket.on('data', (bytes) => received.push(bytes)));
    const answers = [['127.0.0.0/8'], []];
    const policy = {
      allowHttp: true,
      get allowCidrs() {
        return answers.shift() ?? [];
      },
    };
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const outcome = await send(`http://receiver.test:${port}/`, { policy, lookup });
    expect(outcome).toMatchObject({ httpStatus: null, error: 'blocked_address', remoteAddress: '127.0.0.1' });
    expect(connections()).toBe(1);
    expect(received).toEqual([]);
  });

  it('is tried at its next address when the first does not respond', async () => {
    const { port } = await httpReceiver((_, response) => response.end('ok'));
    const lookup = async () => [
      { address: '127.0.0.2', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await send(`http://receiver.test:${port}/`, { lookup })).toMatchObject({
      httpStatus: 200,
      remoteAddress: '127.0.0.1',
    });
  });
});

describe('TLS', () => {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const secure = (options: object = {}) =>
    listening(
      createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE, ...options }, (request, response) =>
        response.end(request.headers.host),
      ),
    );

  it('reports tls_error for an unknown certificate, regardless of the environment', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { port } = await secure();
    expect(await send(`https://receiver.test:${port}/`, { lookup })).toMatchObject({
      httpStatus: null,
      error: 'tls_error',
    });
  });

  it('reports tls_error for a server without TLS', async () => {
    const { port } = await closingAfter('HTTP/1.1 200 OK\r\n\r\n');
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ httpStatus: null, error: 'tls_error' });
  });

  it('accepts a trusted certificate for its name only, with or without a trailing dot', async () => {
    trust(CERTIFICATE);
    const { port } = await secure();
    expect(await send(`https://receiver.test:${port}/`, { lookup })).toMatchObject({
      httpStatus: 200,
      error: null,
      responseText: `receiver.test:${port}`,
    });
    expect(await send(`https://receiver.test.:${port}/`, { lookup })).toMatchObject({ httpStatus: 200, error: null });
    expect(await send(`https://other.test:${port}/`, { lookup })).toMatchObject({
      httpStatus: null,
      error: 'tls_error',
    });
  });

  it('reports tls_error for TLS 1.1, even when the ciphers would allow it', async () => {
    const ciphers = tls.DEFAULT_CIPHERS;
    tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';
    trust(CERTIFICATE);
    const { port } = await secure({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    expect(await send(`https://receiver.test:${port}/`, { lookup })).toMatchObject({ error: 'tls_error' });
    tls.DEFAULT_CIPHERS = ciphers;
  });
});
