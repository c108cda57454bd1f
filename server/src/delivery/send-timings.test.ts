// The durations of the phases of an attempt: measured separately, and null for phases not reached.
import { createServer as createTlsServer } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY, trust } from '../../test/fixtures/receiver-certificate.ts';
import { closeReceivers, httpReceiver, listening } from '../../test/fixtures/receivers.ts';
import { pass, useFrozenClock } from '../../test/fixtures/frozen-clock.ts';
import { ConnectionPool } from './connections.ts';
import type { Lookup } from './guard/names.ts';
import { sendWebhook, type WebhookRequest } from './send.ts';

const SLOW_MS = 60;
const NUMBER: unknown = expect.any(Number);
const POLICY = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

useFrozenClock();
afterEach(closeReceivers);

const send = (url: string, lookup?: Lookup, more: Pick<WebhookRequest, 'reuse'> = {}) =>
  sendWebhook({ url, headers: {}, body: '{}', policy: POLICY, ...(lookup && { lookup }), ...more });

/** A slow lookup. */
const slowName: Lookup = async () => {
  await pass(SLOW_MS);
  return [{ address: '127.0.0.1', family: 4 }];
};

describe('the timings of an attempt', () => {
  it('separate a slow name from a slow receiver, and add up to the total', async () => {
    const { port } = await httpReceiver((_, response) => void pass(2 * SLOW_MS).then(() => response.end('ok')));
    const { timings, totalMs } = await send(`http://receiver.example:${port}/`, slowName);
    expect(timings).toEqual({ dnsMs: SLOW_MS, connectMs: 0, tlsMs: null, firstByteMs: 2 * SLOW_MS });
    expect(totalMs).toBe(3 * SLOW_MS);
  });

  it('separate TLS from TCP; a failed handshake has none', async () => {
    const { port } = await listening(
      createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => response.end('ok')),
    );
    const url = `https://receiver.test:${port}/`;
    const failed = await send(url, slowName);
    expect(failed.error).toBe('tls_error');
    expect(failed.timings).toMatchObject({ connectMs: NUMBER, tlsMs: null, firstByteMs: null });
    trust(CERTIFICATE);
    const { error, timings } = await send(url, slowName);
    expect(error).toBeNull();
    expect(timings).toEqual({ dnsMs: NUMBER, connectMs: NUMBER, tlsMs: NUMBER, firstByteMs: NUMBER });
    const reuse = { connections: new ConnectionPool(), projectId: 'a' };
    await send(url, slowName, { reuse });
    const { timings: again } = await send(url, slowName, { reuse });
    reuse.connections.close();
    expect(again).toEqual({ dnsMs: NUMBER, connectMs: null, tlsMs: null, firstByteMs: NUMBER });
  });

  it('contain only the lookup when nothing listens on the port', async () => {
    const { port } = await httpReceiver(() => undefined);
    await closeReceivers();
    const { timings, error } = await send(`http://127.0.0.1:${port}/`);
    expect(error).toBe('connection_refused');
    expect(timings).toMatchObject({ dnsMs: NUMBER, connectMs: null, firstByteMs: null });
  });
});
