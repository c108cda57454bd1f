// Tests that a flood of events reloads at most once per spacing, always to the last state, never while hidden.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReloadThrottle } from './reload-throttle.ts';

const SPACING = 1000;
let reloads: number[];
let allowed: boolean;

const make = (takes = 0, backoffFactor?: number) =>
  new ReloadThrottle({
    spacing: SPACING,
    ...(backoffFactor !== undefined && { backoffFactor }),
    mayReload: () => allowed,
    reload: async () => {
      reloads.push(Date.now());
      if (takes > 0) await new Promise((done) => setTimeout(done, takes));
    },
  });

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  reloads = [];
  allowed = true;
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
});
