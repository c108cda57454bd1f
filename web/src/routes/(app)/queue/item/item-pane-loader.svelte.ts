// The parts that show an open item: fetched at the first hand on the page, and at the latest with the first item that is opened.
import { preloadOnInteraction } from '#lib/shell/preload-on-interaction.ts';
import type ItemPane from './ItemPane.svelte';

class ItemPaneLoader {
  #loaded: typeof ItemPane | null = $state.raw(null);
  #error: unknown = $state.raw(null);
  #fetching: Promise<void> | null = null;

  /** Null until it is fetched. */
  get loaded(): typeof ItemPane | null {
    return this.#loaded;
  }

  /** Why it could not be fetched; null when nothing failed. */
  get error(): unknown {
    return this.#error;
  }

  /** Resolves when it is there, or when `error` says why not: then the next call tries again. */
  fetch(): Promise<void> {
    this.#fetching ??= import('./ItemPane.svelte').then(
      (module) => {
        this.#loaded = module.default;
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
    void preloadOnInteraction().then(() => this.fetch());
  }
}

export const itemPane = new ItemPaneLoader();
