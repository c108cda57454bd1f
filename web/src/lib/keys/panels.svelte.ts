// The panels over every page: the key sheet and the palette. Both load on demand.

interface Panels {
  help: boolean;
  palette: boolean;
  /** The text typed for the palette before it had loaded. */
  typed: string;
}

export const panels: Panels = $state({ help: false, palette: false, typed: '' });

/**
 * Takes the keys between the request for a panel and its appearance: they are meant for it, not for the page. Returns whether
 * this was one of them.
 */
export function waitsForPanel(event: KeyboardEvent): boolean {
  if (!panels.help && !panels.palette) return false;
  if (event.key === 'Escape') panels.help = panels.palette = false;
  else if (panels.palette && [...event.key].length === 1 && !event.ctrlKey && !event.metaKey) panels.typed += event.key;
  return true;
}
