// The health check of Redis: who is responsible for a late response, and what is logged.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRedisHealth } from './redis-limiter.ts';

const WITHIN_MS = 50;
const PROBE_MS = 30;

afterEach(() => void vi.useRealTimers());

function aRedisHealth(probe: () => Promise<unknown> = () => Promise.resolve()) {
  const said: string[] = [];
  const log = {
    warn: (_: object, message: string) => void said.push(message),
    info: (message: string) => void said.push(message),
  };
  return {
    health: createRedisHealth({ isReady: true }, { log, withinMs: WITHIN_MS, probe, probeEveryMs: PROBE_MS }),
    said,
  };
}

/** Blocks the event loop of this process for this long. */
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a late response', () => {
  it('RL3: does not count against Redis when this process was busy', async () => {
    const { health, said } = aRedisHealth();
    const answering = health.ask(async () => {
      // Sending and receiving take some turns of the event loop, as in a client.
      for (let turns = 0; turns < 4; turns += 1) await turn();
      return 'answer';
    });
    busy(3 * WITHIN_MS);
    expect(await answering).toEqual({ value: 'answer' });
    expect([health.isAvailable(), said]).toEqual([true, []]);
  });

  it('RL3: counts as a failure, and nothing is sent until a probe succeeds', async () => {
    let probes = 0;
    const { health, said } = aRedisHealth(async () => void (probes += 1));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let over = false;
    const asked = health.ask(() => new Promise(() => undefined)).finally(() => (over = true));
    await vi.advanceTimersByTimeAsync(WITHIN_MS - 1);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toBeNull();
    await vi.advanceTimersByTimeAsync(PROBE_MS - 1);
    expect([health.isAvailable(), health.isAvailable(), probes]).toEqual([false, false, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([health.isAvailable(), probes]).toEqual([false, 1]);
    await vi.advanceTimersByTimeAsync(0);
    expect([health.isAvailable(), probes]).toEqual([true, 1]);
    expect(said).toEqual(['rate limits count per process: Redis does not respond', 'rate limits are shared again']);
  });

  it('is logged once, however many requests fail', async () => {
    const { health, said } = aRedisHealth();
    const failing = () => health.ask(() => Promise.reject(new Error('OOM')));
    expect(await Promise.all([failing(), failing(), failing()])).toEqual([null, null, null]);
    expect(said).toHaveLength(1);
  });
});
