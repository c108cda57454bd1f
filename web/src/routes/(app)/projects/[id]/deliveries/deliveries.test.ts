// The delivery log in the page: rows follow the events, no page in flight reverts them, and no row is lost.
import type { DomainEventOf } from '@countersign/shared/schemas/parts/events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DeliveryFilter } from '@countersign/shared/schemas/parts/delivery-filter';
import { live } from '#lib/live/connection.svelte.ts';
import { DeliveryLog } from './deliveries.svelte.ts';

/** A request, and how to answer it. */
interface RecordedRequest {
  query: URLSearchParams;
  answer: (rows: [id: string, status: string][], next_cursor?: string | null) => void;
  fail: () => void;
}
let requests: RecordedRequest[];
/** Each test has its own: what a log of another one asks for late is no request of this one. */
let project = 'p0';

beforeEach(() => {
  requests = [];
  project = `p${Number(project.slice(1)) + 1}`;
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (address: string, { signal }: RequestInit) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    if (!address.startsWith(`/api/projects/${project}/`)) return promise;
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
    requests.push({
      query: new URL(address, 'http://here.test').searchParams,
      answer: (rows, next_cursor = null) => resolve(Response.json({ data: rows.map(lineOf), next_cursor })),
      fail: () => reject(new TypeError('The connection is gone.')),
    });
    return promise;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Rows were created in the order of their ids. */
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
  if (one === undefined) throw new Error(`Fewer than ${index + 1} requests were made.`);
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

/** Simulates the connection; a log receives only the events it subscribed to. */
function hearing() {
  const on = vi.spyOn(live, 'on');
  return (said: Partial<DomainEventOf<'project.changed'>>) => {
    const heard: [type: string, listener: (domainEvent: never) => void][] = on.mock.calls;
    for (const [type, listener] of heard) if (type === said.type) listener(said as never);
  };
}

/** A log with its first page loaded. */
async function open(filter: DeliveryFilter, rows: [string, string][], next_cursor: string | null = null) {
  const log = new DeliveryLog(project, filter);
  const loading = log.load();
  ask(0).answer(rows, next_cursor);
  await loading;
  return log;
}

it('an event received while a page loads is not reverted by it', async () => {
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
  const log = new DeliveryLog(project, {});
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

it('an event is dropped once no page is loading: the next one is newer', async () => {
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

it('more new rows than a page holds start the list over, with a cursor to those in between', async () => {
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

it('requests an unknown delivery, once for many, and only where it matches', async () => {
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

it('a listed row that no longer matches the filter is updated at once, and requested again', async () => {
  const log = await open({ status: 'dead' }, [['1', 'dead']]);
  log.take(domainEvent('1', 'pending'));
  expect(shown(log)).toEqual(['1 pending']);
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(2);
});

it('WH3: a pause or its end applies to all waiting ones: they are requested again', async () => {
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
  heard({ type: 'project.changed', project_id: project, changed: ['members'] });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(3);
  heard({ type: 'project.changed', project_id: project, changed: ['webhook'] });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(4);
  stop();
});

it('a live event that does not match the filter loads nothing, one that does is loaded', async () => {
  const log = await open({ code: '503', event: 'evt_1' }, [['1', 'dead']]);
  log.take({ ...domainEvent('2', 'dead'), http_status: 404 });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests).toHaveLength(1);
  log.take(domainEvent('2', 'dead'));
  await vi.advanceTimersByTimeAsync(2000);
  expect([ask(1).query.get('code'), ask(1).query.get('event')]).toEqual(['503', 'evt_1']);
});

it('the open row stays in its place when it no longer matches the filter', async () => {
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
  // It also stays when more arrived than a page holds, and older ones follow.
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

it('under another filter the rows stay until the new ones have loaded, and older ones of the previous filter do not follow them', async () => {
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

it('no older rows are requested while the rows of another filter are loading', async () => {
  const log = await open({}, [['2', 'dead']], 'after 2');
  void log.choose({ status: 'succeeded' });
  await log.loadOlder();
  expect([requests.length, log.switching, shown(log)]).toEqual([2, true, ['2 dead']]);
});

it('older rows that arrive while another filter is loading change nothing, and block no others', async () => {
  const log = await open({}, [['2', 'dead']], 'after 2');
  const older = log.loadOlder();
  void log.choose({ status: 'succeeded' });
  ask(1).answer([['1', 'dead']]);
  await older;
  expect([log.switching, shown(log), log.loadingOlder]).toEqual([true, ['2 dead'], false]);
});

it('the error of older rows is cleared under another filter, also when it arrives late', async () => {
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

it('WH1: a delivery that is sent again restarts its schedule; its time is loaded when an attempt has ended', async () => {
  const log = await open({}, [['1', 'dead']]);
  log.take({ ...domainEvent('1', 'pending'), attempt: 1, http_status: null, error: null });
  expect(log.shown?.rows[0]).toMatchObject({ run: { attempt: 0, of: 10 }, duration_ms: 5 });
  log.take(domainEvent('1', 'pending'));
  expect(log.shown?.rows[0]).toMatchObject({ run: { attempt: 1, of: 10 }, duration_ms: null });
  await vi.advanceTimersByTimeAsync(2000);
  expect(requests.length).toBeGreaterThan(1);
});

it('reads as many rows again as are listed', async () => {
  const rows: [string, string][] = Array.from({ length: 30 }, (_, at) => [String(at), 'dead']);
  const log = await open({}, rows, 'after 29');
  void log.load();
  expect([ask(0).query.get('limit'), ask(1).query.get('limit')]).toEqual(['20', '30']);
});
