// How the queue has changed since it was last said, for whoever works in the list by ear: "12 new, 3 taken, 41 waiting".
import { keysText } from '#lib/keys/keys-text.ts';
import type { Fact } from '@countersign/shared/events';

const { said } = keysText;

/** At most one sentence in so many ms is worth listening to. */
const EVERY_MS = 10_000;

interface Moment {
  listening: boolean;
  quiet: boolean;
  waiting: number;
  now: number;
}

export class QueueSummary {
  readonly #me: string;
  readonly #tell: (sentence: string) => void;
  /** New or taken items by their id: one that came and was taken in between counts as taken only. */
  readonly #changed = new Map<string, 'new' | 'taken'>();
  #toldAt = -Infinity;

  constructor(me: string, tell: (sentence: string) => void) {
    this.#me = me;
    this.#tell = tell;
  }

  hear(fact: Fact): void {
    if (fact.type === 'item.queued' || fact.type === 'item.escalated') this.#changed.set(fact.item_id, 'new');
    else if (fact.type === 'item.claimed' && fact.actor.id !== this.#me) this.#changed.set(fact.item_id, 'taken');
  }

  /**
   * Once a second. What changes while nobody listens to the list is not told afterwards; while something else is said (not `quiet`) it
   * adds up. Times in ms.
   */
  tick({ listening, quiet, waiting, now }: Moment): void {
    if (!listening) {
      this.#changed.clear();
      return;
    }
    if (!quiet || this.#changed.size === 0 || now - this.#toldAt < EVERY_MS) return;
    const taken = [...this.#changed.values()].filter((how) => how === 'taken').length;
    const arrived = this.#changed.size - taken;
    this.#changed.clear();
    this.#toldAt = now;
    this.#tell(
      [
        ...(arrived > 0 ? [said.arrived(arrived)] : []),
        ...(taken > 0 ? [said.taken(taken)] : []),
        said.waiting(waiting),
      ].join(', '),
    );
  }
}
