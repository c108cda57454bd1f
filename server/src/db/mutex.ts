// Work of one process that would get into each other's way, or be carried out on an older answer last: one after the other, in the order asked.

export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins when all before it are over, however they ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
