// Loads the renderers that only some values need: while the browser is idle, at the latest on demand.

export const lazy = {
  big: () => import('./json/LargeJson.svelte'),
  call: () => import('./tools/CallValue.svelte'),
  chat: () => import('./ChatValue.svelte'),
  cited: () => import('./cited/CitedValue.svelte'),
  code: () => import('./code/CodeValue.svelte'),
  dialog: () => import('#lib/components/Dialog.svelte'),
  diff: () => import('./code/DiffValue.svelte'),
  find: () => import('./text/FindBar.svelte'),
  json: () => import('./code/JsonTextValue.svelte'),
  mail: () => import('./mail/MailValue.svelte'),
  markdown: () => import('./text/MarkdownValue.svelte'),
  math: () => import('./math/MathText.svelte'),
  media: () => import('./media/MediaValue.svelte'),
  table: () => import('./table/TableValue.svelte'),
} as const;

/** Loads them all as soon as the browser is idle. A failed one is tried again on demand. */
export function fetchSoon(): void {
  if (typeof requestIdleCallback !== 'function') return;
  requestIdleCallback(() => {
    for (const load of Object.values(lazy)) void load().catch(() => undefined);
  });
}
