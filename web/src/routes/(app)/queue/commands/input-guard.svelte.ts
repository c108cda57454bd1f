// Disables actions until the open item was painted, and a little longer after an automatic advance (QU2).

/** After an automatic advance the item must be visible for this many ms before a key may decide it. */
const AUTO_ADVANCE_GUARD_MS = 300;

interface ShownItem {
  /** The requested item. */
  id: string | null;
  /** Its content, or the reason why it is missing, is on the page. */
  loaded: boolean;
}

export class InputGuard {
  #id: string | null = $state(null);
  #shownId: string | null = null;
  /** Visible, but not yet for long enough. */
  #arming: string | null = null;
  #generation = 0;
  #advanced = false;

  /** The review session switched to an item; `advanced` when it did so automatically. */
  setItem(id: string | null, advanced: boolean): void {
    if (id === this.#shownId) return;
    this.#shownId = id;
    this.#id = this.#arming = null;
    this.#generation += 1;
    this.#advanced = advanced;
  }

  /** Called with the open item whenever it may have changed. */
  async observe({ id, loaded }: ShownItem): Promise<void> {
    if (id === null || !loaded || id === this.#id || id === this.#arming) return;
    const generation = ++this.#generation;
    this.#id = null;
    this.#arming = id;
    await painted();
    setTimeout(
      () => {
        if (generation !== this.#generation) return;
        this.#id = id;
        this.#arming = null;
      },
      this.#advanced ? AUTO_ADVANCE_GUARD_MS : 0,
    );
  }

  /** Whether an action may apply to this item. With no open item there is nothing to see. */
  has(id: string | null): boolean {
    return id === null || id === this.#id;
  }
}

/** Resolves right after the next frame was drawn, when the last change is visible. */
const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
