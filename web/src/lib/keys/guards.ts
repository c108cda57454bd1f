// The guards that decide whether a key counts: a key decides only what its presser sees and means.
import type { KeyScope } from './command.ts';
import type { Binding } from './keymap.ts';

/** What the guards look at when a key comes down. */
export interface Situation {
  /** False when the reader switched single-character keys off (WCAG 2.1.4); named keys and combinations still work. */
  readonly enabled: boolean;
  readonly scopes: readonly KeyScope[];
  /** The event goes to a field that takes text. */
  readonly typing: boolean;
  /** The event goes to a control that has its own use for Enter and Space, or for the arrows too. */
  readonly control: 'none' | 'activates' | 'arrows';
  readonly dialogOpen: boolean;
  /** A change is on its way to the server. */
  readonly pending: boolean;
  /** The item on show has been painted, so what the key decides is what the reader sees. */
  readonly armed: boolean;
}

export type GuardedPress = Pick<KeyboardEvent, 'repeat' | 'defaultPrevented' | 'isComposing' | 'key'>;

/** Why a press does not fire a binding: `dead` is a verb whose moment has not come, `no` is anything else. */
export type Verdict = 'yes' | 'dead' | 'no';

/** What becomes of a key press that matches a binding. */
export function judge(binding: Binding, press: GuardedPress, situation: Situation): Verdict {
  if (!belongsHere(binding, press, situation)) return 'no';
  return binding.verb !== true || (situation.armed && !situation.pending) ? 'yes' : 'dead';
}

/** Whether a key press may fire a binding (rule QU2). */
export const mayFire = (binding: Binding, press: GuardedPress, situation: Situation): boolean =>
  judge(binding, press, situation) === 'yes';

/** A key that an input method is still making into a character. */
const composing = ({ isComposing, key }: GuardedPress) => isComposing || key === 'Process' || key === 'Dead';

function belongsHere(binding: Binding, press: GuardedPress, situation: Situation): boolean {
  const typing = binding.typing === true;
  if (press.defaultPrevented || composing(press) || situation.dialogOpen) return false;
  if (press.repeat && binding.repeats !== true) return false;
  if (!situation.scopes.includes(binding.scope)) return false;
  if (situation.typing && !typing) return false;
  if (!situation.enabled && press.key !== ' ' && press.key.length === 1 && !typing) return false;
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

/** What the focused element does with keys of its own. A row of the list leaves Enter, Space and the arrows to the keymap. */
export function heldBy(target: EventTarget | null): Pick<Situation, 'typing' | 'control'> {
  if (!(target instanceof Element)) return { typing: false, control: 'none' };
  if (target.closest(TYPING) !== null) return { typing: true, control: 'arrows' };
  if (target.closest(ARROWS) !== null) return { typing: false, control: 'arrows' };
  return { typing: false, control: target.closest(ACTIVATES) === null ? 'none' : 'activates' };
}

const OVER = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** Whether something lies over the page that takes the keys for itself. */
export const isCovered = (): boolean =>
  document.querySelector(OVER) !== null ||
  [...document.querySelectorAll('[popover]')].some((popover) => isOpen(popover));

function isOpen(popover: Element): boolean {
  try {
    return popover.matches(':popover-open');
  } catch {
    // A browser that does not know popovers has none open.
    return false;
  }
}
