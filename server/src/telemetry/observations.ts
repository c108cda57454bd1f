// The observations that a process reports: each once, when it is complete.

/** An answered request; `route` is the pattern of the contract and never the path, which contains IDs. */
export interface RequestObservation {
  method: string;
  route: string;
  status: number;
  seconds: number;
  requestId: string;
  /** The item that it created, or names and its caller may see. */
  itemId: string | null;
}

/** One POST of a webhook: its result and duration. */
export interface AttemptObservation {
  outcome: 'succeeded' | 'failed';
  seconds: number;
  itemId: string;
  projectId: string;
  webhookId: string;
  /** Its number, from 1. */
  attempt: number;
  /** The response status; null without a response. */
  status: number | null;
}

/** An event that just got its sequence number. */
export interface EventObservation {
  type: string;
  projectId: string;
  seq: number;
  itemId: string | null;
  /** The version of the item. */
  version: number | null;
  /** When it was appended, in ms since the epoch. */
  appendedAt: number;
}

/** One run of a worker loop. */
export interface RunObservation {
  loop: string;
  failed: boolean;
  seconds: number;
}
