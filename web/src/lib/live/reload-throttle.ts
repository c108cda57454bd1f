// Turns many changes into few reloads: one per spacing, none while the page is hidden, and again after a failed one.
import { retryDelay } from './retry-timer.ts';

interface Options {
  /** Never throws. */
  reload: () => Promise<unknown>;
  /** Why the last reload failed; null when it did not. */
  error: () => unknown;
  /** Between the end of one reload and the next, in ms. */
  spacing: number;
  /** Waits at least this many times the duration of the last reload: expensive reloads run less often. */
  backoffFactor?: number;
  /** False while the page is hidden or paused. */
  mayReload: () => boolean;
}

export class ReloadThrottle {
  readonly #options: Options;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #running = 0;
  #pending = false;
  #endedAt = -Infinity;
  #lastDuration = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Something changed: reloads soon. While a reload runs, one more follows it; while none is allowed, the request is remembered.
   */
  schedule(): void {
    this.#pending = true;
    this.resume();
  }

  /** Reloads now, regardless of earlier requests. */
  async now(): Promise<void> {
    this.stop();
    this.#stopped = false;
    this.#running += 1;
    const began = performance.now();
    await this.#options.reload();
    this.#running -= 1;
    this.#endedAt = performance.now();
    this.#lastDuration = this.#endedAt - began;
    this.#retryIfFailed();
    this.resume();
  }

  /** The change that a failed reload was for still has to show (QU4). */
  #retryIfFailed(): void {
    const { error } = this.#options;
    const delay = retryDelay(error());
    if (delay === null || this.#stopped || this.#running > 0) return;
    // It may have been loaded in another way by then.
    this.#retry = setTimeout(() => retryDelay(error()) !== null && this.schedule(), delay);
  }

  /** Runs a remembered request, when reloading is allowed again. */
  resume(): void {
    const { spacing, backoffFactor = 0, mayReload } = this.#options;
    if (!this.#pending || this.#running > 0 || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#endedAt + Math.max(spacing, backoffFactor * this.#lastDuration) - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (mayReload()) void this.now();
    }, wait);
  }

  /** No reload begins from here on. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    this.#timer = undefined;
    this.#pending = false;
    this.#stopped = true;
  }
}
