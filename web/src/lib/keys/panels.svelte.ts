// What lies over every page when it is asked for: the sheet of keys, and the palette. Both are fetched only then.

interface Panels {
  help: boolean;
  palette: boolean;
  /** What was typed for the palette before it was there. */
  typed: string;
}

export const panels: Panels = $state({ help: false, palette: false, typed: '' });

/**
 * Takes the keys between the asking for a panel and its coming: they were meant for it, not for the page.
 * Answers whether this was one of them.
 */
export function waitsForPanel(event: KeyboardEvent): boolean {
  if (!panels.help && !panels.palette) return false;
  if (event.key === 'Escape') panels.help = panels.palette = false;
  else if (panels.palette && [...event.key].length === 1 && !event.ctrlKey && !event.metaKey) panels.typed += event.key;
  return true;
}
