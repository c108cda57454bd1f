// The time at which a failed request is repeated: as the server asked, else after a random delay.
import { ApiProblem } from '../api/client.ts';

const MIN_DELAY_MS = 2000;
const MAX_DELAY_MS = 15_000;
/** Spreads tabs that all received the same retry time. */
const JITTER_MS = 2000;

export class RetryTimer {
  #at: number | null = null;
  #error: unknown = null;

  /** Called at every tick with the present error, null when there is none; returns true when it is time to retry. `now` in ms. */
  due(error: unknown, now: number): boolean {
    if (!isRetryable(error)) this.#at = null;
    else if (this.#at === null || error !== this.#error) this.#at = now + delay(error);
    this.#error = error;
    if (this.#at === null || now < this.#at) return false;
    this.#at = null;
    return true;
  }
}

/** Whether a retry may succeed: a refusal is final. */
function isRetryable(error: unknown): boolean {
  if (error === null) return false;
  return !(error instanceof ApiProblem) || error.status >= 500 || error.status === 429;
}

/** After how many ms a request that failed with `error` is repeated; null: never, because nothing failed or a refusal is final. */
export const retryDelay = (error: unknown): number | null => (isRetryable(error) ? delay(error) : null);

function delay(error: unknown): number {
  const seconds = error instanceof ApiProblem ? error.retryAfter : null;
  if (seconds !== null) return seconds * 1000 + Math.random() * JITTER_MS;
  return MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS);
}
