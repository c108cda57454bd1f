// The delivery log on the page: rows follow the facts, no page that was on its way takes them back, and no row is left out.
import type { DomainEventOf } from '@countersign/shared/events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DeliveryFilter } from '@countersign/shared/filters/delivery-filter';
import { live } from '#lib/live/connection.svelte.ts';
import { DeliveryLog } from './deliveries.svelte.ts';

/** What was asked, and how to answer it. */
interface RecordedRequest {
  query: URLSearchParams;
  answer: (rows: [id: string, status: string][], next_cursor?: string | null) => void;
  fail: () => void;
}
let requests: RecordedRequest[];

beforeEach(() => {
  requests = [];
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (address: string, { signal }: RequestInit) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
    requests.push({
      query: new URL(address, 'http://here.test').searchParams,
      answer: (rows, next_cursor = null) => resolve(Response.json({ data: rows.map(lineOf), next_cursor })),
      fail: () => reject(new TypeError('gone')),
    });
    return promise;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Rows were made in the order of their ids. */
const lineOf = ([id, status]: [string, string]) => ({
  id,
  status,
  attempt: 1,
  run: { attempt: 1, of: 10 },
  http_status: null,
  error: null,
  duration_ms: 5,
  created_at: `2026-03-01T12:00:0${id}.000Z`,
});
const ask = (index: number): RecordedRequest => {
  const one = requests[index];
  if (one === undefined) throw new Error(`Nobody asked ${index + 1} times.`);
  return one;
};
const shown = (log: DeliveryLog) => log.shown?.rows.map(({ id, status }) => `${id} ${status}`) ?? null;
const domainEvent = (delivery_id: string, status: string) =>
  ({
    type: 'delivery.changed',
    delivery_id,
    status,
    attempt: 2,
    http_status: 503,
    error: 'http_5xx',
  }) as DomainEventOf<'delivery.changed'>;

/** Says what the connection says; only what a log follows is heard. */
function hearing() {
  const on = vi.spyOn(live, 'on');
  return (said: Partial<DomainEventOf<'project.changed'>>) => {
    const heard: [type: string, listener: (domainEvent: never) => void][] = on.mock.calls;
    for (const [type, listener] of heard) if (type === said.type) listener(said as never);
  };
}

/** A log with its first page on show. */
async function open(filter: DeliveryFilter, rows: [string, string][], next_cursor: string | null = null) {
  const log = new DeliveryLog('p', filter);
  const loading = log.load();
  ask(0).answer(rows, next_cursor);
  await loading;
  return log;
}

it('a fact heard while a page is on its way is not taken back by it', async () => {
  const log = await open({}, [['1', 'pending']]);
  const again = log.load();
  log.take(domainEvent('1', 'succeeded'));
  ask(1).answer([
    ['2', 'pending'],
    ['1', 'pending'],
  ]);
  await again;
  expect(shown(log)).toEqual(['2 pending', '1 succeeded']);
  expect(log.shown?.rows[1]?.abilities).toEqual({ replay: true, send_now: false });
});

it('nor by the first page, or an older one', async () => {
  const log = new DeliveryLog('p', {});
  const first = log.load();
  log.take(domainEvent('2', 'sending'));
  ask(0).answer([['2', 'pending']], 'after 2');
  await first;
  const older = log.loadOlder();
  log.take(domainEvent('1', 'dead'));
  ask(1).answer([['1', 'sending']]);
  await older;
  expect(shown(log)).toEqual(['2 sending', '1 dead']);
});

it('a fact is forgotten once no page is on its way: the next one is newer', async () => {
  const log = await open({}, [['1', 'sending']]);
  const again = log.load();
  log.take(domainEvent('1', 'dead'));
  ask(1).answer([['1', 'sending']]);
  await again;
  const later = log.load();
  ask(2).answer([['1', 'succeeded']]);
  await later;
  expect(shown(log)).toEqual(['1 succeeded']);
});

it('more new ones than a page holds begin the list anew, with the way to those in between', async () => {
  const log = await open({}, [['1', 'succeeded']], 'after 1');
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
  const log = await open({ status: 'dead' }, [['1', 'dead']]);
  expect(ask(0).query.get('status')).toBe('dead');
  log.take(domainEvent('2', 'pending'));
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(1);
  log.take(domainEvent('2', 'dead'));
  log.take(domainEvent('3', 'dead'));
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(2);
});

it('a row on show that answers the filter no more is brought up to date at once, and asked for anew', async () => {
  const log = await open({ status: 'dead' }, [['1', 'dead']]);
  log.take(domainEvent('1', 'pending'));
  expect(shown(log)).toEqual(['1 pending']);
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(2);
});

it('WH3: a pause or the end of one is that of all that wait: they are asked for anew', async () => {
  const heard = hearing();
  const log = await open({ status: 'pending' }, [['1', 'pending']]);
  const stop = log.follow();
  ask(1).answer([['1', 'pending']]);
  await vi.advanceTimersByTimeAsync(0);
  log.take(domainEvent('2', 'paused'));
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(3);
  ask(2).answer([]);
  await vi.advanceTimersByTimeAsync(0);
  heard({ type: 'project.changed', project_id: 'another', changed: ['webhook'] });
  heard({ type: 'project.changed', project_id: 'p', changed: ['members'] });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(3);
  heard({ type: 'project.changed', project_id: 'p', changed: ['webhook'] });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(4);
  stop();
});

it('a live fact that does not answer the filter fetches nothing, one that does is fetched', async () => {
  const log = await open({ code: '503', event: 'evt_1' }, [['1', 'dead']]);
  log.take({ ...domainEvent('2', 'dead'), http_status: 404 });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(1);
  log.take(domainEvent('2', 'dead'));
  await vi.advanceTimersByTimeAsync(2000);
  expect([ask(1).query.get('code'), ask(1).query.get('event')]).toEqual(['503', 'evt_1']);
});

it('the row that is open stays, in its place, when it answers the filter no more', async () => {
  const rows: [string, string][] = ['3', '2', '1'].map((id) => [id, 'dead']);
  const log = await open({ status: 'dead' }, rows, 'after 1');
  log.keepOpen('2');
  log.take(domainEvent('2', 'pending'));
  const again = log.load();
  ask(1).answer(
    [
      ['4', 'dead'],
      ['3', 'dead'],
      ['1', 'dead'],
    ],
    'after 1',
  );
  await again;
  expect(shown(log)).toEqual(['4 dead', '3 dead', '2 pending', '1 dead']);
  // So it does when more came than a page holds, and older ones follow.
  const reload = log.load();
  ask(2).answer([['9', 'dead']], 'after 9');
  await reload;
  const older = log.loadOlder();
  ask(3).answer([
    ['4', 'dead'],
    ['1', 'dead'],
  ]);
  await older;
  expect(shown(log)).toEqual(['9 dead', '4 dead', '2 pending', '1 dead']);
  log.keepOpen(null);
  const last = log.load();
  ask(4).answer([['9', 'dead']]);
  await last;
  expect(shown(log)).toEqual(['9 dead']);
});

it('under another filter the rows stay until the new ones are there, and older ones of before do not follow them', async () => {
  const log = await open({}, [['1', 'dead']], 'after 1');
  const older = log.loadOlder();
  const chosen = log.choose({ status: 'succeeded' });
  expect([shown(log), log.switching]).toEqual([['1 dead'], true]);
  ask(2).answer([['1', 'succeeded']], 'after 1');
  await chosen;
  ask(1).answer([['0', 'dead']]);
  await older;
  expect([shown(log), log.switching, log.shown?.cursor]).toEqual([['1 succeeded'], false, 'after 1']);
  expect(log.choose({ status: 'succeeded' })).toBeUndefined();
});

it('nothing older is fetched while the rows of another filter are on their way', async () => {
  const log = await open({}, [['2', 'dead']], 'after 2');
  void log.choose({ status: 'succeeded' });
  await log.loadOlder();
  expect([requests.length, log.switching, shown(log)]).toEqual([2, true, ['2 dead']]);
});

it('older ones that come while another filter is on its way leave it so, and keep no others waiting', async () => {
  const log = await open({}, [['2', 'dead']], 'after 2');
  const older = log.loadOlder();
  void log.choose({ status: 'succeeded' });
  ask(1).answer([['1', 'dead']]);
  await older;
  expect([log.switching, shown(log), log.loadingOlder]).toEqual([true, ['2 dead'], false]);
});

it('why older ones did not come is forgotten under another filter, also when it comes late', async () => {
  const log = await open({}, [['2', 'dead']], 'after 2');
  const failed = log.loadOlder();
  ask(1).fail();
  await failed;
  expect(log.olderError).not.toBeNull();
  const late = log.loadOlder();
  void log.choose({ status: 'succeeded' });
  expect(log.olderError).toBeNull();
  ask(2).fail();
  await late;
  expect(log.olderError).toBeNull();
});

it('WH1: a delivery that is sent again begins its schedule anew; its time is fetched when an attempt has ended', async () => {
  const log = await open({}, [['1', 'dead']]);
  log.take({ ...domainEvent('1', 'pending'), attempt: 1, http_status: null, error: null });
  expect(log.shown?.rows[0]).toMatchObject({ run: { attempt: 0, of: 10 }, duration_ms: 5 });
  log.take(domainEvent('1', 'pending'));
  expect(log.shown?.rows[0]).toMatchObject({ run: { attempt: 1, of: 10 }, duration_ms: null });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests.length).toBeGreaterThan(1);
});

it('reads anew as many rows as are on show', async () => {
  const rows: [string, string][] = Array.from({ length: 30 }, (_, at) => [String(at), 'dead']);
  const log = await open({}, rows, 'after 29');
  void log.load();
  expect([ask(0).query.get('limit'), ask(1).query.get('limit')]).toEqual(['20', '30']);
});
