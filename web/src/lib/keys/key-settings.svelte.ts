// The user's key settings: on or off, and custom keys; stored per user in this browser, and synced across its tabs.
import { browserStorage } from '../drafts/drafts.ts';
import { capOf } from './caps.ts';
import type { Command } from './command.ts';
import { isOff, keySwitch } from './switch.svelte.ts';
import { bindingsOf, parseChosen, swapped, withKey, withUsual, type Chosen } from './remap.ts';

const PREFIX = 'countersign.keys.';

class KeySettings {
  #chosen: Chosen = $state.raw({});
  #user: string | null = null;
  /** Whether the last change will survive a reload. */
  lasting = $state(true);

  readonly bindings = $derived(bindingsOf(this.#chosen));

  /** Single-letter keys are on. */
  get on(): boolean {
    return keySwitch.on;
  }

  set on(value: boolean) {
    keySwitch.on = value;
    this.#save();
  }

  get chosen(): Chosen {
    return this.#chosen;
  }

  /** Loads the keys of a user; null is nobody, with the default ones. Returns the function that stops following other tabs. */
  follow(user: string | null): () => void {
    this.#user = user;
    this.#read();
    const onStorage = ({ key }: StorageEvent) => {
      if (key === null || key === this.#name) this.#read();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }

  /** Gives a command another key. Returns whether it has it now. */
  change(command: Command, key: string): boolean {
    return this.#apply(withKey(command, key, this.#chosen));
  }

  /** Swaps the keys of two commands. Returns whether it did. */
  swap(one: Command, other: Command): boolean {
    return this.#apply(swapped(one, other, this.#chosen));
  }

  /** Gives a command its default key again. Returns whether it has it now: another command may hold it. */
  back(command: Command): boolean {
    return this.#apply(withUsual(command, this.#chosen));
  }

  /** Resets all keys to their defaults. */
  allBack(): void {
    this.#apply({});
  }

  #apply(chosen: Chosen | null): boolean {
    if (chosen === null) return false;
    this.#chosen = chosen;
    this.#save();
    return true;
  }

  get #name(): string {
    return `${PREFIX}${this.#user ?? ''}`;
  }

  #read(): void {
    const { on, chosen } = parse(textOf(this.#name));
    keySwitch.on = on;
    this.#chosen = chosen;
  }

  #save(): void {
    try {
      const store = browserStorage();
      store?.setItem(this.#name, JSON.stringify({ on: keySwitch.on, keys: this.#chosen }));
      this.lasting = store !== null;
    } catch {
      this.lasting = false;
    }
  }
}

function textOf(name: string): string | null {
  try {
    return browserStorage()?.getItem(name) ?? null;
  } catch {
    return null;
  }
}

function parse(text: string | null): { on: boolean; chosen: Chosen } {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const { on, keys }: { on?: unknown; keys?: unknown } = typeof value === 'object' && value !== null ? value : {};
    return { on: on !== false, chosen: parseChosen(keys) };
  } catch {
    return { on: true, chosen: {} };
  }
}

export const keySettings = new KeySettings();

/** The caps of all present keys of a command. */
export const capsOf = (command: Command): string[] =>
  (keySettings.bindings.find((binding) => binding.command === command)?.keys ?? []).map((key) => capOf(key));

/** The cap of a command's first key. Read in a template it follows every change. */
export const keyOf = (command: Command): string => capsOf(command)[0] ?? '';

/** The cap of a command as long as its key works; otherwise empty. */
export const liveKeyOf = (command: Command): string => (isOff(keyOf(command)) ? '' : keyOf(command));

/** A title with the key of the same command. */
export const titleOf = (words: string, command: Command): string => {
  const key = liveKeyOf(command);
  return key === '' ? words : `${words} (${key})`;
};
