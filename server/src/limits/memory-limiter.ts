// The rate limiter inside one process: for running without Redis, and for the time that Redis is away.
import { type Bucket, clampCost, drained, EMPTY, pour } from './bucket.ts';
import type { Limiter, Policies } from './limiter.ts';

export interface MemoryLimiter extends Limiter {
  /** How many buckets are kept. */
  size(): number;
}

/** More than this many who ask at once are not told apart for long: the one who asked longest ago starts anew. */
const MOST_BUCKETS = 20_000;

/** Buckets fill and drain by the given clock; those that are empty again are forgotten, and at most `most` are kept. */
export function createMemoryLimiter(
  policies: Policies,
  clock: { now(): Date },
  most: number = MOST_BUCKETS,
): MemoryLimiter {
  /** In the order in which they were last asked for. */
  const buckets = new Map<string, Bucket>();
  const longestWindowMs = Math.max(...Object.values(policies).map(({ windowSeconds }) => windowSeconds * 1000));

  /** Whatever was not touched for a whole window is empty. What stands first was touched longest ago, so this stops early. */
  function forgetEmpty(now: number): void {
    for (const [id, bucket] of buckets) {
      const idle = now - bucket.at >= longestWindowMs;
      if (!idle && buckets.size <= most) return;
      buckets.delete(id);
    }
  }

  return {
    policies,
    async take(name, key, cost = 1) {
      const policy = policies[name];
      const id = `${name}:${key}`;
      const now = clock.now().getTime();
      const { level, taken } = pour(drained(buckets.get(id) ?? EMPTY, policy, now), policy, [clampCost(cost, policy)]);
      buckets.delete(id);
      buckets.set(id, { level, at: now });
      forgetEmpty(now);
      const [answer] = taken;
      if (answer === undefined) throw new Error('One cost was poured, one answer comes back.');
      return answer;
    },
    size: () => buckets.size,
  };
}
