// The user's preferences on the queue page, stored in this browser and synced across its tabs.
import { browserStorage } from '#lib/drafts/drafts.ts';

/** How much a screen reader announces automatically: nothing, messages about the user's own work, or changes of the queue too. */
export const SPOKEN_LEVELS = ['off', 'important', 'all'] as const;
export type SpokenLevel = (typeof SPOKEN_LEVELS)[number];

const FLOW = 'countersign.queue.flow';
const SPOKEN = 'countersign.queue.spoken';

export class Preferences {
  #flow = $state(readFlow());
  #spoken: SpokenLevel = $state(readSpoken());

  /** Focus: the server picks the item, and after a decision the next one opens automatically. Browse: the page stays. */
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

  /** Follows the choices of other tabs; returns the function that stops it. */
  follow(): () => void {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === null || key === FLOW) this.#flow = readFlow();
      if (key === null || key === SPOKEN) this.#spoken = readSpoken();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }
}

/** The preferences of this tab: the key sheet changes them, the queue applies them. */
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
