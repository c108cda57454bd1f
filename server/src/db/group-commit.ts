// Group commit: commits concurrent entries together, with an individual outcome for each.

/** The outcome of one entry: its result, its own refusal, or "later" (another transaction holds it; retry shortly). */
export type Outcome<R> = { result: R } | { refusal: Error } | 'later';

export interface GroupCommitOptions<T, R> {
  /**
   * Commits the entries in one transaction; outcomes in the same order. A rejection means that nothing was committed.
   */
  commit: (entries: T[]) => Promise<Outcome<R>[]>;
  /**
   * True for a failure that affects every entry alike (database unreachable): then entries are not retried one by one.
   */
  meetsAll: (error: unknown) => boolean;
  /** The weight of one entry and the maximum weight of a group; a heavier entry is committed alone. */
  weigh: (entry: T) => number;
  maxWeight: number;
  maxEntries: number;
  /** How many groups may commit at once. */
  concurrency: number;
  /** The delay before an entry with the outcome "later" is retried, in milliseconds. */
  laterMs: number;
}

interface Waiting<T, R> {
  entry: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Follows the commit_delay idea of databases (DeWitt et al. 1984): an entry never waits for others, but entries that
 * arrive during a commit share the next one.
 */
export class GroupCommit<T, R> {
  readonly #options: GroupCommitOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = options;
  }

  /** Resolves after the commit of this entry; rejects with the entry's own refusal or the error of its commit. */
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

  /**
   * A failing entry does not fail the others: a group that cannot be committed is split in halves, down to the failing
   * entry.
   */
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
    if (outcome === undefined) waiting.reject(new Error('A commit returned fewer outcomes than entries.'));
    else if (outcome === 'later') setTimeout(() => this.#enqueue(waiting), this.#options.laterMs);
    else if ('refusal' in outcome) waiting.reject(outcome.refusal);
    else waiting.resolve(outcome.result);
  }
}
