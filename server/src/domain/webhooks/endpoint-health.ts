// The circuit breaker of a webhook endpoint (WH5): when a failing receiver gets no attempts, for how long, and when it recovers.
import type { Outcome } from './webhook-attempt.ts';

/** The health of an endpoint. */
export interface Health {
  /** Consecutive attempts that failed because of the receiver. */
  failures: number;
  /** How often the circuit opened since the last answer. */
  openings: number;
}

/** What an attempt says about the receiver: alive, in trouble, or nothing. */
export type HealthSignal = 'alive' | 'trouble' | 'none';

/** The circuit opens at this many failures in a row. */
export const TRIPS_AT = 10;
const FIRST_REST_SECONDS = 5;
const LONGEST_REST_SECONDS = 300;
const SPREAD = 0.2;

/**
 * Any answer but 429 and 5xx shows that the receiver is alive, even if it
 * refuses the delivery. A failure on our side says nothing.
 */
export function healthSignalOf({ httpStatus, error }: Pick<Outcome, 'httpStatus' | 'error'>): HealthSignal {
  if (httpStatus !== null) return httpStatus < 500 && httpStatus !== 429 ? 'alive' : 'trouble';
  return error === 'internal' || error === null ? 'none' : 'trouble';
}

/**
 * WH5: the health of the endpoint after one more failed attempt. `restSeconds` is set when the circuit
 * opens: at the tenth failure in a row, and again when the attempt that was let through (`probe`) failed
 * too; twice as long each time, up to 5 min, ±20 %. `jitter` is in [0, 1).
 */
export function afterFailure(
  { failures, openings }: Health,
  { probe, resting, jitter }: { probe: boolean; resting: boolean; jitter: number },
): Health & { restSeconds: number | null } {
  const more = failures + 1;
  // A failure of an attempt that was under way when the circuit opened gives no new information.
  const opens = probe || (!resting && more >= TRIPS_AT);
  if (!opens) return { failures: more, openings, restSeconds: null };
  const rest = Math.min(LONGEST_REST_SECONDS, FIRST_REST_SECONDS * 2 ** Math.min(openings, 20));
  return { failures: more, openings: openings + 1, restSeconds: rest * (1 - SPREAD + 2 * SPREAD * jitter) };
}
