// What a process tells of what it has done: each thing once, when it is over.

/** A request that was answered; `route` is the pattern of the contract and never the path: paths have ids in them. */
export interface RequestObservation {
  method: string;
  route: string;
  status: number;
  seconds: number;
  requestId: string;
  /** The item it names, or made. */
  itemId: string | null;
}

/** One POST of a webhook: what came of it, and how long it took. */
export interface AttemptObservation {
  outcome: 'succeeded' | 'failed';
  seconds: number;
  itemId: string;
  projectId: string;
  webhookId: string;
  /** Its number, from 1. */
  attempt: number;
  /** What was answered; null when nothing was. */
  status: number | null;
}

/** A fact that has just got its place in the ledger. */
export interface EventObservation {
  type: string;
  projectId: string;
  seq: number;
  itemId: string | null;
  /** Of the item. */
  version: number | null;
  /** ms since the epoch. */
  appendedAt: number;
}

/** One run of a loop of the worker. */
export interface RunObservation {
  loop: string;
  failed: boolean;
  seconds: number;
}
