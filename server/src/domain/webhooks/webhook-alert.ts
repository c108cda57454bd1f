// What the owners of a project are told of its webhook, and when (rule WH6).
import type { WebhookAlertKind } from '@countersign/shared/enums';
import type { NextStep } from './retry.ts';

/** What they have been told so far, and whether anything is sent at all. */
export interface AlertState {
  paused: boolean;
  /** They were told of trouble, and not yet that it is over. */
  inTrouble: boolean;
  /** Since they were last told of an exhausted delivery; null when they never were. */
  secondsAgo: number | null;
}

/** For so many seconds after an exhausted delivery was told, no other one is. */
export const QUIET_SECONDS = 3600;

/**
 * WH6: what owners are told of an attempt with this `step` behind it, or null, and what they have been told from then on. The
 * first exhausted delivery is told, then at most one an hour, also when trouble comes and goes within it. A pause is told as it
 * begins, and covers what was on its way then: that may still die or arrive. The first success after trouble is told once.
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
