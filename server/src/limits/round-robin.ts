// Serves a few of those who wait in each turn of the event loop, one owner after the other (MB8, MB9).

/** Calls this in the next turn of the event loop. */
type NextTurn = (turn: () => void) => void;

interface Waiting {
  go: () => void;
}

/** Nobody is served for longer than a turn, so nobody holds a place that others wait for. */
export class RoundRobin {
  readonly #perTurn: number;
  readonly #nextTurn: NextTurn;
  /** Those who wait, by owner; the owner whose turn it is comes first. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #isDue = false;

  constructor(perTurn: number, nextIteration: NextTurn = setImmediate) {
    this.#perTurn = perTurn;
    this.#nextTurn = nextIteration;
  }

  /** How many wait now. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  /** Calls `go` once, in a later turn of the event loop. Answers what ends the wait; to call that later, or again, does nothing. */
  ask(owner: string, go: () => void): () => void {
    const waiting: Waiting = { go };
    const line = this.#lines.get(owner) ?? new Set();
    this.#lines.set(owner, line.add(waiting));
    this.#schedule();
    return () => {
      // An owner may have another line by now.
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
      // Who asks in this turn is served in a later one.
      for (let left = Math.min(this.#perTurn, this.waiting); left > 0 && this.#lines.size > 0; left -= 1)
        this.#takeNext().go();
    } finally {
      this.#schedule();
    }
  }

  /** The first of the owner whose turn it is, who is the last from now on. */
  #takeNext(): Waiting {
    const [[owner, line]] = this.#lines as unknown as [[string, Set<Waiting>]];
    const [next] = line as unknown as [Waiting];
    line.delete(next);
    this.#lines.delete(owner);
    if (line.size > 0) this.#lines.set(owner, line);
    return next;
  }
}
