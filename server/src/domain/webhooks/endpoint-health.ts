// The circuit breaker of a webhook endpoint (rule WH5): when a failing receiver is left alone, for how long, and when it is well again.
import type { Outcome } from './webhook-attempt.ts';

/** How an endpoint is doing. */
export interface Health {
  /** Attempts in a row that met no living receiver. */
  failures: number;
  /** How often it was left alone since it last answered. */
  openings: number;
}

/** What an attempt says of the receiver: it lives, it does not, or nothing. */
export type HealthSignal = 'alive' | 'trouble' | 'none';

/** From this many failures in a row on it is left alone. */
export const TRIPS_AT = 10;
const FIRST_REST_SECONDS = 5;
const LONGEST_REST_SECONDS = 300;
const SPREAD = 0.2;

/** Any answer but 429 and 5xx comes from a receiver that lives, whatever it thinks of the delivery. What failed on our side says nothing. */
export function healthSignalOf({ httpStatus, error }: Pick<Outcome, 'httpStatus' | 'error'>): HealthSignal {
  if (httpStatus !== null) return httpStatus < 500 && httpStatus !== 429 ? 'alive' : 'trouble';
  return error === 'internal' || error === null ? 'none' : 'trouble';
}

/**
 * WH5: the endpoint after one more attempt that met no living receiver. `restSeconds` is set when it is to be left alone from now on:
 * at the tenth failure in a row, and again when the one attempt that was let through (`probe`) failed too; twice as long each time,
 * up to 5 min, ±20 %. `jitter` is in [0, 1).
 */
export function afterFailure(
  { failures, openings }: Health,
  { probe, resting, jitter }: { probe: boolean; resting: boolean; jitter: number },
): Health & { restSeconds: number | null } {
  const more = failures + 1;
  // What was under way when the circuit opened says nothing new when it fails too.
  const opens = probe || (!resting && more >= TRIPS_AT);
  if (!opens) return { failures: more, openings, restSeconds: null };
  const rest = Math.min(LONGEST_REST_SECONDS, FIRST_REST_SECONDS * 2 ** Math.min(openings, 20));
  return { failures: more, openings: openings + 1, restSeconds: rest * (1 - SPREAD + 2 * SPREAD * jitter) };
}
