// Tests the options of the live socket: one transport and protocol, small packets (A8), none for other sites (A6).
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOL } from '@countersign/shared/sockets';
import { person, type Person } from '../../client.ts';
import { MAX_SOCKETS } from '../../../src/realtime/gateway.ts';
import { type LiveTestServer, waitUntilRead, startLiveServer } from '../support/live-server.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let live: LiveTestServer;
let who: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  live = await startLiveServer(inside);
  who = await person(served.testEnv);
});
afterAll(async () => {
  await live.close();
  await served.close();
});

const headersOf = (one: Person) => ({ origin: served.testEnv.baseUrl, cookie: one.cookieHeader() });
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };

/** The response to an upgrade: its status and headers, and whether a transport session was opened on it. */
async function upgraded(
  query: string,
  headers: Record<string, string> = {},
): Promise<{ answer: IncomingMessage; opened: boolean }> {
  const key = { 'sec-websocket-key': randomBytes(16).toString('base64') };
  const all = { ...headersOf(who), ...UPGRADE, ...key, ...headers };
  const sent = request(`${live.url}/socket.io/?${query}`, { headers: all });
  sent.end();
  const first = await Promise.race([once(sent, 'upgrade'), once(sent, 'response')]);
  const [answer, , head] = first as [IncomingMessage, unknown, Buffer | undefined];
  const { socket } = answer;
  const said = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.once('close', () => resolve(''));
    // Data that arrived with the response; after a refusal none will.
    if (answer.statusCode !== 101 || head?.length) resolve(head?.toString() ?? '');
  });
  const opened = (await said).includes('"sid"');
  socket.destroy();
  return { answer, opened };
}

describe('QU20: a page of an older version', () => {
  it('is refused by name, and a page of this version and a client without one are let in', async () => {
    const enter = (auth: Record<string, unknown>) => live.connect(headersOf(who), { auth });
    await expect(enter({ protocol: PROTOCOL - 1 })).rejects.toThrow('outdated_page');
    for (const auth of [{ protocol: PROTOCOL }, {}, { protocol: 'old' }]) (await enter(auth)).socket.disconnect();
  });
});

describe('A8: a socket', () => {
  it('is a WebSocket of the current protocol, and nothing older', async () => {
    expect((await upgraded('EIO=4&transport=websocket')).opened).toBe(true);
    for (const query of ['EIO=3&transport=websocket', 'transport=websocket', 'EIO=4', 'EIO=4&transport=polling'])
      expect((await upgraded(query)).opened, query).toBe(false);
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${live.url}/socket.io/?EIO=4&transport=polling`, { method, headers: headersOf(who) });
      expect(answer.status, method).toBe(400);
    }
  });

  it('MB5: answers one plain request to its path and closes the connection', async () => {
    const sent = connect(Number(new URL(live.url).port), '127.0.0.1');
    sent.write('GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nhost: any\r\n\r\n'.repeat(5));
    const answers = await text(sent);
    expect(answers.match(/HTTP\/1\.1 400/g)).toHaveLength(1);
    expect(answers.toLowerCase()).toContain('connection: close');
  });

  it('has no compression and no connection recovery, and times out after five seconds of silence', async () => {
    const { answer } = await upgraded('EIO=4&transport=websocket', {
      'sec-websocket-extensions': 'permessage-deflate',
    });
    expect(answer.headers['sec-websocket-extensions']).toBeUndefined();
    const { opts } = live.io as unknown as { opts: Record<string, unknown> };
    expect([opts.connectTimeout, opts.connectionStateRecovery]).toEqual([5000, undefined]);
  });

  it('serves no client script', async () => {
    for (const file of ['socket.io.js', 'socket.io.min.js', 'socket.io.esm.min.js'])
      expect((await fetch(`${live.url}/socket.io/${file}`)).status).not.toBe(200);
  });

  it('accepts a packet of 4 KiB, and is closed by a larger one', async () => {
    const listener = await live.connect(headersOf(who));
    const { socket } = listener;
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.emit('presence', 'x'.repeat(4096 - 20));
    await waitUntilRead(listener);
    socket.emit('presence', 'x'.repeat(4096));
    expect(await closed).toMatch(/^transport (?:close|error)$/);
  });

  it('is one of at most 50 of its person: the next is refused by name, others’ are not, and a closed one makes room', async () => {
    const [many, other] = [await person(served.testEnv), await person(served.testEnv)];
    const all = [];
    for (let n = 0; n < MAX_SOCKETS; n += 1) all.push(await live.connect(headersOf(many)));
    await expect(live.connect(headersOf(many))).rejects.toThrow('too_many_sockets');
    // The same person in another browser.
    const elsewhere = await person(served.testEnv, many.wallet);
    await expect(live.connect(headersOf(elsewhere))).rejects.toThrow('too_many_sockets');
    (await live.connect(headersOf(other))).socket.close();
    all.pop()?.socket.close();
    await expect
      .poll(() =>
        live.connect(headersOf(many)).then(
          ({ socket }) => all.push({ socket }),
          () => 0,
        ),
      )
      .toBe(MAX_SOCKETS);
    for (const { socket } of all) socket.close();
  });
});

describe('A6: another site', () => {
  it('gets no CORS header', async () => {
    const headers = { origin: 'https://evil.test', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const answer = await fetch(`${live.url}/socket.io/?EIO=4&transport=polling`, { method, headers });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

it('a connected socket retains neither its request nor its cookie, which would use memory as long as the tab is open', async () => {
  const { socket, inside: end } = await live.connect(headersOf(who));
  const { handshake, conn } = end;
  expect([handshake.headers, conn.request, JSON.stringify(handshake).includes('__Host-sid')]).toEqual([
    {},
    null,
    false,
  ]);
  socket.close();
});
