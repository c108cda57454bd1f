// Counts what is open, per owner and in total; removes owners with nothing open.

export interface Tally {
  total(): number;
  of(name: string): number;
  /** Adds one; returns a function that removes it, to be called once. */
  enter(name: string): () => void;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  let total = 0;
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    total: () => total,
    of,
    enter: (name) => {
      total += 1;
      counts.set(name, of(name) + 1);
      return () => {
        total -= 1;
        const left = of(name) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}
