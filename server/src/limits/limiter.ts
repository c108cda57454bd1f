// The rate limiter interface: named policies, and one check before work is done.

import type { Policies, Policy, PolicyName } from './policies.ts';

/** The result of one check; times are in whole seconds, rounded up. */
export interface RateLimitResult {
  readonly policy: Policy;
  /** False: nothing was charged, and the request must be refused. */
  readonly allowed: boolean;
  /** How many requests of cost 1 are still allowed now. */
  readonly remaining: number;
  /** Until the whole quota is available again. */
  readonly fullInSeconds: number;
  /** Until this cost fits, if there are no other requests; at least 1, and 0 when allowed. */
  readonly retryAfterSeconds: number;
}

export interface Limiter {
  readonly policies: Policies;
  /** Charges `cost` (default 1; at most the quota) to `key` under this policy. Never throws and never waits long. */
  take(name: PolicyName, key: string, cost?: number): Promise<RateLimitResult>;
}

/** A synchronous limiter, because it counts for this process alone. */
export interface LocalLimiter extends Limiter {
  takeNow(name: PolicyName, key: string, cost?: number): RateLimitResult;
}
