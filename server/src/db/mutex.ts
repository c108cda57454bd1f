// A mutex for one process: runs work one at a time, in the order requested.

export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Starts when all earlier work has settled. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
