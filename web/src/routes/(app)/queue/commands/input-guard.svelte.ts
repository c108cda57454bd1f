// Whether the item on show has been seen: verbs are dead until it was painted, and a little longer when it came by itself (QU2).

/** An item that came by itself has to be on the screen for this many ms before a key may decide it. */
const AUTO_ADVANCE_GUARD_MS = 300;

interface ShownItem {
  /** The item that is asked for. */
  id: string | null;
  /** Its content is on the page, or the reason why it is not. */
  loaded: boolean;
}

export class InputGuard {
  #id: string | null = $state(null);
  #shownId: string | null = null;
  /** On the screen, and not there for long enough. */
  #arming: string | null = null;
  #generation = 0;
  #advanced = false;

  /** The desk turned to an item; `advanced` when that was not the reader's own doing. */
  setItem(id: string | null, advanced: boolean): void {
    if (id === this.#shownId) return;
    this.#shownId = id;
    this.#id = this.#arming = null;
    this.#generation += 1;
    this.#advanced = advanced;
  }

  /** Hears what is on show, whenever it may have changed. */
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

  /** Whether a verb may act on this item. With nothing on show there is nothing to be seen. */
  has(id: string | null): boolean {
    return id === null || id === this.#id;
  }
}

/** Resolves when what was just changed is on the screen: right after the next frame was drawn. */
const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
