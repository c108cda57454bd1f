// Announces changes of the queue to screen readers through one polite and one assertive region, at a limited rate.
import { preferences, type SpokenLevel } from '../preferences.svelte.ts';

/**
 * `summary`: changes of the queue, at most one in `SUMMARY_MS`. `polite`: results of the user's own actions. `assertive`: only a
 * lease about to end, a conflict, a lost network or something that was not saved.
 */
export type Urgency = 'summary' | 'polite' | 'assertive';

/** Messages are collected for this many ms, and a region is cleared after `CLEAR_MS`. */
const GATHER_MS = 150;
const CLEAR_MS = 4000;
const SUMMARY_MS = 10_000;

const URGENCIES_OF_LEVEL: Record<SpokenLevel, readonly Urgency[]> = {
  off: [],
  important: ['polite', 'assertive'],
  all: ['summary', 'polite', 'assertive'],
};

/**
 * One live region of the page. It joins messages of one moment, and is cleared first so that a repeated text is read out again.
 */
class Region {
  words = $state('');
  /** When the last message will have been readable for its full time, in ms. */
  readUntil = -Infinity;
  #gathered: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(message: string): void {
    this.readUntil = performance.now() + GATHER_MS + CLEAR_MS;
    if (this.#gathered.length === 0) this.words = '';
    if (!this.#gathered.includes(message)) this.#gathered.push(message);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.words = this.#gathered.join('. ');
      this.#gathered = [];
      this.#timer = setTimeout(() => (this.words = ''), CLEAR_MS);
    }, GATHER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

export class Announcer {
  readonly #polite = new Region();
  readonly #assertive = new Region();
  readonly #level: () => SpokenLevel;
  #summary: string | null = null;
  #summedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(level: () => SpokenLevel = () => preferences.spoken) {
    this.#level = level;
  }

  /** The current text of the polite region. It is also shown, at every level. */
  get words(): string {
    return this.#polite.words;
  }

  /** The current text of the assertive region. */
  get urgent(): string {
    return this.#assertive.words;
  }

  /** Whether the last message has had its full time, so that a summary can follow at once. */
  get isQuiet(): boolean {
    return this.#polite.readUntil <= performance.now();
  }

  /** Whether a screen reader should read it out. */
  get heard(): boolean {
    return this.#level() !== 'off';
  }

  /** Announces a message. A summary is delayed until it is due, and a newer summary replaces it. */
  say(message: string, urgency: Urgency = 'polite'): void {
    if (urgency === 'summary') this.#sum(message);
    else if (urgency === 'assertive') this.#assertive.say(message);
    else this.#polite.say(message);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#polite.stop();
    this.#assertive.stop();
  }

  #sum(message: string): void {
    if (!URGENCIES_OF_LEVEL[this.#level()].includes('summary')) return;
    const waits = this.#summary !== null;
    this.#summary = message;
    if (!waits) this.#sayWhenQuiet();
  }

  /** A message about the user's own action is read to its end first, because a summary would replace it. */
  #sayWhenQuiet(): void {
    const now = performance.now();
    const wait = Math.max(this.#summedAt + SUMMARY_MS, this.#polite.readUntil) - now;
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#sayWhenQuiet(), wait);
      return;
    }
    this.#summedAt = now;
    this.#polite.say(this.#summary ?? '');
    this.#summary = null;
  }
}
