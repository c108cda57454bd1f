// Which alerts the owners of a project get about its webhook, and when (rule WH6).
import type { WebhookAlertKind } from '@countersign/shared/enums';
import type { NextStep } from './retry.ts';

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
