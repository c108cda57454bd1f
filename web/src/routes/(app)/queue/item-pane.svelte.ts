// The parts that show an open item: fetched at the first hand on the page, and at the latest with the first item that is opened.
import { firstHand } from '#lib/first-hand.ts';
import type ItemPane from './ItemPane.svelte';

class Pane {
  #there: typeof ItemPane | null = $state.raw(null);
  #error: unknown = $state.raw(null);
  #fetching: Promise<void> | null = null;

  /** Null until it is fetched. */
  get there(): typeof ItemPane | null {
    return this.#there;
  }

  /** Why it could not be fetched; null when nothing failed. */
  get error(): unknown {
    return this.#error;
  }

  /** Resolves when it is there, or when `error` says why not: then the next call tries again. */
  fetch(): Promise<void> {
    this.#fetching ??= import('./ItemPane.svelte').then(
      (module) => {
        this.#there = module.default;
        this.#error = null;
      },
      (error: unknown) => {
        this.#error = error;
        this.#fetching = null;
      },
    );
    return this.#fetching;
  }

  /** Fetches it when there is a hand that could open an item. */
  fetchSoon(): void {
    void firstHand().then(() => this.fetch());
  }
}

export const pane = new Pane();
