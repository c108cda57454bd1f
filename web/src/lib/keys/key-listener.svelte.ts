// The single key listener: pages add layers of commands, and the newest layer is asked first.
import { focusUse, isCovered, isElsewhere, mayFire, type Situation } from './guards.ts';
import type { Command, KeyScope } from './command.ts';
import type { Binding } from './keymap.ts';
import { keySettings } from './key-settings.svelte.ts';
import { waitsForPanel } from './panels.svelte.ts';
import { isKey, isModifier, isPhysicalKey, isPhysicalOnly, layout } from './press.ts';

type PageState = Pick<Situation, 'scopes' | 'pending' | 'actionsEnabled'>;

export interface KeyLayer {
  /** The part of the guards' input that only the page knows. */
  situation: () => PageState;
  /** Whether the command is available now. */
  can?: (command: Command) => boolean;
  /** Runs the command; false when it was not available, so that the key has its ordinary effect. */
  run: (command: Command, event: KeyboardEvent | null) => boolean;
}

/** After the go key, the next key is waited for this many ms. */
const GO_MS = 1500;

class Keyboard {
  /** The go key was pressed: the next key selects the page. */
  going = $state(false);
  #layers: readonly KeyLayer[] = $state.raw([]);
  #goTimer: ReturnType<typeof setTimeout> | undefined;

  /** Adds the commands of a part of the page as the top layer. Returns the function that removes it. */
  addLayer(layer: KeyLayer): () => void {
    if (this.#layers.length === 0) window.addEventListener('keydown', this.#onKeydown);
    this.#layers = [layer, ...this.#layers];
    return () => {
      this.#layers = this.#layers.filter((other) => other !== layer);
      if (this.#layers.length === 0) window.removeEventListener('keydown', this.#onKeydown);
    };
  }

  /** Waits for the key that selects a page. */
  go(): void {
    this.going = true;
    clearTimeout(this.#goTimer);
    this.#goTimer = setTimeout(() => (this.going = false), GO_MS);
  }

  /** The bindings whose commands are available now, wherever the focus is. */
  available(): readonly Binding[] {
    return keySettings.bindings.filter((binding) => this.#layerFor(binding) !== undefined);
  }

  /** Runs a command selected by its name. Returns whether it had an effect. */
  invoke(command: Command): boolean {
    const binding = keySettings.bindings.find((each) => each.command === command);
    return binding !== undefined && this.#layerFor(binding)?.run(command, null) === true;
  }

  #layerFor(binding: Binding): KeyLayer | undefined {
    return this.#layers.find(({ situation, can }) => {
      const { scopes, actionsEnabled, pending } = situation();
      const ready = binding.action !== true || (actionsEnabled && !pending);
      return ready && (scopes.includes(binding.scope) || binding.scope === 'go') && can?.(binding.command) === true;
    });
  }

  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (typeof event.key !== 'string' || isModifier(event) || isElsewhere(event)) return;
    layout.record(event);
    if (!isCovered() && waitsForPanel(event)) return event.preventDefault();
    const { going } = this;
    if (going && !event.repeat) this.going = false;
    for (const binding of this.#matching(event, going)) {
      if (!this.#fires(binding, event, going)) continue;
      event.preventDefault();
      return;
    }
  };

  /** The bindings of a press, by its character or else by its position; during a reason prompt its digit first. */
  #matching(event: KeyboardEvent, going: boolean): Binding[] {
    const bindings = keySettings.bindings.filter(({ scope }) => (scope === 'go') === going);
    const exact = bindings.filter(({ keys }) => keys.some((key) => isKey(event, key)));
    const placed = bindings.filter(({ keys }) => keys.some((key) => isPhysicalKey(event, key)));
    const byPhysicalKey = exact.length === 0 || isPhysicalOnly(event);
    return byPhysicalKey ? placed : [...placed.filter(({ fixed }) => fixed === true), ...exact];
  }

  #fires(binding: Binding, event: KeyboardEvent, going: boolean): boolean {
    const common = { ...focusUse(event), enabled: keySettings.on, dialogOpen: isCovered() };
    for (const layer of this.#layers) {
      const page = layer.situation();
      const scopes: readonly KeyScope[] = going ? [...page.scopes, 'go'] : page.scopes;
      if (mayFire(binding, event, { ...common, ...page, scopes }) && layer.run(binding.command, event)) return true;
    }
    return false;
  }
}

export const keyboard = new Keyboard();

/** Listens to the keys of a part of the page; returns the function that stops it. */
export const listenToKeys = (layer: KeyLayer): (() => void) => keyboard.addLayer(layer);

/** The few commands of a page without items: they work in one scope, and always. */
export function onCommands(
  commands: Partial<Record<Command, () => unknown>>,
  scope: KeyScope = 'anywhere',
): () => void {
  return listenToKeys({
    situation: () => ({ scopes: ['anywhere', scope], pending: false, actionsEnabled: true }),
    can: (command) => commands[command] !== undefined,
    run: (command) => {
      const act = commands[command];
      if (act === undefined) return false;
      act();
      return true;
    },
  });
}
