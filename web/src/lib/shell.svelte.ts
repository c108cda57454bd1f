// What the page on show adds to the top bar. A page sets it in an effect and takes it back when it goes.
import type { Snippet } from 'svelte';

interface Shell {
  /** Behind the page's name: the project, the item. */
  detail: string | null;
  /** How many changes a page holds back while it is paused. */
  held: number;
  /** Before the live pill. */
  aside: Snippet | null;
}

export const shell: Shell = $state({ detail: null, held: 0, aside: null });
