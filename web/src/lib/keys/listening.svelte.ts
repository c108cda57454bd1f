// The one listener to the keys: pages lay their commands over each other, the one laid last is asked first.
import { heldBy, isCovered, isElsewhere, mayFire, type Situation } from './guards.ts';
import type { Command, KeyScope } from './command.ts';
import type { Binding } from './keymap.ts';
import { ownKeys } from './own-keys.svelte.ts';
import { waitsForPanel } from './panels.svelte.ts';
import { isKey, isModifier, isPlace, isPlaceOnly, layout } from './press.ts';

type OfPage = Pick<Situation, 'scopes' | 'pending' | 'armed'>;

export interface Listening {
  /** What of the guards only the page knows. */
  situation: () => OfPage;
  /** Whether the command has something to do now. */
  can?: (command: Command) => boolean;
  /** Does the command; false when it had nothing to do, so that the key keeps its ordinary meaning. */
  run: (command: Command, event: KeyboardEvent | null) => boolean;
}

/** After the key that goes to a page, the next one is waited for this many ms. */
const GO_MS = 1500;

class Keyboard {
  /** The key that goes to a page was pressed: the next one says to which. */
  going = $state(false);
  #layers: readonly Listening[] = $state.raw([]);
  #goTimer: ReturnType<typeof setTimeout> | undefined;

  /** Lays the commands of a part of the page over those that are there. Answers the function that takes them off. */
  lay(layer: Listening): () => void {
    if (this.#layers.length === 0) window.addEventListener('keydown', this.#hear);
    this.#layers = [layer, ...this.#layers];
    return () => {
      this.#layers = this.#layers.filter((other) => other !== layer);
      if (this.#layers.length === 0) window.removeEventListener('keydown', this.#hear);
    };
  }

  /** Waits for the key that says which page. */
  go(): void {
    this.going = true;
    clearTimeout(this.#goTimer);
    this.#goTimer = setTimeout(() => (this.going = false), GO_MS);
  }

  /** The bindings whose commands would do something if they were asked now, wherever the focus is. */
  available(): readonly Binding[] {
    return ownKeys.bindings.filter((binding) => this.#asked(binding) !== undefined);
  }

  /** Runs a command that was chosen by its name. Answers whether it did something. */
  invoke(command: Command): boolean {
    const binding = ownKeys.bindings.find((each) => each.command === command);
    return binding !== undefined && this.#asked(binding)?.run(command, null) === true;
  }

  #asked(binding: Binding): Listening | undefined {
    return this.#layers.find(({ situation, can }) => {
      const { scopes, armed, pending } = situation();
      const ready = binding.verb !== true || (armed && !pending);
      return ready && (scopes.includes(binding.scope) || binding.scope === 'go') && can?.(binding.command) === true;
    });
  }

  readonly #hear = (event: KeyboardEvent): void => {
    if (typeof event.key !== 'string' || isModifier(event) || isElsewhere(event)) return;
    layout.hear(event);
    if (!isCovered() && waitsForPanel(event)) return event.preventDefault();
    const { going } = this;
    if (going && !event.repeat) this.going = false;
    for (const binding of this.#meant(event, going)) {
      if (!this.#fires(binding, event, going)) continue;
      event.preventDefault();
      return;
    }
  };

  /** The bindings of a press, by its character or else by its place; where a reason is asked for, its digit first. */
  #meant(event: KeyboardEvent, going: boolean): Binding[] {
    const bindings = ownKeys.bindings.filter(({ scope }) => (scope === 'go') === going);
    const exact = bindings.filter(({ keys }) => keys.some((key) => isKey(event, key)));
    const placed = bindings.filter(({ keys }) => keys.some((key) => isPlace(event, key)));
    const byPlace = exact.length === 0 || isPlaceOnly(event);
    return byPlace ? placed : [...placed.filter(({ fixed }) => fixed === true), ...exact];
  }

  #fires(binding: Binding, event: KeyboardEvent, going: boolean): boolean {
    const common = { ...heldBy(event), enabled: ownKeys.on, dialogOpen: isCovered() };
    for (const layer of this.#layers) {
      const page = layer.situation();
      const scopes: readonly KeyScope[] = going ? [...page.scopes, 'go'] : page.scopes;
      if (mayFire(binding, event, { ...common, ...page, scopes }) && layer.run(binding.command, event)) return true;
    }
    return false;
  }
}

export const keyboard = new Keyboard();

/** Listens to the keys of a part of the page; answers the function that stops it. */
export const listenToKeys = (layer: Listening): (() => void) => keyboard.lay(layer);

/** The few commands of a page without items: they work in one scope, and always. */
export function onCommands(
  commands: Partial<Record<Command, () => unknown>>,
  scope: KeyScope = 'anywhere',
): () => void {
  return listenToKeys({
    situation: () => ({ scopes: ['anywhere', scope], pending: false, armed: true }),
    can: (command) => commands[command] !== undefined,
    run: (command) => {
      const act = commands[command];
      if (act === undefined) return false;
      act();
      return true;
    },
  });
}
