// The user's preferences on the queue page, stored in this browser and synced across its tabs.
import { flag, oneOf, persisted } from '#lib/storage/persisted.ts';

/** How much a screen reader announces automatically: nothing, messages about the user's own work, or changes of the queue too. */
export const SPOKEN_LEVELS = ['off', 'important', 'all'] as const;
export type SpokenLevel = (typeof SPOKEN_LEVELS)[number];

/** Off unless it was switched on: a digit alone then decides. */
const storedDigits = persisted('countersign.queue.digits', flag({ otherwise: false }));
/** Focus unless it was switched off. */
const storedFlow = persisted('countersign.queue.flow', flag({ otherwise: true }));
const storedSpoken = persisted('countersign.queue.spoken', oneOf<SpokenLevel>(['all', 'important', 'off']));

export class Preferences {
  #flow = $state(storedFlow.read());
  #spoken: SpokenLevel = $state(storedSpoken.read());
  #digitRejects = $state(storedDigits.read());

  /** Focus: the server picks the item, and after a decision the next one opens automatically. Browse: the page stays. */
  get flow(): boolean {
    return this.#flow;
  }

  set flow(value: boolean) {
    this.#flow = value;
    storedFlow.write(value);
  }

  /** A digit rejects the open item with the reason of that number; otherwise it only answers a question (QU2). */
  get digitRejects(): boolean {
    return this.#digitRejects;
  }

  set digitRejects(value: boolean) {
    this.#digitRejects = value;
    storedDigits.write(value);
  }

  /** See {@link SPOKEN_LEVELS}. */
  get spoken(): SpokenLevel {
    return this.#spoken;
  }

  set spoken(value: SpokenLevel) {
    this.#spoken = value;
    storedSpoken.write(value);
  }

  /** Follows the choices of other tabs; returns the function that stops it. */
  follow(): () => void {
    const stops = [
      storedFlow.follow((flow) => (this.#flow = flow)),
      storedDigits.follow((digits) => (this.#digitRejects = digits)),
      storedSpoken.follow((spoken) => (this.#spoken = spoken)),
    ];
    return () => stops.forEach((stop) => stop());
  }
}

/** The preferences of this tab: the key sheet changes them, the queue applies them. */
export const preferences = new Preferences();
