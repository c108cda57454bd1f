// Turns any number of "something changed" into few reloads: at most one per spacing, none while the page is hidden.

interface Options {
  reload: () => Promise<void>;
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = false;
    this.#running += 1;
    const began = performance.now();
    await this.#options.reload();
    this.#running -= 1;
    this.#endedAt = performance.now();
    this.#lastDuration = this.#endedAt - began;
    this.resume();
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
    this.#timer = undefined;
    this.#pending = false;
  }
}
