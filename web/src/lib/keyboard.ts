// The keymap as data (it feeds the help sheet, the key caps and the handlers), and the guards that decide whether a key counts.
import { createKeybindingsHandler } from 'tinykeys';

export type Command =
  | 'help'
  | 'next'
  | 'undo'
  | 'leave'
  | 'pause'
  | 'down'
  | 'up'
  | 'open'
  | 'show'
  | 'approve'
  | 'edit'
  | 'reject'
  | 'escalate'
  | 'finalize'
  | 'return'
  | 'skip'
  | 'extend'
  | 'takeOver'
  | 'reopen'
  | 'reason'
  | 'submit'
  | 'reset'
  | 'accept'
  | 'copy';

/** Where a key works: a scope is active while its part of the page is on show. */
export const KEY_SCOPES = ['anywhere', 'list', 'item', 'reasons', 'editor', 'conflict'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export interface Binding {
  readonly command: Command;
  readonly scope: KeyScope;
  /** In the words of tinykeys; the first is the one drawn on the control. */
  readonly keys: readonly string[];
  readonly words: string;
  /** Changes an item: waits until the item is painted and no other change is under way. */
  readonly verb?: true;
  /** Holding the key down repeats it. */
  readonly repeats?: true;
  /** Also works while typing. */
  readonly typing?: true;
}

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => `[Shift]+${digit}`);

/** Single letters are first, so that they are what a control shows. Order within one key: the more special scope first. */
export const KEYMAP: readonly Binding[] = [
  { command: 'submit', scope: 'editor', keys: ['$mod+Enter'], words: 'Submit the edit', verb: true, typing: true },
  { command: 'accept', scope: 'conflict', keys: ['Enter'], words: 'Leave it and go on' },
  { command: 'reopen', scope: 'conflict', keys: ['o'], words: 'Reopen what the rules rejected', verb: true },
  { command: 'copy', scope: 'conflict', keys: ['y'], words: 'Copy your draft' },
  { command: 'reason', scope: 'reasons', keys: DIGITS, words: 'Choose the reason with that number', verb: true },
  { command: 'approve', scope: 'item', keys: ['a'], words: 'Approve', verb: true },
  { command: 'edit', scope: 'item', keys: ['e'], words: 'Edit, then submit', verb: true },
  { command: 'reject', scope: 'item', keys: ['r'], words: 'Reject, then a reason', verb: true },
  { command: 'escalate', scope: 'item', keys: ['u'], words: 'Escalate to a supervisor, then a reason', verb: true },
  {
    command: 'finalize',
    scope: 'item',
    keys: ['f'],
    words: 'Finalize: it stays with people, then a reason',
    verb: true,
  },
  { command: 'return', scope: 'item', keys: ['b'], words: 'Return it to the queue', verb: true },
  { command: 'skip', scope: 'item', keys: ['s'], words: 'Skip: give it back and take the next', verb: true },
  { command: 'extend', scope: 'item', keys: ['l'], words: 'Extend your claim, or claim again', verb: true },
  { command: 'takeOver', scope: 'item', keys: ['o'], words: 'Take the item over from whoever holds it', verb: true },
  { command: 'down', scope: 'list', keys: ['j', 'ArrowDown'], words: 'Next row', repeats: true },
  { command: 'up', scope: 'list', keys: ['k', 'ArrowUp'], words: 'Row before', repeats: true },
  { command: 'open', scope: 'list', keys: ['Enter'], words: 'Claim and open the row' },
  { command: 'show', scope: 'list', keys: ['.'], words: 'Show what is new' },
  { command: 'next', scope: 'anywhere', keys: ['n'], words: 'Claim the next item', verb: true },
  { command: 'undo', scope: 'anywhere', keys: ['z'], words: 'Undo your last decision' },
  { command: 'pause', scope: 'anywhere', keys: ['p'], words: 'Pause or resume new rows' },
  { command: 'help', scope: 'anywhere', keys: ['[Shift]+?'], words: 'Show the keys' },
  { command: 'leave', scope: 'anywhere', keys: ['Escape'], words: 'Close, or leave the item', typing: true },
];

