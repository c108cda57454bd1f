// Tests the setup of every test file of the web app: time limits of requests follow the test's clock, and end with it.
import { afterEach, expect, it, vi } from 'vitest';

let left: AbortSignal;

afterEach(() => void vi.useRealTimers());

it('ends a request by the clock of the test', () => {
  vi.useFakeTimers();
  const signal = AbortSignal.timeout(8000);
  vi.advanceTimersByTime(7999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

it('leaves a request open with a limit of no time', () => {
  left = AbortSignal.timeout(0);
});

it('never ends a request of an earlier test', async () => {
  // A timer of the same length that starts later ends later.
  await new Promise((done) => setTimeout(done, 0));
  expect(left.aborted).toBe(false);
});
