// Loading the change log: the newest on top, older ones on demand, and the list stays when the server fails.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChangeLog } from './change-log.svelte.ts';

/** A request, and how to answer it. */
interface RecordedRequest {
  query: URLSearchParams;
  answer: (ids: number[], next_cursor?: string | null) => void;
  fail: () => void;
}
let requests: RecordedRequest[];

beforeEach(() => {
  requests = [];
  vi.stubGlobal('fetch', (address: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const query = new URL(address, 'http://here.test').searchParams;
    requests.push({
      query,
      answer: (ids, next_cursor = null) =>
        resolve(Response.json({ data: ids.map((id) => ({ id: String(id) })), next_cursor })),
      fail: () => reject(new TypeError('The connection is gone.')),
    });
    return promise;
  });
});
afterEach(() => vi.unstubAllGlobals());

const ids = (log: ChangeLog) => log.shown?.rows.map(({ id }) => Number(id)) ?? null;
const ask = (index: number): RecordedRequest => {
  const one = requests[index];
  if (one === undefined) throw new Error(`Fewer than ${index + 1} requests were made.`);
  return one;
};

it('requests only one kind where one is selected', async () => {
  const log = new ChangeLog('p', 'key');
  const loading = log.load();
  expect(Object.fromEntries(ask(0).query)).toEqual({ limit: '50', kind: 'key' });
  ask(0).answer([2, 1]);
  await loading;
  expect([ids(log), log.loading, log.error]).toEqual([[2, 1], false, null]);
});

it('retains the list when the server fails, and shows the cause', async () => {
  const log = new ChangeLog('p', null);
  const first = log.load();
  ask(0).fail();
  await first;
  expect(ids(log)).toBeNull();
  expect(log.error).toBeInstanceOf(Error);
  const second = log.load();
  ask(1).answer([3, 2], 'on');
  await second;
  const third = log.load();
  ask(2).fail();
  await third;
  expect(ids(log)).toEqual([3, 2]);
  expect(log.error).toBeInstanceOf(Error);
});

it('uses the newer of two requests, in any order of answers', async () => {
  const log = new ChangeLog('p', null);
  const both = [log.load(), log.load()];
  ask(1).answer([2, 1]);
  ask(0).answer([1]);
  await Promise.all(both);
  expect(ids(log)).toEqual([2, 1]);
});

it('appends older rows below, once; a failure allows another attempt', async () => {
  const log = new ChangeLog('p', null);
  const first = log.load();
  ask(0).answer([4, 3], 'after 3');
  await first;
  const failing = log.loadOlder();
  ask(1).fail();
  await failing;
  expect(log.olderError).toBeInstanceOf(Error);
  const twice = [log.loadOlder(), log.loadOlder()];
  expect(requests).toHaveLength(3);
  expect(ask(2).query.get('after')).toBe('after 3');
  ask(2).answer([2, 1]);
  await Promise.all(twice);
  expect([ids(log), log.shown?.cursor, log.olderError]).toEqual([[4, 3, 2, 1], null, null]);
  await log.loadOlder();
  expect(requests).toHaveLength(3);
});

it('discards older rows that arrive after the list has started over', async () => {
  const log = new ChangeLog('p', null);
  const first = log.load();
  ask(0).answer([2, 1], 'after 1');
  await first;
  const older = log.loadOlder();
  const reload = log.load();
  ask(2).answer([9, 8], 'after 8');
  await reload;
  ask(1).answer([0]);
  await older;
  expect([ids(log), log.shown?.cursor]).toEqual([[9, 8], 'after 8']);
});
