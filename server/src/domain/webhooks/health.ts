// The health of a webhook endpoint: its circuit breaker (WH5), and which alerts its owners get (WH6).
import type { WebhookAlertKind } from '@countersign/shared/enums';
import type { NextStep, Outcome } from './retry.ts';

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
 * WH5: what an attempt does to the circuit. A probe without a clear result must not keep the circuit open: it counts as
 * failed. One that our own proxy lost does not count (WH7): the next is let through when its time is over.
 */
export function circuitEffect(outcome: Outcome, probe: boolean): 'close' | 'count' | 'none' {
  const signal = healthSignalOf(outcome);
  if (signal === 'alive') return 'close';
  return signal === 'trouble' || (probe && outcome.proxyFault === undefined) ? 'count' : 'none';
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

/** The alerts sent so far, and whether the webhook is paused. */
export interface AlertState {
  paused: boolean;
  /** Trouble was alerted, and its end was not yet. */
  inTrouble: boolean;
  /** Since the last alert of an exhausted delivery; null when there was none. */
  secondsAgo: number | null;
}

/** An exhausted delivery is alerted at most once in this many seconds. */
export const QUIET_SECONDS = 3600;

/**
 * WH6: the alert for an attempt with this next `step`, or null, and the state after it. The first exhausted delivery is alerted,
 * then at most one an hour, also when trouble comes and goes within it. A pause is alerted when it begins, and covers what is
 * under way then: it may still die or succeed. The first success after trouble is alerted once.
 */
export function nextAlert(
  state: AlertState,
  step: NextStep['kind'],
): { alert: WebhookAlertKind | null; state: AlertState } {
  const { paused, inTrouble, secondsAgo } = state;
  if (paused) return { alert: null, state };
  if (step === 'pause') return { alert: 'paused', state: { ...state, paused: true, inTrouble: true } };
  if (step === 'dead' && (secondsAgo ?? Infinity) >= QUIET_SECONDS)
    return { alert: 'exhausted', state: { ...state, inTrouble: true, secondsAgo: 0 } };
  if (step === 'succeeded' && inTrouble) return { alert: 'recovered', state: { ...state, inTrouble: false } };
  return { alert: null, state };
}
