// The reader's own choices on the queue page, kept in this browser; its other tabs follow.
import { browserStorage } from '#lib/drafts/drafts.ts';

/** How much a screen reader hears by itself: nothing, what concerns the reader's own work, or how the queue changes too. */
export const SPOKEN_LEVELS = ['off', 'important', 'all'] as const;
export type SpokenLevel = (typeof SPOKEN_LEVELS)[number];

const FLOW = 'countersign.queue.flow';
const SPOKEN = 'countersign.queue.spoken';

export class Preferences {
  #flow = $state(readFlow());
  #spoken: SpokenLevel = $state(readSpoken());

  /** Focus: the server picks, and after a decision the next item opens by itself. Otherwise the page stays (browse). */
  get flow(): boolean {
    return this.#flow;
  }

  set flow(value: boolean) {
    this.#flow = value;
    persist(FLOW, value ? 'on' : 'off');
  }

  /** See {@link SPOKEN_LEVELS}. */
  get spoken(): SpokenLevel {
    return this.#spoken;
  }

  set spoken(value: SpokenLevel) {
    this.#spoken = value;
    persist(SPOKEN, value);
  }

  /** Takes over what another tab has chosen; answers the function that stops it. */
  follow(): () => void {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === null || key === FLOW) this.#flow = readFlow();
      if (key === null || key === SPOKEN) this.#spoken = readSpoken();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }
}

/** The choices of this tab: the sheet of keys changes them, the queue goes by them. */
export const preferences = new Preferences();

/** Focus unless it was switched off. */
function readFlow(): boolean {
  return read(FLOW) !== 'off';
}

function readSpoken(): SpokenLevel {
  const stored = read(SPOKEN);
  return SPOKEN_LEVELS.find((level) => level === stored) ?? 'all';
}

function read(name: string): string | null {
  try {
    return browserStorage()?.getItem(name) ?? null;
  } catch {
    return null;
  }
}

function persist(name: string, value: string): void {
  try {
    browserStorage()?.setItem(name, value);
  } catch {
    // The choice then lasts as long as the tab.
  }
}
