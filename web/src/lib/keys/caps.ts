// The drawn caps of keys, and their form for assistive technology.

const NAMES: Record<string, string> = {
  Enter: '⏎',
  Escape: 'Esc',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Shift: '⇧',
};

/** Whether the keyboard has a Cmd key where others have Ctrl. */
export const isMac = (): boolean => typeof navigator === 'object' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** The cap of one key: `A`, `Esc`, `Ctrl ⏎`. */
export function capOf(key: string, mac = isMac()): string {
  const parts = key.split(/(?<=\w|\])\+/).filter((part) => part !== '[Shift]');
  return parts.map((part) => (part === '$mod' ? (mac ? '⌘' : 'Ctrl') : (NAMES[part] ?? upper(part)))).join(' ');
}

/** Words stay as written; so does a letter whose capital form has two. */
function upper(part: string): string {
  const raised = part.toUpperCase();
  return [...part].length === 1 && [...raised].length === 1 ? raised : part;
}

const SPOKEN: Record<string, string> = {
  '⏎': 'Enter',
  Esc: 'Escape',
  '↓': 'ArrowDown',
  '↑': 'ArrowUp',
  '⇧': 'Shift',
  '⌘': 'Meta',
  Ctrl: 'Control',
  '+': 'Plus',
};

/** A cap in the syntax of `aria-keyshortcuts`. */
export const ariaOf = (cap: string): string =>
  cap
    .split(' ')
    .map((part) => SPOKEN[part] ?? part)
    .join('+');

/** A cap with one character: the switch for single-letter keys disables it. */
export const isSingle = (cap: string): boolean => [...cap.replace(/^⇧ /, '')].length === 1 && SPOKEN[cap] === undefined;
