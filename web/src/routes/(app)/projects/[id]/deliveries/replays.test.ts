// Background replays: what is requested, which one is shown, and for how long.
import type { Replay } from '@countersign/shared/schemas/deliveries';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { Replays } from './deliveries.svelte.ts';

const DUE = { project_id: 'p', status: 'pending', actor: { kind: 'member', id: 'a', name: 'Ana' } };

let requests: [method: string | undefined, path: string, body: unknown][];
let known: Replay[];
let refused: boolean;
let listeners: ((event: never) => void)[];

const replay = (id: string, change: Partial<Replay> = {}): Replay => ({
  id,
  endpoint_id: null,
  status: 'dead',
  from: null,
  to: '2026-03-01T12:00:00.000Z',
  state: 'running',
  total: 10,
  replayed: 2,
  started_by: { user_id: null, name: 'Ana' },
  created_at: '2026-03-01T12:00:00.000Z',
  ended_at: null,
  abilities: { cancel: true },
  ...change,
});

beforeEach(() => {
  requests = [];
  known = [];
  refused = false;
  listeners = [];
  vi.spyOn(live, 'on').mockImplementation((_, listener) => {
    listeners.push(listener);
    return () => undefined;
  });
  vi.stubGlobal('fetch', (path: string, { method, body }: { method?: string; body?: string }) => {
    requests.push([method, path, body === undefined ? undefined : JSON.parse(body)]);
    if (refused) return Promise.reject(new TypeError('The connection is gone.'));
    return Promise.resolve(Response.json(method === 'GET' ? { data: known, next_cursor: null } : known[0]));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('requests the selected deliveries, and shows the replay to its end', async () => {
  const replays = new Replays('p');
  known = [replay('r')];
  expect(await replays.start({ status: 'succeeded', from: '2026-03-01T11:00:00.000Z' })).toBe(true);
  expect(requests[0]?.[2]).toEqual({ status: 'succeeded', from: '2026-03-01T11:00:00.000Z' });
  expect(replays.shown?.id).toBe('r');
  known = [replay('r', { state: 'done', replayed: 10 })];
  await replays.stop(replay('r'));
  expect(replays.shown?.state).toBe('done');
});

it("shows another member's replay only while it runs", async () => {
  const replays = new Replays('p');
  known = [replay('theirs')];
  const stop = replays.follow();
  await vi.waitFor(() => expect(replays.shown?.id).toBe('theirs'));
  stop();
  known = [replay('theirs', { state: 'done' })];
  const again = replays.follow();
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  await vi.waitFor(() => expect(replays.shown).toBeNull());
  again();
});

it('finds a replay a colleague starts while the page is open, and reports when it cannot read', async () => {
  vi.useFakeTimers();
  const replays = new Replays('p');
  const stop = replays.follow();
  const hear = async (change: object) => {
    listeners.forEach((listener) => listener({ ...DUE, ...change } as never));
    await vi.advanceTimersByTimeAsync(1000);
  };
  known = [replay('theirs', { state: 'done' })];
  await vi.advanceTimersByTimeAsync(0);
  known = [replay('theirs')];
  await hear({ project_id: 'q' });
  await hear({ status: 'succeeded' });
  await hear({ actor: { kind: 'system', id: null, name: 'system' } });
  expect([requests.length, replays.shown]).toEqual([1, null]);
  await hear({});
  expect([requests.length, replays.shown?.id]).toEqual([2, 'theirs']);
  refused = true;
  await hear({});
  expect([replays.error === null, replays.shown?.id]).toEqual([false, 'theirs']);
  stop();
});

it('shows why nothing was started', async () => {
  refused = true;
  const replays = new Replays('p');
  expect(await replays.start({ status: 'dead', from: null })).toBe(false);
  expect(replays.starting.error).not.toBeNull();
  expect(replays.shown).toBeNull();
});
