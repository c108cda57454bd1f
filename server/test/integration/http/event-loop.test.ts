// Tests that no single request blocks the event loop for long, however large it is.
import { setTimeout as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '@countersign/shared/api/public';
import { relayOnce } from '../../../src/worker/relay.ts';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { scaled, SOAK } from '../../soak.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let parsing: number;

/** The longest block allowed per request, as a multiple of what this machine needs to parse a body of the largest size. */
const MOST = 2;
/** The machine has other work: the minimum of several attempts is what the code itself needs, and one good attempt is enough. */
const TRIES = scaled(1, 8);

beforeAll(async () => {
  parsing = parsingTime();
  process.stdout.write(`parsing takes ${parsing.toFixed(0)} ms\n`);
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const headers = () => ({ 'content-type': 'application/json', 'x-api-key': project.pipeline.apiKey });
const post = (path: string, body: Buffer) =>
  ask(served, { method: 'POST', path: `/api/public${path}`, headers: headers(), body });

const list = (length: number, member: string) => `[${Array<string>(length).fill(member).join()}]`;
/** An item with this input, on one line. */
const itemOf = (input: string, confidence = 0.8) =>
  `{"project_id":"${project.id}","suggestion":"a","confidence":${confidence},"input":${input}}`;
/** As many copies of an item as a batch has room for. */
function batchOf(item: string, count: number = LIMITS.batchItems): Buffer {
  const room = Math.floor((LIMITS.batchBytes - 20) / (Buffer.byteLength(item) + 1));
  return Buffer.from(`{"items":${list(Math.min(count, room), item)}}`);
}
const NODES = LIMITS.nodes - 5;
const TEXT = () => `"${'x '.repeat(LIMITS.itemBytes / 2 - 200)}"`;
const ROW = () => list(Math.floor(NODES / 4), '{"k":"v","é":0.5,"n":null}');
/** As many values as fit into one item: far too many, all of which the server must count before it refuses. */
const TINY = () => list(Math.floor(LIMITS.itemBytes / 3) - 100, '[]');

/** How long the loop was blocked while the request was served, in ms: the minimum of several attempts. */
async function heldBy(request: () => Promise<Raw>, status: number): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < TRIES && least >= MOST * parsing; n += 1) {
    const holds = measureLoopDelay();
    // The monitor measures from one timer to the next: the first one starts it, the last one ends it.
    await turn(5);
    const raw = await request();
    await turn(5);
    expect(raw.status, raw.text.slice(0, 500)).toBe(status);
    least = Math.min(least, holds());
  }
  return least;
}

/** The CPU time of this thread so far, in ms. */
function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The CPU time of this thread to parse a body of the largest size, in ms. */
function parsingTime(): number {
  const text = `{"items":${list(1_700_000, '[]')}}`;
  return Math.min(
    ...Array.from({ length: TRIES }, () => {
      const before = worked();
      JSON.parse(text);
      return worked() - before;
    }),
  );
}

/**
 * Starts the monitor; the returned function stops it, and returns the longest block in ms of this thread's CPU time, which
 * excludes other processes.
 */
function measureLoopDelay(): () => number {
  let [last, longest] = [worked(), 0];
  const sample = () => {
    const now = worked();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(sample, 1);
  return () => {
    clearInterval(timer);
    sample();
    return longest;
  };
}

describe('the event loop is not blocked by', () => {
  it.each<[string, () => { path: string; body: Buffer }, number]>([
    ['an item of 10 000 values', () => ({ path: '/items', body: Buffer.from(itemOf(list(NODES, '0'))) }), 201],
    ['an item of many small objects', () => ({ path: '/items', body: Buffer.from(itemOf(ROW())) }), 201],
    ['an item of 256 KiB of text', () => ({ path: '/items', body: Buffer.from(itemOf(TEXT())) }), 201],
    ['an item of far too many values', () => ({ path: '/items', body: Buffer.from(itemOf(TINY())) }), 422],
    [
      'a batch of 500 items, 5 MiB',
      () => ({ path: '/items/batch', body: batchOf(itemOf(`"${'x'.repeat(10_240)}"`)) }),
      200,
    ],
    [
      'a batch of items of 10 000 values',
      () => ({ path: '/items/batch', body: batchOf(itemOf(list(NODES, '0'))) }),
      200,
    ],
    ['a batch of items of 256 KiB of text', () => ({ path: '/items/batch', body: batchOf(itemOf(TEXT(), 0.99)) }), 200],
    ['a batch of items of far too many values', () => ({ path: '/items/batch', body: batchOf(itemOf(TINY())) }), 200],
    [
      'a batch that is one list of nothing',
      () => ({ path: '/items/batch', body: Buffer.from(`{"items":${list(1_700_000, '[]')}}`) }),
      422,
    ],
    [
      'a batch without items',
      () => ({ path: '/items/batch', body: Buffer.from(`{"item":${list(1_700_000, '[]')}}`) }),
      422,
    ],
    [
      'a batch of quotes and backslashes',
      () => ({ path: '/items/batch', body: Buffer.from(`{"items":["${'\\"'.repeat(2_600_000)}"]}`) }),
      200,
    ],
  ])('%s does not block the event loop', { timeout: 60_000 }, async (name, request, status) => {
    const { path, body } = request();
    expect(body.length).toBeLessThanOrEqual(LIMITS.batchBytes);
    report(name, await heldBy(() => post(path, body), status));
  });

  it(
    'lists of 100 large items and of their decisions: a page ends early, and the next one continues',
    {
      timeout: 60_000,
    },
    async () => {
      const half = 'x'.repeat(LIMITS.itemBytes / 2 - 200);
      const large = itemOf(`"${half}"`, 0.99).replace('"suggestion":"a"', `"suggestion":"${half}"`);
      const own = await openProject(project.owner);
      const headersOf = { ...headers(), 'x-api-key': own.pipeline.apiKey };
      const read = (path: string) => ask(served, { method: 'GET', path: `/api/public${path}`, headers: headersOf });
      const body = Buffer.from(batchOf(large).toString().replaceAll(project.id, own.id));
      for (let n = 0; n < 5; n += 1) {
        expect(
          (await ask(served, { method: 'POST', path: '/api/public/items/batch', headers: headersOf, body })).status,
        ).toBe(200);
      }
      report('a list of 100 large items', await heldBy(() => read('/items?limit=100'), 200));
      await relayOnce(inside.services, inside.signals);
      report('the catch-up feed', await heldBy(() => read('/events?limit=100'), 200));
      const ids = new Set<string>();
      let after = '';
      for (let more = true; more;) {
        const { text } = await read(`/items?limit=100${after}`);
        const page = JSON.parse(text) as { data: { id: string }[]; has_more: boolean; next_cursor: string };
        expect(text.length).toBeLessThan(10 * 1024 * 1024);
        for (const { id } of page.data) ids.add(id);
        more = page.has_more;
        after = `&after=${page.next_cursor}`;
      }
      expect(ids.size).toBe(5 * Math.floor((LIMITS.batchBytes - 20) / (large.length + 1)));
    },
  );
});

/**
 * Prints the figure. It is a duration, though a relative one: only a soak judges it, because other load on the machine would
 * decide the result here.
 */
function report(name: string, ms: number): void {
  process.stdout.write(`${name}: the event loop is blocked for ${ms.toFixed(0)} ms\n`);
  if (SOAK) expect(ms / parsing, name).toBeLessThan(MOST);
}
