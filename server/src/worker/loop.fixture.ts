// A loop whose runs the test completes, on fake time; for tests of loops.
import { pino } from 'pino';
import { afterEach, beforeEach, vi } from 'vitest';
import { startLoop, type Loop, type LoopOptions, type Next } from './loop.ts';

export const POLL_MS = 1000;

export interface Run {
  finish(next?: Next): void;
  fail(error: Error): void;
}

/** Every loop that a test has started, to be stopped after it. */
export const started: { loop: Loop; runs: Run[] }[] = [];

/** Call once per test file: installs fake time and stops every loop after each test. */
export function useLoops(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance', 'Date'],
    });
  });
  afterEach(async () => {
    for (const { loop, runs } of started.splice(0)) {
      const stopped = loop.stop();
      for (const run of runs) run.finish();
      await stopped;
    }
    vi.useRealTimers();
  });
}

/** A loop whose runs the test completes. `begun` contains the runs so far, in order. */
export function loopOf(options: Partial<LoopOptions> = {}) {
  const begun: Run[] = [];
  let running = 0;
  let most = 0;
  const run = () => {
    const { promise, resolve, reject } = Promise.withResolvers<Next | void>();
    running += 1;
    most = Math.max(most, running);
    begun.push({ finish: resolve, fail: reject });
    return promise.finally(() => (running -= 1));
  };
  const loop = startLoop({ name: 'test', run, pollMs: POLL_MS, log: pino({ level: 'silent' }), ...options });
  started.push({ loop, runs: begun });
  /** Completes the current run and lets the loop process the result. */
  const finish = async (next: Next = {}) => {
    begun.at(-1)?.finish(next);
    await settle();
  };
  return { loop, begun, finish, most: () => most };
}

export const settle = () => vi.advanceTimersByTimeAsync(0);
export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
