// The server requests of the live queue: none for known rows, and all it needs when more wait than it holds.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { answers } from '@countersign/shared/filters/queue-filter';
import { queueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { QUEUE_ORDER, QUEUE_SORTS, type QueueSort } from '@countersign/shared/filters/queue-order';
import { live } from '../connection.svelte.ts';
import { ANA, EventLog, ME, PROJECTS, type Act } from './event-log.fixture.ts';
import { LiveQueue } from './live-queue.svelte.ts';
import type { Scope } from './queue-model.ts';

const arrivals = (count: number): Act[] => Array.from({ length: count }, () => ({ what: 'arrive', pick: 1, who: ANA }));

const isEscalated = ({ status }: ItemRow): boolean => status === 'escalated';

/** Claims and moves, or decides, the item at this position. */
const byAna = (pick: number, what: Act['what']): Act[] => [
  { what: 'claim', pick, who: ANA },
  { what, pick, who: ANA },
];

let eventLog: EventLog;
let requests: string[];
let down: boolean;
/** The answer after the first one waits for this. */
let rest: Promise<void> | null;

/** The server: pages of the event log, with the filter of the query. */
function answer(path: string): Response {
  const { searchParams } = new URL(path, 'http://test');
  requests.push([...searchParams].map(([name, value]) => `${name}=${value}`).join('&'));
  if (down) return Response.json({ status: 503, code: 'unavailable', title: 'Away', detail: '' }, { status: 503 });
  const filter = queueFilter.parse(Object.fromEntries(searchParams));
  const { rows, seqs } = eventLog.snapshot();
  const view = searchParams.get('view');
  const [limit, after] = [Number(searchParams.get('limit')), Number(searchParams.get('after') ?? 0)];
  const isOfView = (row: ItemRow) => view === 'all' || (view === 'escalated' && isEscalated(row));
  const sort = (searchParams.get('sort') ?? 'due') as QueueSort;
  const listed = rows.toSorted(QUEUE_ORDER[sort]).filter((row) => isOfView(row) && answers(filter, row));
  const data = listed.slice(after, after + limit);
  const more = listed.length > after + limit;
  return Response.json({
    data,
    next_cursor: more ? String(after + limit) : null,
    until: more ? data.at(-1) : null,
    seq: null,
    seqs,
    counts: { available: rows.length, mine: 0, escalated: rows.filter(isEscalated).length, all: rows.length },
    server_time: new Date().toISOString(),
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  [requests, down, rest] = [[], false, null];
  vi.stubGlobal('fetch', async (path: string) => {
    if (requests.length > 0) await rest;
    return answer(path);
  });
  vi.stubGlobal('requestAnimationFrame', () => 1);
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a queue of `count` waiting items, `escalated` of them escalated, each before one that is not. */
async function opened(count: number, filter = {}, escalated = 0): Promise<LiveQueue> {
  eventLog = new EventLog().play(arrivals(count));
  for (let at = 0; at < escalated; at += 1) eventLog.play(byAna(2 * at, 'escalate'));
  const queue = new LiveQueue(ME, { view: escalated === 0 ? 'all' : 'escalated', projectId: null, filter });
  await queue.resync();
  return queue;
}
const turn = async (queue: LiveQueue, filter: object) => {
  queue.switchTo({ ...queue.state.scope, filter });
  await vi.advanceTimersByTimeAsync(0);
};
const previews = (queue: LiveQueue) => queue.entries.map(({ row }) => row.preview);

/** Opens a queue whose first answer has arrived; returns the function that lets the others arrive. */
async function begun(count: number, scope: Partial<Scope> = {}) {
  eventLog = new EventLog().play(arrivals(count));
  const gate = Promise.withResolvers<void>();
  rest = gate.promise;
  const queue = new LiveQueue(ME, { view: 'all', projectId: null, ...scope });
  const done = queue.resync();
  await vi.advanceTimersByTimeAsync(0);
  const finish = () => (gate.resolve(), done);
  return { queue, finish };
}

describe('QU31: the first rows of the live queue', () => {
  it('are shown from the first answer, with the counts of the server, and the rest follows', async () => {
    const { queue, finish } = await begun(1700);
    expect(requests).toEqual(['limit=60&view=all']);
    expect([previews(queue).length, queue.counts.all, queue.more]).toEqual([60, 1700, 'coming']);
    const first = previews(queue);
    queue.dispatch({ kind: 'list_in_use', inUse: true });
    await finish();
    expect(requests.slice(1)).toEqual([
      'limit=440&view=all&after=60',
      'limit=500&view=mine',
      'limit=500&view=escalated',
    ]);
    expect([previews(queue).length, queue.state.heldBack.size, queue.counts.all, queue.more]).toEqual([
      500,
      0,
      1700,
      'some',
    ]);
    expect(previews(queue).slice(0, 60)).toEqual(first);
  });

  it('are everything where no more wait: one request', async () => {
    const { queue } = await begun(60);
    expect([requests, previews(queue).length, queue.more]).toEqual([['limit=60&view=all'], 60, 'none']);
  });

  it('are not asked for alone where the rows are grouped: groups are mixed with what follows', async () => {
    await begun(1700, { group: 'flag' });
    expect(requests).toEqual(['limit=500&view=all']);
  });

  it('are not asked for alone where a list is already shown', async () => {
    const queue = await opened(1700);
    requests = [];
    await queue.resync();
    expect(requests[0]).toBe('limit=500&view=all');
  });

  it('are not asked for alone in another view of the same rows: those that are known stay', async () => {
    const queue = await opened(1700);
    const known = previews(queue);
    const gate = Promise.withResolvers<void>();
    [requests, rest] = [[], gate.promise];
    queue.switchTo({ ...queue.state.scope, view: 'available' });
    await vi.advanceTimersByTimeAsync(0);
    expect([requests, previews(queue)]).toEqual([['limit=500&view=all'], known]);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(previews(queue)).toEqual(known);
  });

  it('stay when the rest does not arrive, and the list is complete with the next answer', async () => {
    const { queue, finish } = await begun(1700);
    down = true;
    await finish();
    expect([previews(queue).length, queue.counts.all, queue.more]).toEqual([60, 1700, 'some']);
    expect(queue.error).not.toBeNull();
    queue.dispatch({ kind: 'list_in_use', inUse: true });
    down = false;
    await queue.resync();
    expect([previews(queue).length, queue.state.heldBack.size, queue.error]).toEqual([500, 0, null]);
  });
});

describe('the live queue', () => {
  it('filters its own rows when they are everything', async () => {
    const queue = await opened(120);
    requests = [];
    await turn(queue, { text: 'ITEM 11' });
    expect([requests, previews(queue).length, queue.counts.all, queue.more]).toEqual([[], 11, 120, 'none']);
    await turn(queue, {});
    expect([requests, previews(queue).length]).toEqual([[], 120]);
  });

  it('requests the matching rows when more wait than it holds, and finds the last one', async () => {
    const queue = await opened(1700);
    expect([previews(queue).length, queue.counts.all, queue.more]).toEqual([500, 1700, 'some']);
    requests = [];
    await turn(queue, { text: 'item 1699' });
    expect(requests[0]).toBe('limit=60&text=item 1699&view=all');
    expect([previews(queue), queue.counts.all, queue.more]).toEqual([['item 1699'], 1700, 'none']);
    await turn(queue, {});
    expect([previews(queue).length, queue.more]).toEqual([500, 'some']);
  });

  it.each(QUEUE_SORTS.filter((sort) => sort !== 'due'))(
    'QU25: sorts its own rows by %s when they are everything',
    async (sort) => {
      const queue = await opened(120);
      queue.dispatch({ kind: 'list_in_use', inUse: true });
      requests = [];
      queue.switchTo({ ...queue.state.scope, sort });
      const sorted = [...eventLog.waiting.values()].toSorted(QUEUE_ORDER[sort]);
      expect([requests, previews(queue)]).toEqual([[], sorted.map(({ preview }) => preview)]);
    },
  );

  it('QU25: requests the first rows of another sort when more wait than it holds, and continues in that sort', async () => {
    const queue = await opened(1700);
    requests = [];
    queue.switchTo({ ...queue.state.scope, sort: 'newest' });
    await vi.advanceTimersByTimeAsync(0);
    const newest = [...eventLog.waiting.values()].toSorted(QUEUE_ORDER.newest).map(({ preview }) => preview);
    expect(requests.every((request) => request.includes('sort=newest'))).toBe(true);
    expect([previews(queue), queue.more]).toEqual([newest.slice(0, 500), 'some']);
    await queue.showMore();
    expect(previews(queue)).toEqual(newest.slice(0, 1000));
    const known = eventLog.events.length;
    eventLog.play(arrivals(1));
    queue.dispatch({ kind: 'events', events: eventLog.events.slice(known) });
    expect(previews(queue).slice(0, 2)).toEqual(['item 1701', 'item 1700']);
  });

  it('QU26: grouping requests nothing, and reads no more rows again', async () => {
    const queue = await opened(1700);
    await queue.showMore();
    requests = [];
    queue.switchTo({ ...queue.state.scope, group: 'flag' });
    await vi.advanceTimersByTimeAsync(0);
    expect([requests, previews(queue).length, queue.state.scope.group]).toEqual([[], 1000, 'flag']);
  });

  it('does the same when opened by a URL with a filter', async () => {
    const queue = await opened(1700, { text: 'item 1699' });
    expect([previews(queue), queue.counts.all]).toEqual([['item 1699'], 1700]);
  });

  it('shows up to 1 500 rows, and then says that there are more', async () => {
    const queue = await opened(1700);
    queue.dispatch({ kind: 'list_in_use', inUse: true });
    await queue.showMore();
    expect([previews(queue).length, queue.state.heldBack.size, queue.more]).toEqual([1000, 0, 'some']);
    await queue.showMore();
    expect([previews(queue).length, queue.more, queue.counts.all]).toEqual([1500, 'beyond', 1700]);
    requests = [];
    await queue.showMore();
    expect(requests).toEqual([]);
  });

  it.each([{}, { text: 'item' }])('shows up to 1 500 of the escalated ones as well, filter %j', async (filter) => {
    const queue = await opened(4000, filter, 1700);
    expect([previews(queue).length, queue.counts.escalated, queue.more]).toEqual([500, 1700, 'some']);
    await queue.showMore();
    expect([previews(queue).length, queue.more]).toEqual([1000, 'some']);
    await queue.showMore();
    expect([previews(queue).length, queue.more, queue.counts.escalated]).toEqual([1500, 'beyond', 1700]);
    expect(queue.state.rows.size).toBeLessThanOrEqual(2500);
    expect(queue.entries.every(({ row }) => isEscalated(row))).toBe(true);
  });

  it("finds the last escalated one by a filter, beyond the list's limit", async () => {
    const queue = await opened(4000, {}, 1700);
    const last = [...eventLog.waiting.values()].filter(isEscalated).toSorted(QUEUE_ORDER.due).at(-1);
    await turn(queue, { text: last?.preview });
    expect(previews(queue)).toContain(last?.preview);
    expect([queue.more, queue.entries.every(({ row }) => isEscalated(row))]).toEqual(['none', true]);
  });

  it('reads on when its escalated rows are used up, regardless of its other rows', async () => {
    const queue = await opened(4000, {}, 1700);
    const known = eventLog.events.length;
    const place = (id: string) => [...eventLog.waiting.keys()].indexOf(id);
    for (const { id } of queue.entries) eventLog.play(byAna(place(id), 'decide'));
    requests = [];
    queue.dispatch({ kind: 'events', events: eventLog.events.slice(known) });
    await vi.advanceTimersByTimeAsync(0);
    expect(requests).not.toEqual([]);
    expect(queue.entries.filter(({ removal }) => removal === null).length).toBe(500);
  });

  it('counts an escalated item that does not match the filter, and does not store it', async () => {
    const queue = await opened(4000, { text: 'item 3' }, 1700);
    const known = eventLog.events.length;
    const { size } = queue.state.rows;
    const last = [...eventLog.waiting.values()].findIndex(({ preview }) => preview === 'item 4000');
    eventLog.play(byAna(last, 'escalate'));
    queue.dispatch({ kind: 'events', events: eventLog.events.slice(known) });
    expect([queue.counts.escalated, queue.counts.all, queue.state.rows.size]).toEqual([1701, 4000, size]);
  });

  it('does not read on for rows that are held back while somebody works in the list', async () => {
    const queue = await opened(1700);
    queue.dispatch({ kind: 'list_in_use', inUse: true });
    const decide = async (ids: readonly string[]) => {
      const known = eventLog.events.length;
      for (const id of ids) eventLog.play(byAna([...eventLog.waiting.keys()].indexOf(id), 'decide'));
      queue.dispatch({ kind: 'events', events: eventLog.events.slice(known) });
      await vi.advanceTimersByTimeAsync(0);
    };
    const [last, ...ids] = queue.entries.map(({ id }) => id);
    await decide(ids);
    expect(queue.state.heldBack.size).toBeGreaterThan(400);
    requests = [];
    await decide(last === undefined ? [] : [last]);
    expect(requests).toEqual([]);
  });

  it('QU4: rows and counts stay correct when a request fails, and are complete with the next one', async () => {
    const queue = await opened(1700);
    down = true;
    await turn(queue, { text: 'item 1699' });
    expect([queue.error !== null, previews(queue)]).toEqual([true, []]);
    down = false;
    await queue.resync();
    expect([queue.error, previews(queue)]).toEqual([null, ['item 1699']]);
  });

  it('reads the counts again when they are estimates, but not every second', async () => {
    const queue = await opened(1700);
    const stop = queue.follow();
    await vi.advanceTimersByTimeAsync(60_000);
    requests = [];
    const known = eventLog.events.length;
    eventLog.play(arrivals(3));
    queue.dispatch({ kind: 'events', events: eventLog.events.slice(known) });
    expect([queue.counts.all, queue.state.estimated]).toEqual([1703, true]);
    // The answer counts one whose event is still to come.
    const applied = eventLog.events.length;
    eventLog.play(arrivals(1));
    await vi.advanceTimersByTimeAsync(1000);
    expect([requests.length, queue.state.estimated]).toEqual([1, true]);
    queue.dispatch({ kind: 'events', events: eventLog.events.slice(applied) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([requests, queue.counts.all]).toEqual([['view=mine&limit=1', 'view=mine&limit=1'], 1704]);
    expect(queue.state.estimated).toBe(false);
    stop();
  });

  it('NO8: counts what arrives in a hidden page, which draws nothing, within a second', async () => {
    vi.stubGlobal('document', { visibilityState: 'hidden' });
    let received: (event: DomainEvent) => void = () => undefined;
    const listening = vi.spyOn(live, 'on').mockImplementation((type: string, listener: (event: never) => void) => {
      if (type === '*') received = listener as typeof received;
      return () => undefined;
    });
    // The browser hardly runs the timers of a page that has been hidden for long.
    vi.stubGlobal('setInterval', () => 1);
    const queue = await opened(2);
    const stop = queue.follow();
    await vi.advanceTimersByTimeAsync(0);
    const known = eventLog.events.length;
    eventLog.play(arrivals(3));
    eventLog.events.slice(known).forEach(received);
    expect(queue.counts.all).toBe(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(queue.counts.all).toBe(5);
    stop();
    listening.mockRestore();
  });

  describe('with a gap', () => {
    const STRANGE = '00000000-0000-4000-8000-000000000003';
    const strange = (seq: number) => {
      const [event] = eventLog.events;
      if (event === undefined) throw new Error('Nothing happened.');
      return { ...event, seq, project_id: STRANGE };
    };
    const receive = (queue: LiveQueue, events: DomainEvent[]) => queue.dispatch({ kind: 'events', events });
    /** Adds one item the tab does not receive, and the event of a later one. */
    const lose = (queue: LiveQueue) => {
      eventLog.play(arrivals(2));
      receive(queue, eventLog.events.slice(-1));
    };

    it('QU4: in the events beside the snapshot, still detects further gaps', async () => {
      const queue = await opened(2);
      receive(queue, [strange(1)]);
      receive(queue, [strange(2)]);
      await vi.advanceTimersByTimeAsync(0);
      await vi.advanceTimersByTimeAsync(2000);
      lose(queue);
      await vi.advanceTimersByTimeAsync(0);
      expect([previews(queue).length, queue.state.needsResync]).toEqual([4, null]);
    });

    it('QU4: that stays, requests again automatically, but not at every event', async () => {
      const queue = await opened(2);
      const stop = queue.follow();
      await vi.advanceTimersByTimeAsync(0);
      requests = [];
      for (let seq = 1; seq <= 50; seq++) {
        receive(queue, [strange(seq)]);
        await vi.advanceTimersByTimeAsync(10);
      }
      expect(requests.length).toBe(1);
      await vi.advanceTimersByTimeAsync(17_000);
      expect([requests.length, queue.state.needsResync]).toEqual([2, null]);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(requests.length).toBe(2);
      stop();
    });

    it('QU4: requests an unanswered snapshot again within 17 s, until it is answered', async () => {
      const queue = await opened(2);
      const stop = queue.follow();
      await vi.advanceTimersByTimeAsync(0);
      down = true;
      lose(queue);
      await vi.advanceTimersByTimeAsync(0);
      expect(queue.error).not.toBeNull();
      requests = [];
      await vi.advanceTimersByTimeAsync(60_000);
      expect(requests.length).toBeGreaterThanOrEqual(3);
      expect(requests.length).toBeLessThanOrEqual(30);
      down = false;
      await vi.advanceTimersByTimeAsync(17_000);
      expect([queue.error, previews(queue).length]).toEqual([null, 4]);
      stop();
    });

    it('QU4: does all of that when the clock of the device is set back', async () => {
      const queue = await opened(2);
      const stop = queue.follow();
      await vi.advanceTimersByTimeAsync(0);
      const setBack = () => vi.setSystemTime(Date.now() - 3_600_000);
      lose(queue);
      await vi.advanceTimersByTimeAsync(2000);
      setBack();
      down = true;
      lose(queue);
      await vi.advanceTimersByTimeAsync(1000);
      expect(queue.error).not.toBeNull();
      setBack();
      down = false;
      await vi.advanceTimersByTimeAsync(17_000);
      expect([queue.error, previews(queue).length]).toEqual([null, 6]);
      stop();
    });
  });

  it('reports arrivals of the listed project only', async () => {
    const queue = await opened(2);
    const [other, own] = PROJECTS;
    const arrive = (pick: number) => {
      eventLog.play([{ what: 'arrive', pick, who: ANA }]);
      queue.dispatch({ kind: 'events', events: eventLog.events.slice(-1) });
    };
    queue.switchTo({ view: 'all', projectId: own });
    await vi.advanceTimersByTimeAsync(0);
    arrive(2);
    expect([eventLog.events.at(-1)?.project_id, queue.lastArrival]).toEqual([other, null]);
    arrive(1);
    expect(queue.lastArrival).not.toBeNull();
  });
});
