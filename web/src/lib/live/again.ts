// When to ask again for what was not answered: a while later, and each tab at a moment of its own.
import { ApiProblem } from '../api.ts';

const SOONEST_MS = 2000;
const LATEST_MS = 15_000;
/** Tabs that were all told the same moment still come one after the other. */
const SPREAD_MS = 2000;

export class Again {
  #at: number | null = null;
  #why: unknown = null;

  /** Asked at every tick with why there is no good answer, null when there is one; true when it is time to ask. `now` in ms. */
  due(why: unknown, now: number): boolean {
    if (!passes(why)) this.#at = null;
    else if (this.#at === null || why !== this.#why) this.#at = now + wait(why);
    this.#why = why;
    if (this.#at === null || now < this.#at) return false;
    this.#at = null;
    return true;
  }
}

/** Whether it may be otherwise the next time: a refusal stays one. */
function passes(why: unknown): boolean {
  if (why === null) return false;
  return !(why instanceof ApiProblem) || why.status >= 500 || why.status === 429;
}

function wait(why: unknown): number {
  const seconds = why instanceof ApiProblem ? why.retryAfter : null;
  if (seconds !== null) return seconds * 1000 + Math.random() * SPREAD_MS;
  return SOONEST_MS + Math.random() * (LATEST_MS - SOONEST_MS);
}
