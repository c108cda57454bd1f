// The user's preferences on the queue page, stored in this browser and synced across its tabs.
import { flag, oneOf, persisted } from '#lib/storage/persisted.ts';

/** How much a screen reader announces automatically: nothing, messages about the user's own work, or changes of the queue too. */
export const SPOKEN_LEVELS = ['off', 'important', 'all'] as const;
export type SpokenLevel = (typeof SPOKEN_LEVELS)[number];

/** Focus unless it was switched off. */
const storedFlow = persisted('countersign.queue.flow', flag({ otherwise: true }));
const storedSpoken = persisted('countersign.queue.spoken', oneOf<SpokenLevel>(['all', 'important', 'off']));

export class Preferences {
  #flow = $state(storedFlow.read());
  #spoken: SpokenLevel = $state(storedSpoken.read());

  /** Focus: the server picks the item, and after a decision the next one opens automatically. Browse: the page stays. */
  get flow(): boolean {
    return this.#flow;
  }

  set flow(value: boolean) {
    this.#flow = value;
    storedFlow.write(value);
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
      storedSpoken.follow((spoken) => (this.#spoken = spoken)),
    ];
    return () => stops.forEach((stop) => stop());
  }
}

/** The preferences of this tab: the key sheet changes them, the queue applies them. */
export const preferences = new Preferences();
