// Loads the parts that show an open item on the first interaction with the page, at the latest when an item opens.
import { preloadOnInteraction } from '#lib/shell/preload-on-interaction.ts';
import type ItemPane from './ItemPane.svelte';

class ItemPaneLoader {
  #loaded: typeof ItemPane | null = $state.raw(null);
  #error: unknown = $state.raw(null);
  #fetching: Promise<void> | null = null;

  /** Null until it has loaded. */
  get loaded(): typeof ItemPane | null {
    return this.#loaded;
  }

  /** Why it could not be loaded; null when nothing failed. */
  get error(): unknown {
    return this.#error;
  }

  /** Resolves when it has loaded, or when `error` says why not: the next call then tries again. */
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

  /** Loads it on the first interaction that could open an item. */
  fetchSoon(): void {
    void preloadOnInteraction().then(() => this.fetch());
  }
}

export const itemPane = new ItemPaneLoader();
