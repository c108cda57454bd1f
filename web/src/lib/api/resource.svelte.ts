// A loaded value: the last good answer, the last error, and whether a request is running.

export class Resource<T> {
  data: T | null = $state.raw(null);
  error: unknown = $state.raw(null);
  loading = $state(false);

  readonly #fetch: (signal: AbortSignal) => Promise<T>;
  #running: AbortController | null = null;

  /** @param fetch loads the value once; its signal is aborted when a newer load replaces it. */
  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
  }

  /** Loads (again). Never throws: the cause is in `error`. An older running load is dropped. */
  async load(): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.loading = true;
    try {
      const data = await this.#fetch(running.signal);
      if (running.signal.aborted) return;
      this.data = data;
      this.error = null;
    } catch (error) {
      if (running.signal.aborted) return;
      this.error = error;
    }
    this.loading = false;
  }

  /** Stops waiting for an answer. */
  cancel(): void {
    this.#running?.abort();
    this.loading = false;
  }
}
