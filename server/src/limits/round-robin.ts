// Serves a few waiting requests per turn of the event loop, alternating between owners (MB8, MB9).

/** Calls the function in the next turn of the event loop. */
type NextTurn = (turn: () => void) => void;

interface Waiting {
  go: () => void;
}

/** Each request is served within a turn, so none holds a slot that others wait for. */
export class RoundRobin {
  readonly #perTurn: number;
  readonly #nextTurn: NextTurn;
  /** The waiting requests by owner; the owner whose turn it is comes first. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #isDue = false;

  constructor(perTurn: number, nextIteration: NextTurn = setImmediate) {
    this.#perTurn = perTurn;
    this.#nextTurn = nextIteration;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  /**
   * Calls `go` once, in a later turn of the event loop. Returns a function that cancels the wait; later or repeated
   * calls have no effect.
   */
  ask(owner: string, go: () => void): () => void {
    const waiting: Waiting = { go };
    const line = this.#lines.get(owner) ?? new Set();
    this.#lines.set(owner, line.add(waiting));
    this.#schedule();
    return () => {
      // The owner may have a new queue by now.
      if (line.delete(waiting) && line.size === 0) this.#lines.delete(owner);
    };
  }

  #schedule(): void {
    if (this.#isDue || this.#lines.size === 0) return;
    this.#isDue = true;
    this.#nextTurn(() => this.#serve());
  }

  #serve(): void {
    this.#isDue = false;
    try {
      // Requests made during this turn are served in a later one.
      for (let left = Math.min(this.#perTurn, this.waiting); left > 0 && this.#lines.size > 0; left -= 1)
        this.#takeNext().go();
    } finally {
      this.#schedule();
    }
  }

  /** The first request of the owner whose turn it is; the owner moves to the end. */
  #takeNext(): Waiting {
    const [[owner, line]] = this.#lines as unknown as [[string, Set<Waiting>]];
    const [next] = line as unknown as [Waiting];
    line.delete(next);
    this.#lines.delete(owner);
    if (line.size > 0) this.#lines.set(owner, line);
    return next;
  }
}
