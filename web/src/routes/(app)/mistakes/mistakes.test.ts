// The list of reports follows reports and answers, and is read again whenever some may have been missed.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { Mistakes } from './mistakes.svelte.ts';

let requests: number;
let resync: (projectId: string | null) => unknown;
let stop: () => void;

beforeEach(() => {
  requests = 0;
  vi.stubGlobal('fetch', () => {
    requests += 1;
    return Promise.resolve(Response.json({ data: [], next_cursor: null }));
  });
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    resync = listener;
    return () => undefined;
  });
  stop = new Mistakes('open').follow();
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it.each([
  ['all projects', null],
  ['one project', 'p'],
])('QU4: is read again when events of %s may be missing', async (_, projectId) => {
  await resync(projectId);
  expect(requests).toBe(2);
});
