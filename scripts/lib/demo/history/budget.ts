// How many of the planned items the demo's history makes, so that it is complete in time.

/** How far the history is. */
export interface Progress {
  /** Items so far. */
  readonly items: number;
  /** The share of the plan that these rounds were, from 0 to 1. */
  readonly planned: number;
  readonly spentMs: number;
}

/** Fewer would show nothing. */
const LOWEST_DENSITY = 0.15;
/** More would look like another kind of day. */
const HIGHEST_DENSITY = 1.3;
/** The pace is that of this part of the budget; before, there is none: the first items take longest, as all code is new. */
const PACE_SHARE = 0.1;

/** Keeps the history to its time: fewer items on a slow machine, and what the first rounds lacked is made later. */
export class TimeBudget {
  readonly #items: number;
  readonly #budgetMs: number;
  readonly #past: Progress[] = [];

  /** `items`: how many are wanted; `budgetMs`: how long they may take. */
  constructor({ items, budgetMs }: { readonly items: number; readonly budgetMs: number }) {
    this.#items = items;
    this.#budgetMs = budgetMs;
  }

  /** Called after each round: how many items the next ones make for each planned one, from 0.15 to 1.3. */
  density(now: Progress): number {
    this.#past.push(now);
    const paceMs = this.#budgetMs * PACE_SHARE;
    const before = this.#past.findLast(({ spentMs }) => now.spentMs - spentMs >= paceMs);
    const planned = this.#items * (1 - now.planned);
    if (before === undefined || planned <= 0) return 1;
    const pace = (now.items - before.items) / (now.spentMs - before.spentMs);
    const affordable = Math.max(0, this.#budgetMs - now.spentMs) * pace;
    const wanted = Math.max(0, this.#items - now.items);
    return Math.min(HIGHEST_DENSITY, Math.max(LOWEST_DENSITY, Math.min(affordable, wanted) / planned));
  }
}
