// Turns any number of "something changed" into few reloads: at most one per spacing, none while nobody looks.

interface Options {
  reload: () => Promise<void>;
  /** Between the end of one reload and the next, in ms. */
  spacing: number;
  /** Between them at least so many times as long as the last one took: what is dear is asked for more rarely. */
  ease?: number;
  /** False while the page is hidden or paused. */
  mayReload: () => boolean;
}

export class Pacer {
  readonly #options: Options;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = 0;
  #wanted = false;
  #endedAt = -Infinity;
  #took = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Something changed: reloads soon. While a reload runs, one more follows it; while none is allowed, the wish is kept. */
  want(): void {
    this.#wanted = true;
    this.look();
  }

  /** Reloads now, whatever was asked before. */
  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wanted = false;
    this.#running += 1;
    const began = Date.now();
    await this.#options.reload();
    this.#running -= 1;
    this.#endedAt = Date.now();
    this.#took = this.#endedAt - began;
    this.look();
  }

  /** Follows a kept wish, when reloading is allowed again. */
  look(): void {
    const { spacing, ease = 0, mayReload } = this.#options;
    if (!this.#wanted || this.#running > 0 || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#endedAt + Math.max(spacing, ease * this.#took) - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (mayReload()) void this.now();
    }, wait);
  }

  /** No reload begins from here on. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wanted = false;
  }
}
