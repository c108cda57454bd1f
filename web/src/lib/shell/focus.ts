// Where the keys go on when what was pressed is gone.
import { tick } from 'svelte';

/** Takes the reader to the first of these ids that is there, unless they are somewhere already. */
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
