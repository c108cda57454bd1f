// How many of the planned items the demo's history makes, so that it is complete in time.

/** How far the history is. */
export interface Progress {
  /** Items so far. */
  readonly items: number;
  /** The part of the plan that the rounds so far were, from 0 to 1. */
  readonly plannedShare: number;
  readonly spentMs: number;
}

/** Fewer would show nothing. */
const LOWEST_DENSITY = 0.15;
/** More would look like another kind of day. */
const HIGHEST_DENSITY = 1.3;
/**
 * The pace is measured over this part of the budget. Before it has passed, all planned items are made: the first ones are slow, because
 * no code has been compiled yet.
 */
const PACE_SHARE = 0.1;

/** Keeps the history within its time: a slow machine makes fewer items, and later rounds make up for what earlier ones left out. */
export class TimeBudget {
  readonly #items: number;
  readonly #budgetMs: number;
  readonly #past: Progress[] = [];

  /** `items`: how many are wanted; `budgetMs`: how long they may take. */
  constructor({ items, budgetMs }: { readonly items: number; readonly budgetMs: number }) {
    this.#items = items;
    this.#budgetMs = budgetMs;
  }

  /** Records a round. Returns how many items the next rounds make for each planned one, from LOWEST_DENSITY to HIGHEST_DENSITY. */
  recordRound(now: Progress): number {
    this.#past.push(now);
    const paceMs = this.#budgetMs * PACE_SHARE;
    const before = this.#past.findLast(({ spentMs }) => now.spentMs - spentMs >= paceMs);
    const remaining = this.#items * (1 - now.plannedShare);
    if (now.spentMs >= this.#budgetMs) return LOWEST_DENSITY;
    if (before === undefined || remaining <= 0) return 1;
    const pace = (now.items - before.items) / (now.spentMs - before.spentMs);
    const affordable = Math.max(0, this.#budgetMs - now.spentMs) * pace;
    const wanted = Math.max(0, this.#items - now.items);
    return Math.min(HIGHEST_DENSITY, Math.max(LOWEST_DENSITY, Math.min(affordable, wanted) / remaining));
  }
}
