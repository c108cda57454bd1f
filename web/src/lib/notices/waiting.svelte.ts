// How many items wait for the user, and the title of the tab that counts them (NO8).
import { queueCount } from '../format/format.ts';
import { appMessages } from '../messages/app-messages.ts';
import { flag, persisted } from '../storage/persisted.ts';

/** On unless it was switched off. */
const storedShown = persisted('countersign.queue.notice.title', flag({ otherwise: true }));

class Waiting {
  /** As the live queue counts it while the page follows that of all projects; otherwise null. */
  live: number | null = $state(null);
  /** The number that was last known on another page. */
  read: number | null = $state(null);
  #shown = $state(storedShown.read());

  /** Items that the user could claim now or holds, in all projects. Infinite where the server stopped counting; null until known. */
  get known(): number | null {
    return this.live ?? this.read;
  }

  /** The same; 0 until known. */
  get count(): number {
    return this.known ?? 0;
  }

  /** What the tab shows of it. */
  get mark(): number {
    return this.#shown ? this.count : 0;
  }

  /** Whether the tab shows it. */
  get shown(): boolean {
    return this.#shown;
  }

  set shown(value: boolean) {
    this.#shown = value;
    storedShown.write(value);
  }

  /** Follows the choice of other tabs; returns the function that stops it. */
  follow(): () => void {
    return storedShown.follow((shown) => (this.#shown = shown));
  }
}

export const waiting = new Waiting();

/** The title of a page of a signed-in user. Read in a template it follows the number. */
export const pageTitle = (page: string): string =>
  appMessages.title(waiting.mark > 0 ? `(${queueCount(waiting.mark)}) ${page}` : page);
