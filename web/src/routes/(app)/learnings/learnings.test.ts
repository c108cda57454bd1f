// The live learnings page: undone ones leave, their replacements are offered, and a dot marks them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Cluster } from '@countersign/shared/schemas/clusters';
import type { Learning } from '@countersign/shared/schemas/learnings';
import { live } from '#lib/live/connection.svelte.ts';
import { LearningsLog } from './learnings.svelte.ts';
import type { UrlState } from './url-state.ts';

const URL_STATE: UrlState = { cluster: null, range: 'all', filter: {}, runs: false, run: null };
const SPACING_MS = 1000;
const VALUES_SPACING_MS = 10_000;

/** The server's learnings, newest first: each belongs to the item of its name. */
let there: string[];
let listeners: Map<string, (event: object) => void>;
let resync: () => unknown;
/** How often the values of the filters were read. */
let valuesRead: number;
const valuesOf = (n: number) => ({ flags: [], models: [{ value: 'm', count: n }], sources: [] });

/** One minute apart, in the order of their names. */
const at = (id: string) => `2026-01-01T00:${id.charCodeAt(0) - 40}:00.000Z`;
const learning = (id: string) => ({ id, item_id: id, created_at: at(id), excluded: false }) as Learning;
const cluster = () => ({ id: 'c', size: there.length, last_seen: at(there[0] ?? 'a') }) as Cluster;

beforeEach(() => {
  vi.useFakeTimers();
  listeners = new Map();
  valuesRead = 0;
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: vi.fn(), removeEventListener: vi.fn() });
  vi.spyOn(live, 'on').mockImplementation((type: string, listener: unknown) => {
    listeners.set(type, listener as (event: object) => void);
    return () => undefined;
  });
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    resync = () => listener(null);
    return () => undefined;
  });
  vi.stubGlobal('fetch', (path: string) => {
    const page = { next_cursor: null, total: there.length };
    if (path.includes('/values')) return Promise.resolve(Response.json(valuesOf(++valuesRead)));
    if (path.includes('/clusters')) return Promise.resolve(Response.json({ ...page, data: [cluster()] }));
    return Promise.resolve(Response.json({ ...page, data: there.map(learning), excluded: 0 }));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const settled = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

async function open(): Promise<LearningsLog> {
  const log = new LearningsLog('p', URL_STATE);
  log.follow();
  await settled();
  return log;
}

const hear = (type: string, item_id: string) => listeners.get(type)?.({ project_id: 'p', item_id, action: 'reject' });
const shown = (log: LearningsLog) => log.shown?.rows.map(({ id }) => id);

it('LC2: removes an undone learning from the page, and offers its replacement', async () => {
  there = ['P', 'A'];
  const log = await open();
  expect(shown(log)).toEqual(['P', 'A']);
  there = ['Q', 'A'];
  hear('item.undone', 'P');
  expect(shown(log)).toEqual(['A']);
  hear('item.finalized', 'Q');
  await settled(SPACING_MS);
  expect([log.fresh, log.clusters.map((one) => log.hasNew(one))]).toEqual([1, [true]]);
  log.reveal();
  expect([shown(log), log.fresh]).toEqual([['Q', 'A'], 0]);
});

it('LC2: detects from the next read that one was undone, when no event arrived', async () => {
  there = ['P', 'A'];
  const log = await open();
  there = ['A'];
  await log.load();
  expect([shown(log), log.fresh]).toEqual([['A'], 0]);
});

it('RV5: removes the learning of a revised decision, and offers that of the revision', async () => {
  there = ['P', 'A'];
  const log = await open();
  there = ['Q', 'A'];
  hear('decision.revised', 'P');
  expect(shown(log)).toEqual(['A']);
  await settled(SPACING_MS);
  expect(log.fresh).toBe(1);
});

it('QU4: counts the values of the filters again after events, and after an interruption', async () => {
  there = ['P', 'A'];
  const log = await open();
  expect([valuesRead, log.values.data]).toEqual([1, valuesOf(1)]);
  for (const id of ['Q', 'R', 'S']) {
    hear('item.finalized', id);
    await settled(SPACING_MS);
  }
  expect(valuesRead).toBe(1);
  await settled(VALUES_SPACING_MS);
  expect([valuesRead, log.values.data]).toEqual([2, valuesOf(2)]);
  void resync();
  await settled();
  expect([valuesRead, log.values.data]).toEqual([3, valuesOf(3)]);
});
