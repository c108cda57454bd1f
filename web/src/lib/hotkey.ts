// One-letter keys of a page, silent while someone types, while a dialog is open, and while a modifier is held.

/** Where the queue page keeps the reader's wish to have no one-letter keys (WCAG 2.1.4); it counts everywhere. */
const OFF_SWITCH = 'countersign.queue.keys';

/** True when a key press belongs to what has the focus, not to the page. */
function belongsToField(event: KeyboardEvent): boolean {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input, textarea, select, [contenteditable], [role="dialog"], [popover]') !== null;
}

/** Listens for one letter; answers the function that stops it. */
export function onHotkey(key: string, action: () => void): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== key || belongsToField(event) || switchedOff()) return;
    event.preventDefault();
    action();
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}

function switchedOff(): boolean {
  try {
    return localStorage.getItem(OFF_SWITCH) === 'off';
  } catch {
    return false;
  }
}
