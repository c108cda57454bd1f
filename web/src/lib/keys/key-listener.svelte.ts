// The single key listener: pages add layers of commands, and the newest layer is asked first.
import type { Command, KeyScope } from './command.ts';
import type { Binding } from './keymap.ts';
import { keySettings } from './key-settings.svelte.ts';
import { waitsForPanel } from './panels.svelte.ts';
import {
  composing,
  isCharacter,
  isKey,
  isModifier,
  isPhysicalKey,
  isPhysicalOnly,
  layout,
  type ComposedPress,
} from './press.ts';

type PageState = Pick<Situation, 'scopes' | 'pending' | 'actionsEnabled'>;

export interface KeyLayer {
  /** The part of the guards' input that only the page knows. */
  situation: () => PageState;
  /** Whether the command is available now. */
  can?: (command: Command) => boolean;
  /** Runs the command; false when it was not available, so that the key has its ordinary effect. */
  run: (command: Command, event: KeyboardEvent | null) => boolean;
  /**
   * Takes a press that has to wait, and repeats it later: one for this command, which its guards may still refuse, or with null
   * any press behind one that waits. False when it need not wait.
   */
  hold?: (event: KeyboardEvent, command: Command | null) => boolean;
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
    if (!isCovered() && (waitsForPanel(event) || this.#layers.some(({ hold }) => hold?.(event, null))))
      return event.preventDefault();
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
      const situation = { ...common, ...page, scopes };
      if (!applies(binding, event, situation)) continue;
      if (binding.action === true && layer.hold?.(event, binding.command) === true) return true;
      if (mayFire(binding, event, situation) && layer.run(binding.command, event)) return true;
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

/** The input of the guards for a key press. */
export interface Situation {
  /** False when the user switched single-character keys off (WCAG 2.1.4); named keys and combinations still work. */
  readonly enabled: boolean;
  readonly scopes: readonly KeyScope[];
  /** The event's target is a text field. */
  readonly typing: boolean;
  /** The event's target is a control with its own use for Enter and Space, or for the arrows too. */
  readonly control: 'none' | 'activates' | 'arrows';
  readonly dialogOpen: boolean;
  /** A change is in flight. */
  readonly pending: boolean;
  /** The open item has been painted, so the user sees what the key decides. */
  readonly actionsEnabled: boolean;
}

export type GuardedPress = ComposedPress & Pick<KeyboardEvent, 'repeat' | 'defaultPrevented'>;

/** Whether a key press may fire a binding (rule QU2). */
export const mayFire = (binding: Binding, press: GuardedPress, situation: Situation): boolean =>
  applies(binding, press, situation) && (binding.action !== true || (situation.actionsEnabled && !situation.pending));

function applies(binding: Binding, press: GuardedPress, situation: Situation): boolean {
  const typing = binding.typing === true;
  if (press.defaultPrevented || composing(press) || situation.dialogOpen) return false;
  if (press.repeat && binding.repeats !== true) return false;
  if (!situation.scopes.includes(binding.scope)) return false;
  if (situation.typing && !typing) return false;
  if (!situation.enabled && press.key !== ' ' && isCharacter(press.key) && !typing) return false;
  if ((press.key === 'Enter' || press.key === ' ') && situation.control !== 'none' && !typing) return false;
  return !(press.key.startsWith('Arrow') && situation.control === 'arrows');
}

const TYPING = [
  'input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=range])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable=false])',
  '[role=textbox], [role=combobox], [role=searchbox]',
].join();
const ARROWS = '[role=tab], [role=radio], [role=menuitem], [role=slider], [role=option], input, select, textarea';
const ACTIVATES = 'button, a[href], summary, [role=button], [role=switch], [role=checkbox]';

/** The focused element's own use of keys. A row of the list leaves Enter, Space and the arrows to the keymap. */
function focusUse(event: Event): Pick<Situation, 'typing' | 'control'> {
  const path = event.composedPath().filter((each) => each instanceof Element);
  const within = (selector: string) => path.some((element) => element.matches(selector));
  if (within(TYPING) || path.some(isEditable)) return { typing: true, control: 'arrows' };
  if (within(ARROWS)) return { typing: false, control: 'arrows' };
  return { typing: false, control: within(ACTIVATES) ? 'activates' : 'none' };
}

const isEditable = (element: Element): boolean => element instanceof HTMLElement && element.isContentEditable;

const FOCUSABLE =
  'a[href], button, input, select, textarea, summary, iframe, audio, video, [tabindex], [contenteditable]';

/**
 * Whether a key goes to an element the page did not create, such as the panel of an extension, and is typed there. A closed
 * shadow root shows only its host, as the focus of an element that cannot have focus itself.
 */
function isElsewhere(event: Event): boolean {
  const [inner] = event.composedPath();
  if (!(inner instanceof Element) || inner === document.body || inner === document.documentElement) return false;
  if (inner.getRootNode() !== document || inner.localName.includes('-')) return true;
  if (inner.closest('#app, [data-own]') === null) return true;
  return inner === document.activeElement && !inner.matches(FOCUSABLE);
}

const OVER = '[role=dialog], [role=alertdialog], [role=menu]';

/** Whether an overlay covers the page and takes the keys. */
const isCovered = (): boolean =>
  document.querySelector(OVER) !== null ||
  [...document.querySelectorAll('[popover]')].some((popover) => isOpen(popover));

function isOpen(popover: Element): boolean {
  try {
    return popover.matches(':popover-open');
  } catch {
    // A browser without popovers has none open.
    return false;
  }
}
