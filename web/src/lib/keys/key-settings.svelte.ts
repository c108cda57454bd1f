// The user's key settings: on or off, and custom keys; stored per user in this browser, and synced across its tabs.
import { json, persisted } from '../storage/persisted.ts';
import { capOf } from './caps.ts';
import type { Command } from './command.ts';
import { isOff, keySwitch } from './switch.svelte.ts';
import { bindingsOf, parseChosen, swapped, withKey, withUsual, type Chosen } from './remap.ts';

/** What is stored for a user; anything else counts as the defaults. */
interface StoredKeys {
  on: boolean;
  keys: Chosen;
}

const codec = json((stored): StoredKeys => {
  const { on, keys }: { on?: unknown; keys?: unknown } = typeof stored === 'object' && stored !== null ? stored : {};
  return { on: on !== false, keys: parseChosen(keys) };
});

/** Null is nobody. */
const storedKeysOf = (user: string | null) => persisted(`countersign.keys.${user ?? ''}`, codec);

class KeySettings {
  #chosen: Chosen = $state.raw({});
  #stored = storedKeysOf(null);
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
    this.#stored = storedKeysOf(user);
    const apply = ({ on, keys }: StoredKeys) => {
      keySwitch.on = on;
      this.#chosen = keys;
    };
    apply(this.#stored.read());
    return this.#stored.follow(apply);
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

  #save(): void {
    this.lasting = this.#stored.write({ on: keySwitch.on, keys: this.#chosen });
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
