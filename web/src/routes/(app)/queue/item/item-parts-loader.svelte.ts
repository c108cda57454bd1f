// Loads everything that only an open item needs on the first interaction with the page, at the latest when one opens.
import { preloadOnInteraction } from '#lib/shell/preload-on-interaction.ts';
import type * as ItemParts from './item-parts.ts';

class ItemPartsLoader {
  #loaded: typeof ItemParts | null = $state.raw(null);
  #error: unknown = $state.raw(null);
  #fetching: Promise<void> | null = null;

  /** Null until they have loaded. */
  get loaded(): typeof ItemParts | null {
    return this.#loaded;
  }

  /** Why they could not be loaded; null when nothing failed. */
  get error(): unknown {
    return this.#error;
  }

  /** Resolves when they have loaded, or when `error` says why not: the next call then tries again. */
  fetch(): Promise<void> {
    this.#fetching ??= import('./item-parts.ts').then(
      (parts) => {
        this.#loaded = parts;
        this.#error = null;
      },
      (error: unknown) => {
        this.#error = error;
        this.#fetching = null;
      },
    );
    return this.#fetching;
  }

  /** Loads them on the first interaction that could open an item. */
  fetchSoon(): void {
    void preloadOnInteraction().then(() => this.fetch());
  }
}

export const itemParts = new ItemPartsLoader();
