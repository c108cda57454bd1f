// The renderers that not every value needs: fetched while nothing else is to be done, and at the latest when they are needed.

export const lazy = {
  big: () => import('./json/LargeJson.svelte'),
  chat: () => import('./ChatValue.svelte'),
  dialog: () => import('#lib/components/Dialog.svelte'),
  find: () => import('./text/FindBar.svelte'),
  markdown: () => import('./text/MarkdownValue.svelte'),
  media: () => import('./MediaValue.svelte'),
  table: () => import('./table/TableValue.svelte'),
} as const;

/** Fetches them all as soon as the browser has nothing to do. What fails now is tried again when it is needed. */
export function fetchSoon(): void {
  if (typeof requestIdleCallback !== 'function') return;
  requestIdleCallback(() => {
    for (const load of Object.values(lazy)) void load().catch(() => undefined);
  });
}
