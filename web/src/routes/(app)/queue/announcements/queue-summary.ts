// Summarizes how the queue has changed since the last announcement: "12 new, 3 claimed, 41 waiting".
import { keysMessages } from '#lib/keys/keys-messages.ts';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';

const { announcement } = keysMessages;

/** The shortest interval between two summaries, in ms. */
const SUMMARY_INTERVAL_MS = 10_000;

interface TickInput {
  listening: boolean;
  quiet: boolean;
  waiting: number;
  now: number;
}

export class QueueSummary {
  readonly #me: string;
  readonly #announce: (sentence: string) => void;
  /** New and taken items by id; an item that arrived and was taken in between counts as taken only. */
  readonly #changed = new Map<string, 'new' | 'taken'>();
  #announcedAt = -Infinity;

  constructor(me: string, announce: (sentence: string) => void) {
    this.#me = me;
    this.#announce = announce;
  }

  receive(event: DomainEvent): void {
    if (event.type === 'item.queued' || event.type === 'item.escalated') this.#changed.set(event.item_id, 'new');
    else if (event.type === 'item.claimed' && event.actor.id !== this.#me) this.#changed.set(event.item_id, 'taken');
  }

  /**
   * Called once a second. Changes are discarded while nobody listens to the list, and accumulate while something else is
   * announced (not `quiet`). Times in ms.
   */
  tick({ listening, quiet, waiting, now }: TickInput): void {
    if (!listening) {
      this.#changed.clear();
      return;
    }
    if (!quiet || this.#changed.size === 0 || now - this.#announcedAt < SUMMARY_INTERVAL_MS) return;
    const taken = [...this.#changed.values()].filter((how) => how === 'taken').length;
    const arrived = this.#changed.size - taken;
    this.#changed.clear();
    this.#announcedAt = now;
    this.#announce(
      [
        ...(arrived > 0 ? [announcement.arrived(arrived)] : []),
        ...(taken > 0 ? [announcement.taken(taken)] : []),
        announcement.waiting(waiting),
      ].join(', '),
    );
  }
}
