// @vitest-environment happy-dom
// QU2: an item decides nothing before it was painted, and one that came by itself not before it could be seen.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Seen } from './seen.svelte.ts';

let seen: Seen;
beforeEach(() => {
  vi.useFakeTimers();
  seen = new Seen();
});
afterEach(() => vi.useRealTimers());

/** Lets a frame be drawn, and `ms` pass after it. */
const frame = async (ms = 0) => {
  await vi.advanceTimersByTimeAsync(20);
  await vi.advanceTimersByTimeAsync(ms);
};

it('with nothing on show has nothing to see', () => {
  expect(seen.has(null)).toBe(true);
});

it('counts what the reader opened as soon as it is painted', async () => {
  seen.turn('a', false);
  void seen.watch({ id: 'a', there: true });
  expect(seen.has('a')).toBe(false);
  await frame(2);
  expect(seen.has('a')).toBe(true);
});

it('counts what came by itself 300 ms after that', async () => {
  seen.turn('a', true);
  void seen.watch({ id: 'a', there: true });
  await frame(250);
  expect(seen.has('a')).toBe(false);
  await frame(60);
  expect(seen.has('a')).toBe(true);
});

it('waits for the content, however long it takes', async () => {
  seen.turn('a', true);
  void seen.watch({ id: 'a', there: false });
  await frame(5000);
  expect(seen.has('a')).toBe(false);
  void seen.watch({ id: 'a', there: true });
  await frame(350);
  expect(seen.has('a')).toBe(true);
});

it('forgets an item that another one replaced before it was seen, and the one before them', async () => {
  seen.turn('a', true);
  void seen.watch({ id: 'a', there: true });
  await frame(100);
  seen.turn('b', true);
  void seen.watch({ id: 'b', there: true });
  await frame(250);
  expect([seen.has('a'), seen.has('b')]).toEqual([false, false]);
  await frame(100);
  expect([seen.has('a'), seen.has('b')]).toEqual([false, true]);
});

it('counts one that was read ahead from when it was on the screen, not from its claim', async () => {
  seen.turn('b', true);
  void seen.watch({ id: 'b', there: true });
  await frame(250);
  // The claim is in: the desk turns to what is on show already.
  seen.turn('b', true);
  void seen.watch({ id: 'b', there: true });
  await frame(60);
  expect(seen.has('b')).toBe(true);
});
