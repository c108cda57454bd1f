// The list of items that their deadline ended follows what changes their status.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { ExpiredLog } from './expired-log.svelte.ts';

const SPACING_MS = 2000;
let requests: number;
let heard: Map<string, (event: object) => void>;
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  requests = 0;
  heard = new Map();
  vi.stubGlobal('fetch', () => {
    requests += 1;
    return Promise.resolve(Response.json({ data: [], next_cursor: null }));
  });
  vi.spyOn(live, 'on').mockImplementation((type: string, listener: unknown) => {
    heard.set(type, listener as (event: object) => void);
    return () => undefined;
  });
  stop = new ExpiredLog('p').follow();
  await vi.advanceTimersByTimeAsync(0);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it.each([
  ['DL1: a deadline passed', 'item.expired', 'p', 2],
  ['RV3: a rejection by a deadline was revised', 'decision.revised', 'p', 2],
  ['nothing happened in the project', 'decision.revised', 'another', 1],
])('when %s', async (_, type, project_id, expected) => {
  heard.get(type)?.({ project_id });
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(requests).toBe(expected);
});
