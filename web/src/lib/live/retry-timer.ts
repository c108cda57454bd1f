// When to ask again for what was not answered: a while later, and each tab at a moment of its own.
import { ApiProblem } from '../api/client.ts';

const MIN_DELAY_MS = 2000;
const MAX_DELAY_MS = 15_000;
/** Tabs that were all told the same moment still come one after the other. */
const JITTER_MS = 2000;

export class RetryTimer {
  #at: number | null = null;
  #error: unknown = null;

  /** Asked at every tick with why there is no good answer, null when there is one; true when it is time to ask. `now` in ms. */
  due(error: unknown, now: number): boolean {
    if (!isRetryable(error)) this.#at = null;
    else if (this.#at === null || error !== this.#error) this.#at = now + delay(error);
    this.#error = error;
    if (this.#at === null || now < this.#at) return false;
    this.#at = null;
    return true;
  }
}

/** Whether it may be otherwise the next time: a refusal stays one. */
function isRetryable(error: unknown): boolean {
  if (error === null) return false;
  return !(error instanceof ApiProblem) || error.status >= 500 || error.status === 429;
}

function delay(error: unknown): number {
  const seconds = error instanceof ApiProblem ? error.retryAfter : null;
  if (seconds !== null) return seconds * 1000 + Math.random() * JITTER_MS;
  return MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS);
}
