// Tests that a flood of events reloads at most once per spacing, always to the last state, never while hidden.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem, NetworkFailure } from '../api/client.ts';
import { ReloadThrottle } from './reload-throttle.ts';

const SPACING = 1000;
let reloads: number[];
let allowed: boolean;
let error: unknown;

const make = (takes = 0, backoffFactor?: number) =>
  new ReloadThrottle({
    spacing: SPACING,
    ...(backoffFactor !== undefined && { backoffFactor }),
    mayReload: () => allowed,
    error: () => error,
    reload: async () => {
      reloads.push(Date.now());
      if (takes > 0) await new Promise((done) => setTimeout(done, takes));
    },
  });

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  reloads = [];
  allowed = true;
  error = null;
});
afterEach(() => vi.useRealTimers());

describe('ReloadThrottle', () => {
  it('reloads at most once per spacing under a flood', async () => {
    const throttle = make();
    for (let ms = 0; ms < 4990; ms += 10) {
      throttle.schedule();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(reloads).toEqual([0, 1000, 2000, 3000, 4000]);
  });

  it('waits longer after a slow reload, where it is configured to', async () => {
    const throttle = make(400, 5);
    for (let ms = 0; ms < 5200; ms += 10) {
      throttle.schedule();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(reloads).toEqual([0, 2400, 4800]);
  });

  it('loads once more when something changed during a reload', async () => {
    const throttle = make(300);
    throttle.schedule();
    await vi.advanceTimersByTimeAsync(100);
    throttle.schedule();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reloads).toEqual([0, 1300]);
  });

  it('remembers the request while it may not reload, and runs it afterwards', async () => {
    const throttle = make();
    allowed = false;
    throttle.schedule();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reloads).toEqual([]);
    allowed = true;
    throttle.resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(reloads).toEqual([10_000]);
  });

  it('does not reload when that became forbidden while waiting, and remembers the request', async () => {
    const throttle = make();
    await throttle.now();
    throttle.schedule();
    allowed = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(reloads).toEqual([0]);
    allowed = true;
    throttle.resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(reloads).toEqual([0, 5000]);
  });

  it.each([-3_600_000, 3_600_000])('keeps its spacing when the clock of the device is set by %s ms', async (ms) => {
    const start = performance.now();
    const throttle = make();
    await throttle.now();
    vi.setSystemTime(Date.now() + ms);
    throttle.schedule();
    await vi.advanceTimersByTimeAsync(SPACING - 1);
    expect(reloads).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([reloads.length, performance.now() - start]).toEqual([2, SPACING]);
  });

  it('does nothing after it was stopped', async () => {
    const throttle = make();
    await throttle.now();
    throttle.schedule();
    throttle.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(reloads).toEqual([0]);
  });

  describe('QU4: after a reload that failed', () => {
    const problem = (status: number, retryAfter: number | null = null) =>
      new ApiProblem({ status, code: 'unavailable' }, retryAfter);
    const fail = async (why: unknown, takes = 0) => {
      const throttle = make(takes);
      error = why;
      const done = throttle.now();
      return { throttle, done };
    };

    it.each([
      ['nothing answered', new NetworkFailure('timeout'), 2000, 15_000],
      ['the service was too busy', problem(503), 2000, 15_000],
      ['the service named a time', problem(503, 1), 1000, 3000],
    ])('reloads again until it succeeds: %s', async (_, why, least, most) => {
      await fail(why);
      await vi.advanceTimersByTimeAsync(least - 1);
      expect(reloads).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(most - least + 1);
      expect(reloads.length).toBeGreaterThan(1);
      error = null;
      await vi.advanceTimersByTimeAsync(most);
      const { length } = reloads;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reloads).toHaveLength(length);
    });

    it('does not repeat a refusal', async () => {
      await fail(problem(403));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reloads).toHaveLength(1);
    });

    it('does not repeat what succeeded otherwise in the meantime', async () => {
      await fail(problem(503));
      error = null;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reloads).toHaveLength(1);
    });

    it('waits until it may reload', async () => {
      const { throttle } = await fail(problem(503));
      allowed = false;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reloads).toHaveLength(1);
      allowed = true;
      throttle.resume();
      await vi.advanceTimersByTimeAsync(0);
      expect(reloads).toHaveLength(2);
    });

    it.each([0, 100])('does nothing once it is stopped, %s ms before the answer', async (takes) => {
      const { throttle, done } = await fail(problem(503), takes);
      throttle.stop();
      await vi.advanceTimersByTimeAsync(60_000);
      await done;
      expect(reloads).toHaveLength(1);
    });
  });
});
