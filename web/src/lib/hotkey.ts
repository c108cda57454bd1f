// One-letter keys of a page, silent while someone types, while a dialog is open, and while a modifier is held.

/** True when a key press belongs to what has the focus, not to the page. */
export function belongsToField(event: KeyboardEvent): boolean {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input, textarea, select, [contenteditable], [role="dialog"], [popover]') !== null;
}

/** Listens for one letter; answers the function that stops it. */
export function onHotkey(key: string, action: () => void): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== key || belongsToField(event)) return;
    event.preventDefault();
    action();
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}
