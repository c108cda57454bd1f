// The one polite live region of the queue: messages of one moment are said together, never more often than they can be heard.

/** Messages are gathered for this many ms, and the region is emptied after `CLEAR_MS`, so that the same words are heard again. */
const GATHER_MS = 150;
const CLEAR_MS = 4000;

export class Announcer {
  /** What the region says now. */
  words = $state('');
  #gathered: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(message: string): void {
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
