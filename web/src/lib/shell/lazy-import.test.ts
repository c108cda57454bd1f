// @vitest-environment happy-dom
// Tests that a part of a page is loaded in the end, however often its import fails.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { importUntilLoaded, lazyImport } from './lazy-import.ts';

const part = { default: 'part' };

/** Fails as often as told, then loads. */
function failing(times: number) {
  let tries = 0;
  const load = () => {
    tries += 1;
    return tries <= times ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(part);
  };
  return { load, tries: () => tries };
}

describe('a part that nobody waits for', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is loaded once where nothing fails', async () => {
    const { load, tries } = failing(0);
    await expect(importUntilLoaded(load)).resolves.toBe(part);
    expect(tries()).toBe(1);
  });

  it('is retried after a delay that doubles, up to half a minute', async () => {
    const { load, tries } = failing(7);
    const loaded = importUntilLoaded(load);
    for (const [at, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(tries()).toBe(at + 1);
      await vi.advanceTimersByTimeAsync(1);
    }
    await expect(loaded).resolves.toBe(part);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is retried as soon as the browser is online', async () => {
    const { load, tries } = failing(1);
    const loaded = importUntilLoaded(load);
    await vi.advanceTimersByTimeAsync(0);
    window.dispatchEvent(new Event('online'));
    await expect(loaded).resolves.toBe(part);
    expect([tries(), vi.getTimerCount()]).toEqual([2, 0]);
  });
});

it('a part that somebody asked for is given up when it fails, so that the next press tries again', async () => {
  const failed = vi.fn();
  await expect(lazyImport(Promise.reject(new Error('gone')), failed)).resolves.toBeNull();
  expect(failed).toHaveBeenCalledOnce();
  await expect(lazyImport(Promise.resolve(part), failed)).resolves.toBe(part);
  expect(failed).toHaveBeenCalledOnce();
});