const NAMES: Record<string, string> = { Enter: '⏎', Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑' };

/** What a key cap shows for one binding: `A`, `Esc`, `Ctrl ⏎`. */
export function capOf(key: string, mac = isMac()): string {
  const parts = key.split(/(?<=\w|\])\+/).filter((part) => part !== '[Shift]');
  return parts.map((part) => (part === '$mod' ? (mac ? '⌘' : 'Ctrl') : (NAMES[part] ?? part.toUpperCase()))).join(' ');
}

/** The cap of a command's first key. */
export const keyOf = (command: Command): string =>
  capOf(KEYMAP.find((binding) => binding.command === command)?.keys[0] ?? '');

const isMac = (): boolean => typeof navigator === 'object' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** What the guards look at when a key comes down. */
export interface Situation {
  /** False when the reader switched single-character keys off (WCAG 2.1.4); named keys and combinations still work. */
  readonly enabled: boolean;
  readonly scopes: readonly KeyScope[];
  /** The event goes to a field that takes text. */
  readonly typing: boolean;
  /** The event goes to a control that has its own use for Enter, or for the arrows. */
  readonly control: 'none' | 'activates' | 'arrows';
  readonly dialogOpen: boolean;
  /** A change is on its way to the server. */
  readonly pending: boolean;
  /** The item on show has been painted, so what the key decides is what the reader sees. */
  readonly armed: boolean;
}

type Press = Pick<KeyboardEvent, 'repeat' | 'defaultPrevented' | 'isComposing' | 'key'>;

/** Whether a key press may fire a binding. */
export function mayFire(binding: Binding, press: Press, situation: Situation): boolean {
  if (press.defaultPrevented || press.isComposing || situation.dialogOpen) return false;
  if (press.repeat && binding.repeats !== true) return false;
  if (!situation.scopes.includes(binding.scope)) return false;
  if (situation.typing && binding.typing !== true) return false;
  if (!situation.enabled && press.key.length === 1 && binding.typing !== true) return false;
  if (press.key === 'Enter' && situation.control !== 'none' && binding.typing !== true) return false;
  if (press.key.startsWith('Arrow') && situation.control === 'arrows') return false;
  return binding.verb !== true || (situation.armed && !situation.pending);
}

const TYPING = 'input:not([type=checkbox],[type=radio],[type=button]), textarea, select, [contenteditable]';
const ARROWS = '[role=tab], [role=radio], [role=menuitem], [role=slider], [role=option], input, select, textarea';
const ACTIVATES = 'button, a[href], summary, [role=button]';

/** What the focused element does with keys of its own. A row of the list leaves Enter and the arrows to the keymap. */
function ownKeys(target: EventTarget | null): Pick<Situation, 'typing' | 'control'> {
  if (!(target instanceof Element)) return { typing: false, control: 'none' };
  if (target.closest(TYPING) !== null) return { typing: true, control: 'arrows' };
  if (target.closest(ARROWS) !== null) return { typing: false, control: 'arrows' };
  return { typing: false, control: target.closest(ACTIVATES) === null ? 'none' : 'activates' };
}

interface Listening {
  /** Everything but what the event itself tells. */
  situation: () => Omit<Situation, 'typing' | 'control'>;
  /** Does the command; false when it had nothing to do, so that the key keeps its ordinary meaning. */
  run: (command: Command, event: KeyboardEvent) => boolean;
}

/** Listens to the keys of the page; answers the function that stops it. */
export function listenToKeys({ situation, run }: Listening): () => void {
  const onKey = (bindings: readonly Binding[]) => (event: KeyboardEvent) => {
    const now = { ...situation(), ...ownKeys(event.target) };
    for (const binding of bindings) {
      if (!mayFire(binding, event, now) || !run(binding.command, event)) continue;
      event.preventDefault();
      return;
    }
  };
  const keys = [...new Set(KEYMAP.flatMap((binding) => binding.keys))];
  const handlers = keys.map((key) => [key, onKey(KEYMAP.filter((binding) => binding.keys.includes(key)))] as const);
  // The guards above decide what is ignored, not the library's defaults.
  const handler = createKeybindingsHandler(Object.fromEntries(handlers), { ignore: () => false });
  window.addEventListener('keydown', handler);
  return () => window.removeEventListener('keydown', handler);
}
