// The rate limiter inside one process: for running without Redis, and for the time that Redis is away.
import { type Bucket, clampCost, drained, EMPTY, pour } from './bucket.ts';
import type { LocalLimiter, RateLimitResult } from './limiter.ts';
import type { Policies, PolicyName } from './policies.ts';

export interface MemoryLimiter extends LocalLimiter {
  /** How many buckets are kept. */
  size(): number;
}

/** More than this many who ask at once are not told apart for long: the one who asked longest ago starts anew. */
const MOST_BUCKETS = 20_000;

/**
 * Buckets fill and drain by the given clock; those that are empty again are forgotten, and at most `most` of a policy are kept.
 * Each policy has its own: a long window must not keep the buckets of a short one.
 */
export function createMemoryLimiter(
  policies: Policies,
  clock: { now(): Date },
  most: number = MOST_BUCKETS,
): MemoryLimiter {
  /** By policy; each in the order in which they were last asked for. */
  const bucketsByPolicy = new Map<PolicyName, Map<string, Bucket>>();
  const bucketsOf = (name: PolicyName): Map<string, Bucket> => {
    const buckets = bucketsByPolicy.get(name) ?? new Map<string, Bucket>();
    bucketsByPolicy.set(name, buckets);
    return buckets;
  };

  /** Whatever was not touched for a whole window is empty. What stands first was touched longest ago, so this stops early. */
  function dropEmptyBuckets(name: PolicyName, now: number): void {
    const buckets = bucketsOf(name);
    for (const [key, bucket] of buckets) {
      const idle = now - bucket.at >= policies[name].windowSeconds * 1000;
      if (!idle && buckets.size <= most) return;
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
    if (answer === undefined) throw new Error('One cost was poured, one answer comes back.');
    return answer;
  }

  return {
    policies,
    takeNow,
    take: (...asked) => Promise.resolve(takeNow(...asked)),
    size: () => [...bucketsByPolicy.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
