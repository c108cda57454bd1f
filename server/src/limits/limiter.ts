// The rate limiter as the rest of the server sees it: named policies, and one question before work is done.

import type { Policies, Policy, PolicyName } from './policies.ts';

/** What became of one question; times are whole seconds, rounded up. */
export interface RateLimitResult {
  readonly policy: Policy;
  /** False: nothing was charged, and the request is to be refused. */
  readonly allowed: boolean;
  /** How many requests of cost 1 would still be allowed now. */
  readonly remaining: number;
  /** Until everything is available again. */
  readonly fullInSeconds: number;
  /** Until this cost fits, if nobody else asks meanwhile; at least 1, and 0 when allowed. */
  readonly retryAfterSeconds: number;
}

export interface Limiter {
  readonly policies: Policies;
  /** Charges `cost` (default 1; never more than the quota) to whoever `key` is under this policy. Never throws and never waits long. */
  take(name: PolicyName, key: string, cost?: number): Promise<RateLimitResult>;
}

/** One that answers at once, because it counts for this process alone. */
export interface LocalLimiter extends Limiter {
  takeNow(name: PolicyName, key: string, cost?: number): RateLimitResult;
}
