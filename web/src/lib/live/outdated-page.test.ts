// When a page that is older than the service loads itself again.
import { expect, it } from 'vitest';
import { reloadOutdatedPage } from './connection.svelte.ts';

/** A browser whose clock and timers the test moves. */
function aBrowser() {
  const stored = new Map<string, string>();
  const state = { time: 1_000_000, reloads: 0, busy: false, served: true, delays: [] as number[] };
  const timers: (() => void)[] = [];
  const browser = {
    storage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
    now: () => state.time,
    random: () => 0.5,
    after: (ms: number, action: () => void) => {
      state.delays.push(ms);
      timers.push(action);
    },
    isBusy: () => state.busy,
    isServed: () => Promise.resolve(state.served),
    reload: () => void (state.reloads += 1),
  };
  /** The service refuses the connection, and the delay passes. */
  const refused = async () => {
    reloadOutdatedPage(browser);
    timers.shift()?.();
    for (let n = 0; n < 10; n += 1) await Promise.resolve();
  };
  return { state, browser, refused };
}

it('QU20: reloads an outdated page after a random delay, and at most once a minute', async () => {
  const { state, refused } = aBrowser();
  await refused();
  expect([state.reloads, state.delays]).toEqual([1, [15_000]]);
  state.time += 59_999;
  await refused();
  expect(state.reloads).toBe(1);
  state.time += 1;
  await refused();
  expect(state.reloads).toBe(2);
});

it('QU20: schedules one reload, however often the connection is refused', async () => {
  const { state, browser, refused } = aBrowser();
  reloadOutdatedPage(browser);
  reloadOutdatedPage(browser);
  await refused();
  expect([state.reloads, state.delays.length]).toEqual([1, 1]);
});

it('QU20: waits while a dialog is open or the page cannot be served', async () => {
  const { state, refused } = aBrowser();
  state.busy = true;
  await refused();
  state.busy = false;
  state.served = false;
  await refused();
  expect(state.reloads).toBe(0);
  state.served = true;
  await refused();
  expect(state.reloads).toBe(1);
});

it('QU20: reloads after the clock was set back', async () => {
  const { state, refused } = aBrowser();
  await refused();
  state.time -= 3_600_000;
  await refused();
  expect(state.reloads).toBe(2);
});
