// The rate limiter inside one process: for running without Redis, and while Redis is unavailable.
import { type Bucket, clampCost, drained, EMPTY, pour } from './bucket.ts';
import type { LocalLimiter, RateLimitResult } from './limiter.ts';
import type { Policies, PolicyName } from './policies.ts';

export interface MemoryLimiter extends LocalLimiter {
  /** The number of buckets. */
  size(): number;
}

/** Maximum number of buckets per policy: beyond it, the least recently used one starts over. */
const MAX_BUCKETS = 20_000;

/**
 * Buckets fill and drain by the given clock; empty ones are removed, and at most `maxBuckets` per policy are retained. Each
 * policy has its own set, so that a long window does not displace the buckets of a short one.
 */
export function createMemoryLimiter(
  policies: Policies,
  clock: { now(): Date },
  maxBuckets: number = MAX_BUCKETS,
): MemoryLimiter {
  /** By policy; each in order of last use. */
  const bucketsByPolicy = new Map<PolicyName, Map<string, Bucket>>();
  const bucketsOf = (name: PolicyName): Map<string, Bucket> => {
    const buckets = bucketsByPolicy.get(name) ?? new Map<string, Bucket>();
    bucketsByPolicy.set(name, buckets);
    return buckets;
  };

  /**
   * A bucket that was not used for a whole window is empty. The first one was used longest ago, so this stops early.
   */
  function dropEmptyBuckets(name: PolicyName, now: number): void {
    const buckets = bucketsOf(name);
    for (const [key, bucket] of buckets) {
      const idle = now - bucket.at >= policies[name].windowSeconds * 1000;
      if (!idle && buckets.size <= maxBuckets) return;
      buckets.delete(key);
    }
  }

  function takeNow(name: PolicyName, key: string, cost = 1): RateLimitResult {
    const policy = policies[name];
    const buckets = bucketsOf(name);
    const now = clock.now().getTime();
    const { level, results } = pour(drained(buckets.get(key) ?? EMPTY, policy, now), policy, [clampCost(cost, policy)]);
    buckets.delete(key);
    buckets.set(key, { level, at: now });
    dropEmptyBuckets(name, now);
    const [answer] = results;
    if (answer === undefined) throw new Error('One cost must give one result.');
    return answer;
  }

  return {
    policies,
    takeNow,
    take: (...asked) => Promise.resolve(takeNow(...asked)),
    size: () => [...bucketsByPolicy.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
