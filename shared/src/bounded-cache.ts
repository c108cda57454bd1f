// A cache of a bounded number of results by a text key.

/** Drops all results when there are too many: that is rare, and costs less than recording which were used last. */
export class BoundedCache<T> {
  readonly #most: number;
  readonly #results = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The result for this key; `make` returns it where it is not cached. A failure of `make` is not cached. */
  get(key: string, make: () => T): T {
    const cached = this.#results.get(key);
    if (cached !== undefined) return cached;
    const made = make();
    if (this.#results.size >= this.#most) this.#results.clear();
    this.#results.set(key, made);
    return made;
  }
}
