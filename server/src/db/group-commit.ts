// Group commit: what arrives together is committed together, and each one still gets an outcome of its own.
// After the commit_delay idea of databases (DeWitt et al. 1984): nobody waits for company, but who comes while a commit is under way shares the next.

/** What became of one entry: its result, its own refusal, or "not now" (someone else is at it; ask again shortly). */
export type Outcome<R> = { result: R } | { refusal: Error } | 'later';

export interface GroupCommitOptions<T, R> {
  /** Commits the entries in one transaction; outcomes in the same order. A rejection means that nothing was committed. */
  commit: (entries: T[]) => Promise<Outcome<R>[]>;
  /** True for a failure that would meet every entry alike (nobody to talk to): then none is tried alone. */
  meetsAll: (error: unknown) => boolean;
  /** The weight of one entry and the most that one group may weigh; a heavier entry goes alone. */
  weigh: (entry: T) => number;
  maxWeight: number;
  maxEntries: number;
  /** How many groups may be under way at once. */
  concurrency: number;
  /** How soon an entry that was told "later" comes again, in milliseconds. */
  laterMs: number;
}

interface Waiting<T, R> {
  entry: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options;
  }

  /** Resolves after the commit that holds this entry; rejects with the entry's own refusal or with what made its commit fail. */
  add(entry: T): Promise<R> {
    return new Promise((resolve, reject) => this.#enqueue({ entry, resolve, reject }));
  }

  #enqueue(waiting: Waiting<T, R>): void {
    this.#waiting.push(waiting);
    this.#schedule();
  }

  /** After the requests that this turn of the event loop has read, so that they share a group. */
  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#options.concurrency) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    const group = this.#take();
    if (group.length === 0) return;
    this.#running += 1;
    void this.#run(group).finally(() => {
      this.#running -= 1;
      this.#schedule();
    });
    if (this.#waiting.length > 0) this.#schedule();
  }

  #take(): Waiting<T, R>[] {
    const { maxEntries, maxWeight, weigh } = this.#options;
    let weight = 0;
    let count = 0;
    for (const { entry } of this.#waiting) {
      weight += weigh(entry);
      if (count > 0 && (weight > maxWeight || count === maxEntries)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** One failing entry never fails its neighbours: a group that cannot be committed is tried in halves, down to the one at fault. */
  async #run(group: Waiting<T, R>[]): Promise<void> {
    try {
      const outcomes = await this.#options.commit(group.map(({ entry }) => entry));
      group.forEach((waiting, index) => this.#settle(waiting, outcomes[index]));
    } catch (error) {
      if (group.length === 1 || this.#options.meetsAll(error)) {
        for (const { reject } of group) reject(error);
      } else {
        const half = group.length >> 1;
        await this.#run(group.slice(0, half));
        await this.#run(group.slice(half));
      }
    }
  }

  #settle(waiting: Waiting<T, R>, outcome: Outcome<R> | undefined): void {
    if (outcome === undefined) waiting.reject(new Error('A commit answered fewer outcomes than entries.'));
    else if (outcome === 'later') setTimeout(() => this.#enqueue(waiting), this.#options.laterMs);
    else if ('refusal' in outcome) waiting.reject(outcome.refusal);
    else waiting.resolve(outcome.result);
  }
}
