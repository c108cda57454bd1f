// One attempt to send a webhook: what goes into it, and what comes of it.
import type { AttemptError } from './retry.ts';
import type { StoredSecrets } from './webhook-secrets.ts';

export interface Dispatch {
  projectId: string;
  url: string;
  webhookId: string;
  /** Which attempt it is, from 1. */
  attempt: number;
  body: string;
  /** The sealed secrets of the project's endpoint; which of them sign depends on `at`. */
  secrets: StoredSecrets<string>;
  at: Date;
}

/** Where the time of one attempt went, in ms; null for what it did not get to, for TLS where there is none, and for both on a kept connection. */
export interface Timings {
  /** Looking the name up. */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the connection to the answer's head: sending, and the receiver's own work. */
  firstByteMs: number | null;
}

export interface Outcome {
  /** null when no answer came. */
  httpStatus: number | null;
  /** null for a 2xx answer that arrived whole, or as far as it is read. */
  error: AttemptError | null;
  /** The `Retry-After` header as it came. */
  retryAfter: string | null;
  /** Those of the answer's headers that are kept (W6); null when no answer came. */
  responseHeaders: Record<string, string> | null;
  /** The start of the answer's body, safe to store and to show as text; null when no answer came. */
  responseText: string | null;
  totalMs: number;
  timings: Timings;
  /** Where the connection went: for the operator, not for the customer. null through a proxy. */
  remoteAddress: string | null;
  /** What the operator's own proxy failed with, for the log: the receiver was not met, and the attempt does not count (WH7). */
  proxyFault?: string;
}

/** An attempt that was signed and sent. */
export interface Dispatched extends Outcome {
  /** How many secrets signed it. */
  signatures: number;
}
