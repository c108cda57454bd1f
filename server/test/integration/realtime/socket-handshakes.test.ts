// Tests socket handshakes, and a flood of guessed sessions: counted by address, without queries (A12, RL2).
import { randomUUID } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSession } from '@countersign/shared/routes/session';
import { browser, person, type Person } from '../../client.ts';
import { type RawSocket, rawSocket } from '../../journeys/resilience/raw-socket.ts';
import { policiesOf, type Policies } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { createKnownSessions } from '../../../src/usecases/credentials/known-sessions.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { checkSession } from '../../../src/usecases/credentials/sessions.ts';
import { type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let live: LiveTestServer;
let who: Person;
/** The services under test, with a count of database lookups. */
let services: Services;
let reads = 0;
const open: RawSocket[] = [];

const few = { quota: 3, windowSeconds: 60 };

async function begin(
  policies: Partial<Policies> = {},
  options: Parameters<typeof startLiveServer>[1] = {},
): Promise<void> {
  const { db } = inside.services;
  const read: typeof db.read = (work) => {
    reads += 1;
    return db.read(work);
  };
  const limiter = createMemoryLimiter({ ...policiesOf(60_000), ...policies }, inside.clock);
  const knownSessions = createKnownSessions(inside.clock);
  services = { ...inside.services, db: { ...db, read }, limiter, knownSessions };
  served = await serve(services, { proxyHops: options.proxyHops ?? 0 });
  live = await startLiveServer({ signals: inside.signals, services }, options);
  who = await person(served.testEnv);
  reads = 0;
}

beforeEach(() => begin());
afterEach(async () => {
  for (const socket of open.splice(0)) socket.close();
  await live.close();
  await served.close();
});

async function again(...args: Parameters<typeof begin>): Promise<void> {
  await live.close();
  await served.close();
  await begin(...args);
}

async function connect(headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = await rawSocket({ ...who, testEnv: { ...who.testEnv, url: () => live.url } }, { headers });
  open.push(socket);
  return socket;
}

/** A well-formed session that does not exist. */
const guess = () => ({ cookie: `__Host-sid=${randomUUID()}.${'A'.repeat(43)}` });
const from = (address: string) => ({ 'x-forwarded-for': address });
const readWith = (headers: Record<string, string>) => ask(served, { method: 'GET', path: readSession.path, headers });
const cookie = () => ({ cookie: who.cookieHeader() });

describe('A12: a handshake', () => {
  it.each([
    ['no cookie', {}],
    ['no value', { cookie: '__Host-sid=' }],
    ['a malformed session', { cookie: "__Host-sid=x'; select 1; --" }],
    ['half a session', { cookie: `__Host-sid=${randomUUID()}.${'A'.repeat(42)}` }],
    ['another cookie', { cookie: `sid=${randomUUID()}.${'A'.repeat(43)}` }],
  ])('with %s is refused, and the database is not asked', async (_, headers) => {
    const stranger = { ...who, ...browser(served.testEnv) };
    const testEnv = { ...who.testEnv, url: () => live.url };
    await expect(rawSocket({ ...stranger, testEnv }, { headers })).rejects.toThrow('refused with 401');
    expect(reads).toBe(0);
  });

  it('from another origin is refused with 403', async () => {
    await expect(connect({ origin: 'https://evil.test' })).rejects.toThrow('refused with 403');
    expect(reads).toBe(0);
  });

  it('a handshake that names an open connection is refused: a second one cannot attach', async () => {
    const socket = await connect();
    await expect.poll(() => socket.received.length).toBeGreaterThan(0);
    const { sid } = JSON.parse(socket.received[0]?.slice(1) ?? '') as { sid: string };
    const path = `${live.url}/socket.io/?EIO=4&transport=websocket&sid=${sid}`;
    expect((await fetch(path, { headers: { origin: who.testEnv.baseUrl, ...cookie() } })).status).toBe(400);
    const second = rawSocket({ ...who, testEnv: { ...who.testEnv, url: () => `${path}&x=` } });
    await expect(second).rejects.toThrow('refused with 400');
  });

  it('is counted by address until its session is known: a valid one behind a flooded address passes', async () => {
    await again({ handshake: few });
    for (let n = 0; n < few.quota; n += 1) await connect(guess());
    await expect(connect(guess())).rejects.toThrow('refused with 429');
    for (let n = 0; n < 2 * few.quota; n += 1) await connect();
    inside.clock.pass((few.windowSeconds / few.quota) * 1000);
    await connect(guess());
    await expect(connect(guess())).rejects.toThrow('refused with 429');
  });

  it('of a known session is counted by that session', async () => {
    await again({ 'own-handshake': few });
    const other = await person(served.testEnv);
    for (let n = 0; n < few.quota; n += 1) await connect();
    await expect(connect()).rejects.toThrow('refused with 429');
    await connect({ cookie: other.cookieHeader() });
  });

  it('A11: counts for the address that the trusted proxy names, and forged entries further left have no effect', async () => {
    await again({ handshake: few }, { proxyHops: 1 });
    for (let n = 0; n < few.quota; n += 1) await connect({ ...guess(), ...from(`10.0.0.${n}, 192.0.2.1`) });
    await expect(connect({ ...guess(), ...from('10.0.0.9, 192.0.2.1') })).rejects.toThrow('refused with 429');
    await connect({ ...guess(), ...from('192.0.2.1, 192.0.2.2') });
  });

  it('A14: is refused with 503 when its address or the process has enough sockets, and admitted when one is closed', async () => {
    await again({}, { proxyHops: 1, most: { ofAddress: 2, ofProcess: 3 } });
    const [first] = [await connect(from('192.0.2.1')), await connect(from('192.0.2.1'))];
    await expect(connect(from('192.0.2.1'))).rejects.toThrow('refused with 503');
    await connect(from('192.0.2.2'));
    await expect(connect(from('192.0.2.3'))).rejects.toThrow('refused with 503');
    first?.close();
    const admitted = () => connect(from('192.0.2.3')).then(Boolean, () => false);
    await expect.poll(admitted).toBe(true);
  });
});

describe('RL2: wrong sessions', () => {
  it('are counted by address over HTTP and sockets: beyond the limit the database is not asked', async () => {
    await again({ 'unknown-session': few }, { proxyHops: 1 });
    const here = from('192.0.2.1');
    const known = await readWith({ ...cookie(), ...here });
    expect(known.status).toBe(200);
    reads = 0;
    for (let n = 0; n < few.quota; n += 1) expect((await readWith({ ...guess(), ...here })).status).toBe(401);
    expect(reads).toBe(few.quota);
    const refused = await readWith({ ...guess(), ...here });
    expect([refused.status, refused.headers.get('retry-after'), reads]).toEqual([429, '20', few.quota]);
    const socket = await connect({ ...guess(), ...here });
    socket.frame('40');
    await socket.gone;
    expect([socket.received[1], reads]).toEqual(['44{"message":"unavailable"}', few.quota]);
    // Recently valid sessions and other addresses are not refused.
    expect((await readWith({ ...cookie(), ...here })).status).toBe(200);
    expect((await readWith({ ...guess(), ...from('192.0.2.2') })).status).toBe(401);
  });

  it('share one lookup when many clients send the same one at the same time', async () => {
    const token = guess().cookie.split('=')[1];
    const check = () => checkSession(services, token, () => Promise.resolve());
    expect(new Set(await Promise.all(Array.from({ length: 30 }, check)))).toEqual(new Set([null]));
    expect(reads).toBe(1);
  });

  it('malformed sessions are refused without a lookup, and without a limit', async () => {
    await again({ 'unknown-session': few });
    for (let n = 0; n < 2 * few.quota; n += 1) expect((await readWith({ cookie: `__Host-sid=${n}` })).status).toBe(401);
    expect(reads).toBe(0);
  });

  it('A4: include a session from the moment it ends', async () => {
    await again({ 'unknown-session': few });
    const ended = cookie();
    await who.call(readSession);
    await inside.sql('delete from session');
    const statuses = [];
    for (let n = 0; n < few.quota + 2; n += 1) statuses.push((await readWith(ended)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
  });
});

it('A9: a client that disconnects while its handshake is counted ends nothing', async () => {
  const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { limiter } = inside.services;
  const take: typeof limiter.take = async (...args) => {
    asked.resolve();
    await gone.promise;
    return limiter.take(...args);
  };
  const services = { ...inside.services, limiter: { ...limiter, take } };
  const own = await startLiveServer({ signals: inside.signals, services });
  const http = own.io.httpServer as HttpServer;
  http.once('connection', (socket) => socket.once('close', gone.resolve));
  const client = connectTcp(Number(new URL(own.url).port), '127.0.0.1');
  client.on('error', () => undefined);
  const lines = [
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
  ];
  const headers = { origin: who.testEnv.baseUrl, ...guess() };
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  client.write(`${lines.join('\r\n')}\r\n\r\n`);
  await asked.promise;
  client.resetAndDestroy();
  const socket = await rawSocket({ ...who, testEnv: { ...who.testEnv, url: () => own.url } });
  await socket.join();
  socket.close();
  await own.close();
});
