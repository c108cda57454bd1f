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
  #decidableFrom = Infinity;
  /** The frame that shows the item has begun: the next task of any kind finds it painted. */
  #onPainted: (() => void) | null = null;

  /** The review session switched to an item; `advanced` when it did so automatically. */
  setItem(id: string | null, advanced: boolean): void {
    if (id === this.#shownId) return;
    this.#shownId = id;
    this.#id = this.#arming = null;
    this.#begin();
    this.#advanced = advanced;
  }

  /** Called with the open item whenever it may have changed. */
  observe({ id, loaded }: ShownItem): void {
    if (id === null || !loaded || id === this.#id || id === this.#arming) return;
    const generation = this.#begin();
    this.#id = null;
    this.#arming = id;
    requestAnimationFrame(() => {
      if (generation !== this.#generation) return;
      this.#onPainted = () => this.#arm(id, generation);
      setTimeout(() => generation === this.#generation && this.noteTask());
    });
  }

  /**
   * A task began, such as that of a key. Browsers put keys before timers: on a busy machine a key may come long before the timer
   * that follows the frame.
   */
  noteTask(): void {
    this.#onPainted?.();
  }

  /** Whether an action may apply to this item. With no open item there is nothing to see. */
  has(id: string | null): boolean {
    return id === null || id === this.#id;
  }

  /** From when presses may decide the open item, on the clock of events (ms); infinite until it was painted. */
  get decidableFrom(): number {
    return this.#decidableFrom;
  }

  #begin(): number {
    this.#decidableFrom = Infinity;
    this.#onPainted = null;
    this.#generation += 1;
    return this.#generation;
  }

  #arm(id: string, generation: number): void {
    const wait = this.#advanced ? AUTO_ADVANCE_GUARD_MS : 0;
    this.#onPainted = null;
    this.#decidableFrom = performance.now() + wait;
    const enable = () => {
      if (generation !== this.#generation) return;
      this.#id = id;
      this.#arming = null;
    };
    if (wait === 0) enable();
    else setTimeout(enable, wait);
  }
}
