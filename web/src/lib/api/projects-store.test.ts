// @vitest-environment happy-dom
// The list of projects stays up to date with few requests (QU4).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { live } from '../live/connection.svelte.ts';
import { projects } from './projects-store.svelte.ts';

let requests: number;
let fails: boolean;
let event: () => void = () => undefined;
let resync: () => unknown = () => undefined;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  [requests, fails] = [0, false];
  vi.stubGlobal('fetch', () => {
    requests += 1;
    const problem = { status: 503, code: 'unavailable', title: 'Busy', detail: '' };
    return Promise.resolve(
      fails ? Response.json(problem, { status: 503 }) : Response.json({ data: [], next_cursor: null }),
    );
  });
  vi.spyOn(live, 'on').mockImplementation((_, listener) => {
    event = () => listener({} as never);
    return () => undefined;
  });
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    resync = () => listener(null);
    return () => undefined;
  });
  stop = projects.follow();
});
afterEach(() => {
  stop();
  projects.forget();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the list of projects', () => {
  it('is read once for many events, at most every 1.5 s', async () => {
    await wait(0);
    for (let ms = 0; ms < 2900; ms += 100) {
      event();
      await wait(100);
    }
    expect(requests).toBe(2);
  });

  it('follows events when the clock of the device is set back', async () => {
    await wait(0);
    vi.setSystemTime(Date.now() - 3_600_000);
    event();
    await wait(1500);
    expect(requests).toBe(2);
  });

  it('is read again where the reading at a resync failed', async () => {
    await wait(0);
    fails = true;
    await resync();
    await wait(1500);
    expect([requests, projects.error !== null]).toEqual([2, true]);
    fails = false;
    await wait(15_000);
    expect([requests, projects.error]).toEqual([3, null]);
    await wait(60_000);
    expect(requests).toBe(3);
  });

  it('is not read once it is not followed', async () => {
    fails = true;
    event();
    await wait(1500);
    const before = requests;
    stop();
    await wait(60_000);
    expect(requests).toBe(before);
  });
});
