// @vitest-environment happy-dom
// Tests QU2: no item is decided before it was painted, or at once after an automatic advance.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InputGuard } from './input-guard.svelte.ts';

let guard: InputGuard;
beforeEach(() => {
  vi.useFakeTimers();
  guard = new InputGuard();
});
afterEach(() => vi.useRealTimers());

/** Lets one frame be drawn, and `ms` pass after it. */
const frame = async (ms = 0) => {
  await vi.advanceTimersByTimeAsync(20);
  await vi.advanceTimersByTimeAsync(ms);
};

it('counts nothing as seen while no item is open', () => {
  expect(guard.has(null)).toBe(true);
});

it('counts an item the user opened as seen as soon as it is painted', async () => {
  guard.setItem('a', false);
  void guard.observe({ id: 'a', loaded: true });
  expect(guard.has('a')).toBe(false);
  await frame(2);
  expect(guard.has('a')).toBe(true);
});

it('counts an item that opened automatically as seen 300 ms later', async () => {
  guard.setItem('a', true);
  void guard.observe({ id: 'a', loaded: true });
  await frame(250);
  expect(guard.has('a')).toBe(false);
  await frame(60);
  expect(guard.has('a')).toBe(true);
});

it('waits for the content, however long it takes', async () => {
  guard.setItem('a', true);
  void guard.observe({ id: 'a', loaded: false });
  await frame(5000);
  expect(guard.has('a')).toBe(false);
  void guard.observe({ id: 'a', loaded: true });
  await frame(350);
  expect(guard.has('a')).toBe(true);
});

it('forgets an item that was replaced before it was seen, and the ones before it', async () => {
  guard.setItem('a', true);
  void guard.observe({ id: 'a', loaded: true });
  await frame(100);
  guard.setItem('b', true);
  void guard.observe({ id: 'b', loaded: true });
  await frame(250);
  expect([guard.has('a'), guard.has('b')]).toEqual([false, false]);
  await frame(100);
  expect([guard.has('a'), guard.has('b')]).toEqual([false, true]);
});

it('counts a prefetched item from when it became visible, not from its claim', async () => {
  guard.setItem('b', true);
  void guard.observe({ id: 'b', loaded: true });
  await frame(250);
  // The claim is granted: the review session switches to the item already shown.
  guard.setItem('b', true);
  void guard.observe({ id: 'b', loaded: true });
  await frame(60);
  expect(guard.has('b')).toBe(true);
});
