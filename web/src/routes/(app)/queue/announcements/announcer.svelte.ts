// What the queue says aloud, with restraint: one polite and one assertive region, and a summary of the queue now and then.
import { preferences, type SpokenLevel } from '../preferences.svelte.ts';

/**
 * `summary`: how the queue changes, at most one in `SUMMARY_MS`. `polite`: what comes of the reader's own doing.
 * `assertive`: a lease about to end, a conflict, the network gone, something not saved; nothing else.
 */
export type Urgency = 'summary' | 'polite' | 'assertive';

/** Messages are gathered for this many ms, and a region is emptied after `CLEAR_MS`. */
const GATHER_MS = 150;
const CLEAR_MS = 4000;
const SUMMARY_MS = 10_000;

const URGENCIES_OF_LEVEL: Record<SpokenLevel, readonly Urgency[]> = {
  off: [],
  important: ['polite', 'assertive'],
  all: ['summary', 'polite', 'assertive'],
};

/** One region of the page: messages of one moment are said together. Emptied first, the same words are heard a second time. */
class Region {
  words = $state('');
  /** When what was said last will have been there for its time, in ms. */
  readUntil = -Infinity;
  #gathered: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(message: string): void {
    this.readUntil = Date.now() + GATHER_MS + CLEAR_MS;
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

  /** What the polite region says now. It is shown too, whatever the level. */
  get words(): string {
    return this.#polite.words;
  }

  /** What the assertive region says now. */
  get urgent(): string {
    return this.#assertive.words;
  }

  /** Whether what was said has been there for its time: a summary can be said at once. */
  get isQuiet(): boolean {
    return this.#polite.readUntil <= Date.now();
  }

  /** Whether a screen reader is to hear it. */
  get heard(): boolean {
    return this.#level() !== 'off';
  }

  /** Says a message; a summary waits for its turn, and a newer one takes its place. */
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

  /** What came of the reader's own doing is heard and read to its end: a summary would take its place. */
  #sayWhenQuiet(): void {
    const now = Date.now();
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
