// Keeps the focus in the right part of a page: moves it on when its element is gone, and makes the rest inert.
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

/** An attachment: makes everything outside `node` inert as long as it is mounted, except the live regions. */
export function inertOutside(node: HTMLElement): () => void {
  const madeInert: Element[] = [];
  for (let at: Element | null = node; at !== null && at !== document.body; at = at.parentElement) {
    for (const sibling of at.parentElement?.children ?? []) {
      if (sibling === at || sibling.hasAttribute('inert') || sibling.matches('[aria-live], :has([aria-live])'))
        continue;
      sibling.toggleAttribute('inert', true);
      madeInert.push(sibling);
    }
  }
  return () => {
    for (const element of madeInert) element.removeAttribute('inert');
  };
}
