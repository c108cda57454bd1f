// Moves the focus on when the focused element is gone.
import { tick } from 'svelte';

/** Focuses the first of these ids that exists, unless the focus is somewhere already. */
export async function focusIfLost(...ids: string[]): Promise<void> {
  await tick();
  requestAnimationFrame(() => {
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    for (const id of ids) {
      const element = document.getElementById(id);
      if (element !== null) return element.focus();
    }
  });
}
