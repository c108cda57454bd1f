// Renders a long list in steps, so short that the page answers to keys and touches in between, also on a slow phone.
import { tick } from 'svelte';

/** After a step that took less, the next one has twice as many rows; after one that took longer, half as many. In milliseconds. */
const QUICK_MS = 3;
const SLOW_MS = 8;
const SIZE = { least: 2, first: 4, most: 80 };
const PAUSE_MS = 16;

export interface SteppedList {
  /** How many rows render at once. */
  first: number;
  /** How many rows the first step adds; `SIZE.first` by default. */
  firstStep?: number;
  /** How many there are. */
  length: () => number;
  /** How many have to be rendered now: up to the row that keys apply to, and one more. */
  least: () => number;
  /** Whether all rows of the list are read; they are, unless it says otherwise. Once they are rendered, every arrival renders at once. */
  isWhole?: () => boolean;
}

/** The size of the next step, after one of `size` rows that took `ms`. A step of one row never grows smaller. */
export function nextSize(size: number, ms: number): number {
  if (ms > SLOW_MS) return Math.max(Math.min(SIZE.least, size), Math.floor(size / 2));
  return ms < QUICK_MS ? Math.min(SIZE.most, size * 2) : size;
}

/** Has to be created while a component initializes. */
export class RowsInSteps {
  #rendered = $state(0);
  #size: number;
  readonly #length: () => number;
  readonly #least: () => number;

  constructor({ first, firstStep = SIZE.first, length, least, isWhole = () => true }: SteppedList) {
    this.#rendered = first;
    this.#size = firstStep;
    this.#length = length;
    this.#least = least;
    $effect(() => {
      if (length() === 0) return;
      if (this.#rendered >= length()) {
        // A row that is removed and inserted again would move the others.
        if (isWhole()) this.#rendered = Infinity;
        return;
      }
      const timer = setTimeout(() => void this.#step(), PAUSE_MS);
      return () => clearTimeout(timer);
    });
  }

  /** How many rows are to be rendered by now; `Infinity` when there is no limit any more. */
  get rendered(): number {
    return Math.max(this.#rendered, this.#least());
  }

  /** Whether every row is rendered. A footer of the list renders only then: before, each step would move it down. */
  get complete(): boolean {
    return this.rendered >= this.#length();
  }

  async #step(): Promise<void> {
    const began = performance.now();
    this.#rendered += this.#size;
    await tick();
    this.#size = nextSize(this.#size, performance.now() - began);
  }
}
