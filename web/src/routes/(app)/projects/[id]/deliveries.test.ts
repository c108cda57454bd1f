// The delivery log on the page: rows follow the facts, no page that was on its way takes them back, and no row is left out.
import type { FactOf } from '@countersign/shared/events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DeliveryLog, type Filter } from './deliveries.svelte.ts';

/** What was asked, and how to answer it. */
interface Asked {
  query: URLSearchParams;
  answer: (rows: [id: string, status: string][], next_cursor?: string | null) => void;
  fail: () => void;
}
let asked: Asked[];

beforeEach(() => {
  asked = [];
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (address: string, { signal }: RequestInit) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
    asked.push({
      query: new URL(address, 'http://here.test').searchParams,
      answer: (rows, next_cursor = null) =>
        resolve(Response.json({ data: rows.map(([id, status]) => ({ id, status, attempt: 1 })), next_cursor })),
      fail: () => reject(new TypeError('gone')),
    });
    return promise;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const ask = (index: number): Asked => {
  const one = asked[index];
  if (one === undefined) throw new Error(`Nobody asked ${index + 1} times.`);
  return one;
};
const shown = (log: DeliveryLog) => log.shown?.rows.map(({ id, status }) => `${id} ${status}`) ?? null;
const fact = (delivery_id: string, status: string) =>
  ({ type: 'delivery.changed', delivery_id, status, attempt: 2 }) as FactOf<'delivery.changed'>;

/** A log with its first page on show. */
async function open(filter: Filter, rows: [string, string][], next_cursor: string | null = null) {
  const log = new DeliveryLog('p', filter);
  const loading = log.load();
  ask(0).answer(rows, next_cursor);
  await loading;
  return log;
}

it('a fact heard while a page is on its way is not taken back by it', async () => {
  const log = await open('all', [['1', 'pending']]);
  const again = log.load();
  log.take(fact('1', 'succeeded'));
  ask(1).answer([
    ['2', 'pending'],
    ['1', 'pending'],
  ]);
  await again;
  expect(shown(log)).toEqual(['2 pending', '1 succeeded']);
  expect(log.shown?.rows[1]?.abilities).toEqual({ replay: true });
});

it('nor by the first page, or an older one', async () => {
  const log = new DeliveryLog('p', 'all');
  const first = log.load();
  log.take(fact('2', 'sending'));
  ask(0).answer([['2', 'pending']], 'after 2');
  await first;
  const older = log.loadOlder();
  log.take(fact('1', 'dead'));
  ask(1).answer([['1', 'sending']]);
  await older;
  expect(shown(log)).toEqual(['2 sending', '1 dead']);
});

it('a fact is forgotten once no page is on its way: the next one is newer', async () => {
  const log = await open('all', [['1', 'sending']]);
  const again = log.load();
  log.take(fact('1', 'dead'));
  ask(1).answer([['1', 'sending']]);
  await again;
  const later = log.load();
  ask(2).answer([['1', 'succeeded']]);
  await later;
  expect(shown(log)).toEqual(['1 succeeded']);
});

it('more new ones than a page holds begin the list anew, with the way to those in between', async () => {
  const log = await open('all', [['1', 'succeeded']], 'after 1');
  const again = log.load();
  ask(1).answer(
    [
      ['9', 'pending'],
      ['8', 'pending'],
    ],
    'after 8',
  );
  await again;
  expect([shown(log), log.shown?.cursor]).toEqual([['9 pending', '8 pending'], 'after 8']);
});

it('asks anew for a delivery it does not know, once for many, and only where it belongs', async () => {
  const log = await open('dead', [['1', 'dead']]);
  expect(ask(0).query.get('status')).toBe('dead');
  log.take(fact('2', 'pending'));
  log.take(fact('1', 'pending'));
  await vi.advanceTimersByTimeAsync(2000);
  expect([asked.length, shown(log)]).toEqual([1, ['1 pending']]);
  log.take(fact('2', 'dead'));
  log.take(fact('3', 'dead'));
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked).toHaveLength(2);
});
