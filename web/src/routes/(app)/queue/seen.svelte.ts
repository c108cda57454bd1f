// Whether the item on show has been seen: verbs are dead until it was painted, and a little longer when it came by itself (QU2).

/** An item that came by itself has to be on the screen for this many ms before a key may decide it. */
const SEEN_MS = 300;

interface Shown {
  /** The item that is asked for. */
  id: string | null;
  /** Its content is on the page, or the reason why it is not. */
  there: boolean;
}

export class Seen {
  #id: string | null = $state(null);
  #turnedTo: string | null = null;
  /** On the screen, and not there for long enough. */
  #coming: string | null = null;
  #turn = 0;
  #advanced = false;

  /** The desk turned to an item; `advanced` when that was not the reader's own doing. */
  turn(id: string | null, advanced: boolean): void {
    if (id === this.#turnedTo) return;
    this.#turnedTo = id;
    this.#id = this.#coming = null;
    this.#turn += 1;
    this.#advanced = advanced;
  }

  /** Hears what is on show, whenever it may have changed. */
  async watch({ id, there }: Shown): Promise<void> {
    if (id === null || !there || id === this.#id || id === this.#coming) return;
    const turn = ++this.#turn;
    this.#id = null;
    this.#coming = id;
    await painted();
    setTimeout(
      () => {
        if (turn !== this.#turn) return;
        this.#id = id;
        this.#coming = null;
      },
      this.#advanced ? SEEN_MS : 0,
    );
  }

  /** Whether a verb may act on this item. With nothing on show there is nothing to be seen. */
  has(id: string | null): boolean {
    return id === null || id === this.#id;
  }
}

/** Resolves when what was just changed is on the screen: right after the next frame was drawn. */
const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
