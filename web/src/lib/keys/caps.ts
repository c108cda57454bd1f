// What is drawn for a key, and what assistive technology is told of it.

const NAMES: Record<string, string> = {
  Enter: '⏎',
  Escape: 'Esc',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Shift: '⇧',
};

/** Whether the keyboard has a Cmd key where others have Ctrl. */
export const isMac = (): boolean => typeof navigator === 'object' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** What a key cap shows for one key: `A`, `Esc`, `Ctrl ⏎`. */
export function capOf(key: string, mac = isMac()): string {
  const parts = key.split(/(?<=\w|\])\+/).filter((part) => part !== '[Shift]');
  return parts.map((part) => (part === '$mod' ? (mac ? '⌘' : 'Ctrl') : (NAMES[part] ?? upper(part)))).join(' ');
}

/** Words stay as they are written; so does a letter that would become two. */
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

/** A cap in the words of `aria-keyshortcuts`. */
export const ariaOf = (cap: string): string =>
  cap
    .split(' ')
    .map((part) => SPOKEN[part] ?? part)
    .join('+');

/** A cap that is one character: the switch for single-letter keys silences it. */
export const isSingle = (cap: string): boolean => [...cap.replace(/^⇧ /, '')].length === 1 && SPOKEN[cap] === undefined;
