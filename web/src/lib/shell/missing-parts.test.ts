// @vitest-environment happy-dom
// When the page offers to load itself again: a part cannot be imported although the service answers.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MissingParts } from './missing-parts.svelte.ts';

const FILE = 'https://review.example.com/_app/immutable/chunks/a1.js';
const CHROMIUM = `Failed to fetch dynamically imported module: ${FILE}`;
const SAFARI = 'Importing a module script failed.';

let network: { served: boolean; cached: boolean; loads: string[] };
let parts: MissingParts;
let stop: () => void;

/** An import fails, as the build reports it. */
function fail(message: string): void {
  const event = new Event('vite:preloadError', { cancelable: true });
  window.dispatchEvent(Object.assign(event, { payload: new TypeError(message) }));
}

beforeEach(() => {
  vi.useFakeTimers();
  network = { served: true, cached: true, loads: [] };
  parts = new MissingParts({
    isServed: () => Promise.resolve(network.served),
    load: (file) => {
      network.loads.push(file);
      if (!network.cached) return Promise.resolve({});
      fail(CHROMIUM);
      return Promise.reject(new TypeError(CHROMIUM));
    },
  });
  stop = parts.follow();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

it('QU20: finds a part that the service no longer has, or whose failure the browser caches', async () => {
  fail(CHROMIUM);
  fail(CHROMIUM);
  await vi.advanceTimersByTimeAsync(0);
  expect([parts.found, network.loads]).toEqual([true, [FILE]]);
});

it('QU20: finds nothing while the service does not answer, and looks again when it does', async () => {
  network.served = false;
  fail(CHROMIUM);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([parts.found, network.loads]).toEqual([false, []]);
  network.served = true;
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(0);
  expect(parts.found).toBe(true);
});

it('QU20: finds nothing where the browser imports a part again, and looks again at the next failure', async () => {
  network.cached = false;
  fail(CHROMIUM);
  await vi.advanceTimersByTimeAsync(0);
  expect([parts.found, network.loads]).toEqual([false, [FILE]]);
  network.cached = true;
  fail(CHROMIUM);
  await vi.advanceTimersByTimeAsync(0);
  expect(parts.found).toBe(true);
});

it('QU20: counts a part as missing where the browser does not name its file', async () => {
  fail(SAFARI);
  await vi.advanceTimersByTimeAsync(0);
  expect([parts.found, network.loads]).toEqual([true, []]);
});
