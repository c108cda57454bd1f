// Waits for the decision on an item by long polls, through faults of the network and restarts of the service.
import { OPEN_STATUSES } from '../enums.ts';
import type { Decision } from '../schemas/parts/decision.ts';
import type { PublicItem } from '../schemas/public.ts';
import { ApiError, NetworkError } from './errors.ts';
import type { RetryClock } from './retry.ts';

/** The longest wait of one request, in seconds: below the idle limit of common proxies. */
const POLL_SECONDS = 50;

/** An item ended without a decision: `item.status` is `expired`, `withdrawn`, or `rejected` by routing or its deadline. */
export class ItemEndedError extends Error {
  readonly item: PublicItem;

  constructor(item: PublicItem) {
    super(`Item ${item.id} ended without a decision: ${item.status}.`);
    this.name = 'ItemEndedError';
    this.item = item;
  }
}

/** Nobody decided in time. The item still waits for people. */
export class WaitTimeoutError extends Error {
  readonly itemId: string;
  /** Where `runWithReview` of @countersign/ai-sdk threw it: the stored run, to pass as `resume`; null otherwise. */
  pausedRun: string | null = null;

  constructor(itemId: string, seconds: number, options?: ErrorOptions) {
    super(`Item ${itemId} was not decided within ${seconds} s. It still waits for people.`, options);
    this.name = 'WaitTimeoutError';
    this.itemId = itemId;
  }
}

/** The part of a client that `waitForDecision` uses. */
export interface ItemReader {
  readonly clock: RetryClock;
  /** Reads the item; the service waits `waitSeconds` for its end. `until` ends the tries, in milliseconds by the clock. */
  readonly read: (waitSeconds: number, until: number) => Promise<PublicItem>;
}

/**
 * The decision on an item, once it is final. Errors: `ItemEndedError`, `WaitTimeoutError`, `TypeError` for a timeout that is
 * negative or not a number, and refusals that no repeat can change.
 */
export async function waitForDecision(
  { clock: { now, random, sleep }, read }: ItemReader,
  id: string,
  { timeoutSeconds = Infinity, signal }: { timeoutSeconds?: number | undefined; signal?: AbortSignal | undefined },
): Promise<Decision> {
  if (!(timeoutSeconds >= 0)) throw new TypeError('The timeout must be a number of seconds, 0 or more.');
  const until = now() + timeoutSeconds * 1000;
  for (;;) {
    const began = now();
    const asked = Math.floor(Math.min(POLL_SECONDS, Math.max(0, until - began) / 1000));
    const item = await read(asked, until).catch((error: unknown) => {
      const temporary = (error instanceof ApiError || error instanceof NetworkError) && error.temporary;
      throw temporary ? new WaitTimeoutError(id, timeoutSeconds, { cause: error }) : error;
    });
    if (item.decision !== null) return item.decision;
    if (!OPEN_STATUSES.some((status) => status === item.status)) throw new ItemEndedError(item);
    const time = now();
    const left = until - time;
    if (left <= 0) throw new WaitTimeoutError(id, timeoutSeconds);
    // The service waits whole seconds: the client waits for the rest itself, and reads once more.
    if (left < 1000) await sleep(left, signal);
    // Where too many requests wait, the service answers at once, and asks to come back later.
    else if (time - began < asked * 1000) await sleep(Math.min(1000 + random() * 1000, left), signal);
  }
}
