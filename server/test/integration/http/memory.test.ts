// Tests memory limits against unread responses and unfinished bodies, and service for others meanwhile (MB1 to MB5).
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChanges } from '@countersign/shared/routes/changes';
import { listGuidelinesVersions } from '@countersign/shared/routes/guidelines';
import { changeProject } from '@countersign/shared/routes/projects';
import { LIMITS } from '@countersign/shared/limits';
import { startWaiterLoop } from '../../../src/wake-waiters.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemory, EXPECTED, RECEIVED, UNSENT } from '../../../src/limits/memory-limits.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { exportLearnings } from '../../../src/usecases/learnings/export-learnings.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import type { Database } from '../../../src/db/database.ts';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { relayAll } from '../analytics/rollup-checks.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
/** Room for two pages of an owner, and four of the largest items; a request without room is refused at once. */
const SMALL = { perOwner: 2 * EXPECTED.page, waitMs: 1 };
const memory = createMemory({ ...RECEIVED, ...SMALL, perOwner: 4 * LIMITS.itemBytes }, { ...UNSENT, ...SMALL });
let served: Served;
let project: OpenProject;
let other: OpenProject;
let reads = 0;
let reading = 0;

beforeAll(async () => {
  const { services } = inside;
  const watched: Database['read'] = (work) => {
    reads += 1;
    reading += 1;
    return services.db.read(work).finally(() => (reading -= 1));
  };
  const db: Database = { ...services.db, read: watched };
  served = await serve({ ...services, db, memory });
  project = await openProject(await person(served.testEnv));
  other = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const keyOf = (of: OpenProject) => ({ 'x-api-key': of.pipeline.apiKey });
const list = (of: OpenProject) =>
  ask(served, { method: 'GET', path: '/api/public/items?limit=100', headers: keyOf(of) });
const submit = (of: OpenProject, input: unknown = 'a', at: Served = served) =>
  ask(at, {
    method: 'POST',
    path: '/api/public/items',
    headers: { ...keyOf(of), 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: of.id, ...aSubmission(), input }),
  });

/** A connection that sends this and reads nothing of the response. */
async function saying(text: string, at = served): Promise<Socket> {
  const socket = connect(Number(new URL(at.testEnv.url()).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause().write(text);
  return socket;
}

const request = (line: string, headers: Record<string, string | number>, body = '') =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');

/** A body that is announced and never finished. */
const begun = (path: string, length: number, headers: Record<string, string> = {}) =>
  request(`POST ${path}`, { 'content-type': 'application/json', 'content-length': length, ...headers }, '{');

const refused = ({ status, headers, text }: Raw) => {
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(JSON.parse(text)).toMatchObject({ code: 'unavailable', status: 503 });
};

const taken = (count: () => number, bytes: number) => expect.poll(count, { interval: 5 }).toBe(bytes);

describe('unread responses', () => {
  it('MB1: hold an owner’s share and no more; the next is refused before the database is asked, others are served', async () => {
    for (let sent = 0; sent < 7; sent += 1) await submit(project, 'x'.repeat(250_000));
    await submit(other);
    const most = SMALL.perOwner;
    const page = request('GET /api/public/items?limit=100', keyOf(project));
    const attacker = await saying('');
    // The operating system buffers some of them before the limit is reached.
    const pinned = () => {
      const busy = reading > 0 || memory.unsent.waiting > 0;
      if (!busy && memory.unsent.taken <= most - EXPECTED.page) attacker.write(page.repeat(4));
      return busy ? 0 : memory.unsent.taken;
    };
    await expect.poll(pinned, { interval: 10, timeout: 20_000 }).toBeGreaterThan(most - EXPECTED.page);
    expect(memory.unsent.taken).toBeLessThanOrEqual(most);
    await list(other);
    const before = reads;
    refused(await list(project));
    expect(reads).toBe(before);
    expect((await list(other)).status).toBe(200);
    attacker.destroy();
    await taken(() => memory.unsent.taken, 0);
    expect((await list(project)).status).toBe(200);
  });

  it('MB3: of many large items are shorter pages with a cursor', async () => {
    const first = JSON.parse((await list(project)).text) as { data: unknown[]; has_more: boolean };
    expect(first.data.length).toBeLessThan(7);
    expect(first.has_more).toBe(true);
  });
});

describe('an item that is read by MCP', () => {
  let stopWaking: () => Promise<void>;
  beforeAll(async () => {
    stopWaking = await startWaiterLoop(inside);
  });
  afterAll(() => stopWaking());

  const check = (id: string, wait_seconds: number) => {
    const params = { name: 'check_review', arguments: { id, wait_seconds } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return ask(served, { method: 'POST', path: '/api/public/mcp', headers: { ...keyOf(project), ...headers }, body });
  };
  /** Each quotation mark has four characters in the text of the result, and two in its structured content. */
  const QUOTES = 120_000;
  const quotes = async () => JSON.parse((await submit(project, '"'.repeat(QUOTES))).text) as { id: string };

  /** Leaves the owner this many bytes, and the process as many as it has. */
  const leave = (bytes: number) => {
    const rest = SMALL.perOwner - memory.unsent.taken - bytes;
    const owner = { name: `keys of ${project.owner.id}`, stranger: false };
    const reservation = memory.unsent.tryReserve(owner, rest);
    if (reservation === null) throw new Error('There was not enough memory.');
    return reservation;
  };

  it('MB1: is counted as large as its response, and refused where that has no room', async () => {
    const { id } = await quotes();
    for (const room of [EXPECTED.one, 5 * QUOTES]) {
      const others = leave(room);
      refused(await check(id, 0));
      await taken(() => memory.unsent.taken, others.bytes);
      others.leave();
    }
    const { status, text } = await check(id, 0);
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(6 * QUOTES);
  });

  it('MB1: takes little memory while it waits for a decision, and is refused afterwards where it has no room', async () => {
    const { id } = await quotes();
    const waiting = check(id, 55);
    await expect.poll(() => inside.services.waiters.taken, { interval: 5 }).toBe(1);
    await taken(() => memory.unsent.taken, EXPECTED.small);
    const others = leave(EXPECTED.one);
    await review(project.owner, id, 'approve');
    refused(await waiting);
    await taken(() => memory.unsent.taken, others.bytes);
    others.leave();
    expect((await check(id, 55)).status).toBe(200);
  });
});

describe('lists of long texts by people', () => {
  const TEXTS = 30;

  it('MB3: have shorter pages, and miss no row', async () => {
    const { owner, id } = await openProject(other.owner);
    const params = { id };
    for (let version = 1; version <= TEXTS; version += 1) {
      const guidelines = `${version} ${'€'.repeat(19_000)}`;
      await owner.call(changeProject, { params, body: { settings_version: version, guidelines } });
    }
    const changes = await owner.call(listChanges, { params, query: { limit: 100 } });
    expect(changes.data.length).toBeLessThan(TEXTS);
    const rest = await owner.call(listChanges, { params, query: { limit: 100, after: changes.next_cursor ?? '' } });
    const both = [...changes.data, ...rest.data].map((one) => one.id);
    expect(new Set(both).size).toBe(both.length);
    expect(rest.data.length).toBeGreaterThan(0);
    const versions = await owner.call(listGuidelinesVersions, { params, query: { limit: 50 } });
    expect(versions.data.length).toBeLessThan(TEXTS);
    const older = await owner.call(listGuidelinesVersions, {
      params,
      query: { limit: 50, after: Number(versions.next_cursor) },
    });
    expect(versions.data.length + older.data.length).toBe(TEXTS);
  });

  it('MB3: are exported in batches of limited size, and miss no row', async () => {
    const of = await openProject(other.owner);
    const suggestions = Array.from({ length: 8 }, (_, at) => `${at} ${'x'.repeat(250_000)}`);
    for (const suggestion of suggestions) {
      const { id } = await of.pipeline.submit(aSubmission({ suggestion }));
      await review(of.owner, id, 'reject');
    }
    await relayAll(inside);
    const actor = { kind: 'member' as const, userId: of.owner.id } as MemberActor;
    const input = { projectId: of.id, filter: { format: 'raw' as const, test_share: 0 }, skip: 0 };
    const batches: string[] = [];
    for await (const chunk of (await exportLearnings(inside.services, actor, input)).lines) batches.push(chunk);
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.join('').match(/\n/g)).toHaveLength(8);
  });
});

describe('unfinished bodies', () => {
  it.each([
    ['a key', () => [keyOf(project), '/api/public/items', 4 * LIMITS.itemBytes] as const],
    [
      'a session',
      () => {
        const cookie = { cookie: project.owner.cookieHeader(), origin: served.testEnv.baseUrl };
        return [cookie, '/api/projects', 4 * LIMITS.itemBytes] as const;
      },
    ],
    ['neither', () => [{}, '/api/public/inbound/nobody', RECEIVED.perStranger] as const],
  ])('MB1: with %s hold a share and no more; the next is refused, others are served', async (_, what) => {
    const [headers, path, share] = what();
    const crowd = Array.from({ length: share / LIMITS.itemBytes }, () =>
      saying(begun(path, LIMITS.itemBytes, headers)),
    );
    const sockets = await Promise.all(crowd);
    await taken(() => memory.received.taken, share);
    const next = () =>
      ask(served, { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' });
    refused(await next());
    expect((await submit(other)).status).toBe(201);
    sockets[0]?.destroy();
    await taken(() => memory.received.taken, share - LIMITS.itemBytes);
    expect((await next()).status).toBeLessThan(500);
    for (const socket of sockets) socket.destroy();
    await taken(() => memory.received.taken, 0);
  });

  it('MB2: let a burst of honest ones through, one after another', async () => {
    const patient = createMemory({ ...RECEIVED, perOwner: LIMITS.itemBytes });
    const at = await serve({ ...inside.services, memory: patient });
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, patient.received.taken)), 1);
    const answers = await Promise.all(Array.from({ length: 16 }, () => submit(project, 'x'.repeat(100_000), at)));
    clearInterval(watch);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(most).toBeLessThanOrEqual(LIMITS.itemBytes);
    expect(patient.received.taken).toBe(0);
    await at.close();
  });

  it('MB4: from a client over its limit are refused before a byte is read', async () => {
    // The bucket is not refilled, however slow the machine is.
    const limiter = createMemoryLimiter(policiesOf(60_000), { now: () => new Date(0) });
    const at = await serve({ ...inside.services, limiter });
    const attempt = () =>
      ask(at, {
        method: 'POST',
        path: '/api/public/inbound/nobody',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      });
    let last = await attempt();
    while (last.status !== 429) last = await attempt();
    const socket = await saying(begun('/api/public/inbound/nobody', 1000), at);
    const [chunk] = (await once(socket.resume(), 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 429 /);
    socket.destroy();
    await at.close();
  });

  it('MB4: that arrive in tiny pieces end their connection, also where no handler reads them', async () => {
    const chunked = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
    for (const headers of [{ ...keyOf(other), ...chunked }, chunked]) {
      const smallChunks = '1\r\nx\r\n'.repeat(1001);
      const socket = await saying(request('POST /api/public/items', headers) + smallChunks);
      await once(socket.resume(), 'close');
    }
    await taken(() => memory.received.taken, 0);
  });

  it('MB4: may arrive in many pieces', async () => {
    const text = JSON.stringify({ project_id: other.id, ...aSubmission(), input: 'x'.repeat(120_000) });
    const pieces = text.match(/.{1,100}/g)?.map((piece) => Buffer.from(piece)) ?? [];
    expect(pieces.length).toBeGreaterThan(1000);
    const headers = { ...keyOf(other), 'content-type': 'application/json' };
    expect((await ask(served, { method: 'POST', path: '/api/public/items', headers, body: pieces })).status).toBe(201);
  });

  it('MB2: do not wait when they are chunked', async () => {
    const patient = createMemory({ ...RECEIVED, perOwner: LIMITS.itemBytes });
    const at = await serve({ ...inside.services, memory: patient });
    const first = await saying(begun('/api/public/items', LIMITS.itemBytes, keyOf(project)), at);
    await taken(() => patient.received.taken, LIMITS.itemBytes);
    const headers = { ...keyOf(project), 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const second = await saying(`${request('POST /api/public/items', headers)}1\r\n{\r\n`, at);
    const closed = once(second, 'close');
    const [chunk] = (await once(second.resume(), 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 503 /);
    await closed;
    first.destroy();
    await at.close();
  });

  it('MB4: of sign-in requests are limited', async () => {
    const headers = { 'content-type': 'application/json', origin: served.testEnv.baseUrl };
    const body = JSON.stringify({ challenge_id: 'x'.repeat(40_000) });
    expect((await ask(served, { method: 'POST', path: '/api/auth/verify', headers, body })).status).toBe(413);
  });

  it('MB1: no longer count while their sender waits for the decision', async () => {
    const leaving = new AbortController();
    const body = JSON.stringify({ project_id: project.id, ...aSubmission(), input: 'x'.repeat(200_000) });
    const headers = { ...keyOf(project), 'content-type': 'application/json', prefer: 'wait=60' };
    const waiting = fetch(`${served.testEnv.url()}/api/public/items`, {
      method: 'POST',
      headers,
      body,
      signal: leaving.signal,
    });
    await expect.poll(() => inside.services.waiters.taken, { interval: 5 }).toBe(1);
    await taken(() => memory.received.taken, 0);
    leaving.abort();
    await expect(waiting).rejects.toThrow('abort');
    await taken(() => memory.unsent.taken, 0);
  });
});
