// Something fetched: what came, why it did not, and whether it is under way. The last good answer stays on show.

export class Resource<T> {
  data: T | null = $state.raw(null);
  error: unknown = $state.raw(null);
  loading = $state(false);

  readonly #fetch: (signal: AbortSignal) => Promise<T>;
  #running: AbortController | null = null;

  /** @param fetch asks for the thing once; its signal is aborted when a newer ask replaces it. */
  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
  }

  /** Asks (again). Never throws: the reason stands in `error`. An older ask still under way is dropped. */
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
