// The types of one webhook attempt: its request and its outcome.
import type { AttemptError } from './retry.ts';
import type { StoredSecrets } from './webhook-secrets.ts';

export interface Dispatch {
  projectId: string;
  url: string;
  webhookId: string;
  /** The number of the attempt, from 1. */
  attempt: number;
  body: string;
  /** The encrypted secrets of the project's endpoint; which of them sign depends on `at`. */
  secrets: StoredSecrets<string>;
  at: Date;
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
