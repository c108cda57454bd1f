// A list that fills while a test waits on it: returns the next matching entry, now or later, each once.

/** In ms, how long a test waits for an entry: long even for a slow machine, and less than the test timeout. */
const WAIT_TIMEOUT_MS = 25_000;

export class ObservedList<T> {
  readonly all: T[] = [];
  readonly #noun: string;
  readonly #given = new Set<T>();
  readonly #waiting = new Set<{ tryMatch: () => void; fail: (reason: unknown) => void }>();

  constructor(noun: string) {
    this.#noun = noun;
  }

  add(entry: T): void {
    this.all.push(entry);
    for (const waiter of [...this.#waiting]) waiter.tryMatch();
  }

  /** Fails all current waits with this error. */
  fail(reason: unknown): void {
    for (const waiter of [...this.#waiting]) waiter.fail(reason);
  }

  /** The first matching entry not returned yet. Throws when none comes in time; the message lists what came instead. */
  async next<S extends T>(fits: (entry: T) => boolean, wanted: string, within = WAIT_TIMEOUT_MS): Promise<S> {
    const { promise, resolve, reject } = Promise.withResolvers<S>();
    const tryMatch = () => {
      const found = this.all.find((entry) => !this.#given.has(entry) && fits(entry));
      if (found === undefined) return;
      this.#given.add(found);
      resolve(found as S);
    };
    const waiter = { tryMatch, fail: reject };
    this.#waiting.add(waiter);
    const timer = setTimeout(() => reject(new Error(this.#missing(wanted, within))), within);
    tryMatch();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
    });
  }

  #missing(wanted: string, within: number): string {
    const came = this.all.slice(-20).map((entry) => JSON.stringify(entry).slice(0, 200));
    return `No ${this.#noun} (${wanted}) within ${within} ms. The last that came:\n${came.join('\n') || 'nothing'}`;
  }
}
