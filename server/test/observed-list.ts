// A list that fills while a test looks at it: the next thing that fits, now or when it comes, each given out once.

/** How long a test waits for something, in ms: for ever, as a slow machine sees it, and a little less than a test may take. */
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

  /** Whoever waits now fails with this. */
  fail(reason: unknown): void {
    for (const waiter of [...this.#waiting]) waiter.fail(reason);
  }

  /** The first that fits and was not given out yet. Errors: when none comes in time; the message shows what came instead. */
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
