// The guards that decide whether a key fires: a key decides only what its user sees and means.
import type { KeyScope } from './command.ts';
import type { Binding } from './keymap.ts';
import { isCharacter } from './press.ts';

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

export type GuardedPress = Pick<KeyboardEvent, 'repeat' | 'defaultPrevented' | 'isComposing' | 'key' | 'keyCode'>;

/** Whether a key press may fire a binding (rule QU2). */
export const mayFire = (binding: Binding, press: GuardedPress, situation: Situation): boolean =>
  applies(binding, press, situation) && (binding.action !== true || (situation.actionsEnabled && !situation.pending));

/** The key code browsers report for every key that an input method has taken; some report nothing else. */
const IME_KEY_CODE = 229;

/** A key that an input method is still composing into a character. */
const composing = ({ isComposing, key, keyCode }: GuardedPress) =>
  isComposing || key === 'Process' || key === 'Unidentified' || keyCode === IME_KEY_CODE;

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
export function focusUse(event: Event): Pick<Situation, 'typing' | 'control'> {
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
export function isElsewhere(event: Event): boolean {
  const [inner] = event.composedPath();
  if (!(inner instanceof Element) || inner === document.body || inner === document.documentElement) return false;
  if (inner.getRootNode() !== document || inner.localName.includes('-')) return true;
  if (inner.closest('#app, [data-own]') === null) return true;
  return inner === document.activeElement && !inner.matches(FOCUSABLE);
}

const OVER = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** Whether an overlay covers the page and takes the keys. */
export const isCovered = (): boolean =>
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
