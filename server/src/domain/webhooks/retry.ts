// An attempt and its next step: succeeded, retry at a given time, dead, or pause the endpoint (WH1 to WH4, WH7).
import type { DeliveryStatus } from '@countersign/shared/enums';
import { retryAfterSeconds } from '@countersign/shared/client/retry-after';
import type { StoredSecrets } from './signing.ts';

/** Why an attempt failed, as a code; null for a 2xx answer. */
export type AttemptError =
  | 'dns_error'
  | 'blocked_address'
  | 'connect_timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'timeout'
  | 'response_too_large'
  | 'redirect_refused'
  | 'http_4xx'
  | 'http_5xx'
  | 'invalid_url'
  | 'internal';

export interface Dispatch {
  projectId: string;
  /** Whose secrets sign it. */
  endpointId: string;
  url: string;
  webhookId: string;
  /** The number of the attempt, from 1. */
  attempt: number;
  body: string;
  /** The trace context that it carries on (WH9); absent for an event without an item. */
  traceparent?: string | null;
  /** The encrypted secrets of the endpoint; which of them sign depends on `at`. */
  secrets: StoredSecrets<string>;
  at: Date;
  /** For receivers that verify nothing. */
  unsigned?: boolean;
}

/**
 * How long each phase of an attempt took, in ms; null for a phase that was not reached, for TLS over plain HTTP, and for name
 * look-up, connection and TLS on a reused connection.
 */
export interface Timings {
  /** The DNS look-up. */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the connection to the head of the answer: sending, and the receiver's processing. */
  firstByteMs: number | null;
}

export interface Outcome {
  /** Null when no answer arrived. */
  httpStatus: number | null;
  /** Null for a complete 2xx answer, or as much of it as is read. */
  error: AttemptError | null;
  /** The `Retry-After` header as received. */
  retryAfter: string | null;
  /** The headers of the answer that are stored (W6); null when no answer arrived. */
  responseHeaders: Record<string, string> | null;
  /** The start of the answer's body, safe to store and to show as text; null when no answer arrived. */
  responseText: string | null;
  totalMs: number;
  timings: Timings;
  /** The address that was connected to: for the operator, not for the customer. Null through a proxy. */
  remoteAddress: string | null;
  /** The failure of the operator's own proxy, for the log: the receiver was not reached, and the attempt does not count (WH7). */
  proxyFault?: string;
}

/** An attempt that was signed and sent. */
export interface Dispatched extends Outcome {
  /** How many secrets signed it. */
  signatures: number;
}

export interface AttemptResult {
  /** The number of the attempt, from 1. */
  attempt: number;
  httpStatus: number | null;
  error: AttemptError | null;
  /** The `Retry-After` header as received: seconds or an HTTP date. */
  retryAfter: string | null;
  /** By our clock: what a date in `retryAfter` is measured against. */
  now: Date;
  /** A random number in [0, 1). */
  jitter: number;
  /** The error of the previous attempt, where it is known (WH4). */
  previousError?: AttemptError | null;
  /** Set when the operator's own proxy failed, so that the receiver was not reached (WH7). */
  proxyFault?: string;
}

export type NextStep =
  | { kind: 'succeeded' }
  /**
   * `waitMs`: from now, in whole milliseconds; the database adds it to its own clock, by which all processes find what is due.
   * `uncounted`: the schedule has as many attempts left as before.
   */
  | { kind: 'retry'; waitMs: number; uncounted?: true }
  | { kind: 'dead' }
  | { kind: 'pause'; reason: 'gone' };

/** Whether a delivery can be sent again: only one that ended; not one that is under way or cancelled. */
export const isReplayable = (status: DeliveryStatus): boolean => status === 'succeeded' || status === 'dead';

/** Seconds to wait before attempt 1, 2, … 10. */
export const SCHEDULE_SECONDS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;
/** Each wait is spread by this share either way, so that a recovering receiver does not get everything at once. */
const SPREAD = 0.2;
const LONGEST_HINT_MS = 36_000_000;
const REFUSED_WAIT_SECONDS = 300;
const PROXY_WAIT_SECONDS = 30;
const STATUSES_WITH_HINT: readonly (number | null)[] = [429, 503];
const REFUSALS: readonly (AttemptError | null)[] = ['blocked_address', 'invalid_url'];

/**
 * The next step after an attempt. WH1: 2xx without an error succeeds; anything else takes the next step of the schedule, ±20 %,
 * and is dead after the 10th. WH2: 429 and 503 may ask for a later time, up to 10 h, never for an earlier one. WH3: 410 pauses
 * the endpoint. WH4: a refused address or URL gets one more attempt after 5 min, then is dead. WH7: a failure of our own proxy is
 * retried after 30 s, and does not count.
 */
export function nextStep(result: AttemptResult): NextStep {
  const { attempt, httpStatus, error, now } = result;
  if (result.proxyFault !== undefined) {
    return { kind: 'retry', waitMs: spread(PROXY_WAIT_SECONDS, result.jitter), uncounted: true };
  }
  if (error === null && httpStatus !== null && httpStatus >= 200 && httpStatus <= 299) return { kind: 'succeeded' };
  if (httpStatus === 410) return { kind: 'pause', reason: 'gone' };
  const scheduled = SCHEDULE_SECONDS[attempt];
  if (scheduled === undefined) return { kind: 'dead' };
  if (REFUSALS.includes(error)) {
    return refusedBefore(result)
      ? { kind: 'dead' }
      : { kind: 'retry', waitMs: spread(REFUSED_WAIT_SECONDS, result.jitter) };
  }
  const base = spread(scheduled, result.jitter);
  const hint = STATUSES_WITH_HINT.includes(httpStatus) ? hintMs(result.retryAfter, now) : 0;
  return { kind: 'retry', waitMs: Math.max(base, Math.min(hint, LONGEST_HINT_MS)) };
}

/** Without the previous error, only the first attempt counts as the first refusal. */
function refusedBefore({ attempt, previousError }: AttemptResult): boolean {
  return previousError === undefined ? attempt > 1 : REFUSALS.includes(previousError);
}

function spread(seconds: number, jitter: number): number {
  return Math.round(seconds * 1_000 * (1 - SPREAD + 2 * SPREAD * jitter));
}

/** Milliseconds from now that a `Retry-After` asks for; 0 when the header is missing or cannot be parsed. */
function hintMs(header: string | null, now: Date): number {
  return (retryAfterSeconds(header, null, now.getTime()) ?? 0) * 1_000;
}
