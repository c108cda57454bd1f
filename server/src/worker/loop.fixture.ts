// A loop whose runs the test itself ends, in a time that stands still; for the tests of loops.
import { pino } from 'pino';
import { afterEach, beforeEach, vi } from 'vitest';
import { startLoop, type Loop, type LoopOptions, type Next } from './loop.ts';

export const POLL_MS = 1000;

export interface Run {
  finish(next?: Next): void;
  fail(error: Error): void;
}

/** Every loop a test has started, to be stopped after it. */
export const started: { loop: Loop; runs: Run[] }[] = [];

/** To be called once in a test file: the time, and the end of every loop. */
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

/** A loop whose runs the test itself ends. `begun` are the runs so far, in order. */
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
  /** Ends the run under way and lets the loop draw its conclusions. */
  const finish = async (next: Next = {}) => {
    begun.at(-1)?.finish(next);
    await settle();
  };
  return { loop, begun, finish, most: () => most };
}

export const settle = () => vi.advanceTimersByTimeAsync(0);
export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
