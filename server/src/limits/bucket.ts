// The arithmetic of one leaky bucket, in integers, so that memory and the Redis script always agree.
import type { RateLimitResult } from './limiter.ts';
import type { Policy } from './policies.ts';

/**
 * The level of the bucket. The unit is a request times a millisecond of the window: a request adds `windowMs`, a
 * millisecond drains `quota`, `quota * windowMs` is full. All values stay below 2^53 for any quota that the
 * configuration accepts.
 */
export interface Bucket {
  readonly level: number;
  /** The time of that level, in ms. */
  readonly at: number;
}

export const EMPTY: Bucket = { level: 0, at: 0 };

const windowMs = (policy: Policy) => policy.windowSeconds * 1000;

/** The level at `now`. A clock that was set back drains nothing, and draining continues from the new time. */
export function drained({ level, at }: Bucket, policy: Policy, now: number): number {
  return Math.max(0, level - Math.max(0, now - at) * policy.quota);
}

/** Milliseconds until a bucket of this level is empty. */
export function emptyInMs(level: number, policy: Policy): number {
  return Math.ceil(level / policy.quota);
}

/** A cost above the quota would never fit: it counts as the whole quota. */
export function clampCost(cost: number, policy: Policy): number {
  return Math.min(Math.max(0, Math.ceil(cost)), policy.quota);
}

/**
 * Applies costs one after the other: each one fits completely or is refused and leaves the level unchanged. This is the
 * continuous-state leaky bucket of ITU-T I.371 (the Generic Cell Rate Algorithm), with a burst as large as the quota.
 */
export function pour(
  level: number,
  policy: Policy,
  costs: readonly number[],
): { level: number; results: RateLimitResult[] } {
  let filled = level;
  const results = costs.map((cost) => {
    const after = filled + cost * windowMs(policy);
    const allowed = after <= capacity(policy);
    if (allowed) filled = after;
    return toResult({ policy, level: filled, missing: allowed ? 0 : after - capacity(policy) });
  });
  return { level: filled, results };
}

const capacity = (policy: Policy) => policy.quota * windowMs(policy);

function toResult({ policy, level, missing }: { policy: Policy; level: number; missing: number }): RateLimitResult {
  const seconds = (amount: number) => Math.ceil(emptyInMs(amount, policy) / 1000);
  return {
    policy,
    allowed: missing === 0,
    remaining: Math.floor((capacity(policy) - level) / windowMs(policy)),
    fullInSeconds: seconds(level),
    retryAfterSeconds: seconds(missing),
  };
}
