// Retries failed calls: exponential backoff with full jitter, never earlier than the service asks, within a time limit.
import { ApiError, NetworkError } from './errors.ts';

/**
 * Clock and randomness. `now` is in milliseconds; `random` from 0 to below 1; `sleep` takes milliseconds and resolves
 * early, without an error, when the signal aborts.
 */
export interface RetryClock {
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Reported before each retry: the requests so far, the minimum delay in milliseconds, and the error. */
export interface Retry {
  readonly error: ApiError | NetworkError;
  readonly tries: number;
  readonly delayMs: number;
}

export interface RetryOptions {
  /** Maximum failed requests per call; 429 does not count, because it is rate limiting and no failure. Default 8. */
  readonly tries?: number;
  /** Seconds from the start of a call within which its last request may start; 0 disables retries. Default 120. */
  readonly seconds?: number;
  /** Called before the wait of every retry. An error it throws ends the call. */
  readonly onRetry?: (retry: Retry) => void;
}

const TRIES = 8;
const SECONDS = 120;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 15_000;
/** Timers accept at most 31 bits of milliseconds and fire immediately beyond that. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Wait {
  readonly deadline: number;
  readonly last: ApiError | NetworkError | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Runs calls until they succeed or may not be retried. A pause that the service requests applies to all calls. */
export class Retrier {
  readonly #clock: RetryClock;
  readonly #options: RetryOptions;
  /** Shared by all calls: the rate limits are per key, and this client has one. */
  #pausedUntil = 0;

  /** Errors: `TypeError` for limits that are not numbers, which nothing would exceed. */
  constructor(clock: RetryClock, options: RetryOptions) {
    if (Number.isNaN(options.tries) || Number.isNaN(options.seconds))
      throw new TypeError('The tries and seconds of retries must be numbers.');
    this.#clock = clock;
    this.#options = options;
  }

  /**
   * Runs `attempt` until it resolves; with `until`, in milliseconds, as often as that time allows. Errors: the last one of
   * `attempt`; the reason of the signal as soon as it aborts, also during a wait.
   */
  async run<T>(attempt: () => Promise<T>, signal?: AbortSignal, until?: number): Promise<T> {
    const deadline = until ?? this.#clock.now() + (this.#options.seconds ?? SECONDS) * 1000;
    const most = until === undefined ? (this.#options.tries ?? TRIES) : Infinity;
    let due = 0;
    let failures = 0;
    let last: ApiError | NetworkError | undefined;
    for (let tries = 1; ; tries += 1) {
      await this.#waitUntil(due, { deadline, last, signal });
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof NetworkError)) throw error;
        error.tries = tries;
        if (!isRateLimited(error)) failures += 1;
        const delayMs = this.#delay(error, tries);
        due = this.#clock.now() + delayMs;
        if (!error.temporary || failures >= most || due >= deadline) throw error;
        last = error;
        this.#options.onRetry?.({ error, tries, delayMs });
        this.#pause(error, due);
      }
    }
  }

  /** Full jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015), on top of what the service asks for. */
  #delay(error: ApiError | NetworkError, tries: number): number {
    const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
    return Math.ceil((error.retryAfter ?? 0) * 1000 + this.#clock.random() * ceiling);
  }

  #pause(error: ApiError | NetworkError, due: number): void {
    const asked = error.retryAfter === null ? null : this.#clock.now() + error.retryAfter * 1000;
    if (isRateLimited(error)) this.#pausedUntil = Math.max(this.#pausedUntil, asked ?? due);
    else if (asked !== null && error instanceof ApiError && error.status >= 500) {
      this.#pausedUntil = Math.max(this.#pausedUntil, asked);
    }
  }

  /** Throws the last error when the wait would exceed the deadline: a pause can be extended during the wait. */
  async #waitUntil(due: number, { deadline, last, signal }: Wait): Promise<void> {
    const { now, sleep } = this.#clock;
    for (;;) {
      signal?.throwIfAborted();
      const until = Math.max(due, this.#pausedUntil);
      if (until <= now()) return;
      if (last !== undefined && until >= deadline) throw last;
      await sleep(Math.min(until - now(), LONGEST_TIMER_MS), signal);
    }
  }
}

/** The service limits the rate of this key. */
function isRateLimited(error: ApiError | NetworkError): boolean {
  return error instanceof ApiError && error.status === 429;
}
