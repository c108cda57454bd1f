// Loads the renderers that only some values need: while the browser is idle, at the latest on demand.

/**
 * The same promise each time: a new one would draw the value again whenever its item is read again, and what the reviewer opened
 * or zoomed in it would be lost. A failed load is retried on the next call.
 */
function once<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  const start = () =>
    load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return () => (loading ??= start());
}

export const lazy = {
  big: once(() => import('./json/LargeJson.svelte')),
  call: once(() => import('./tools/CallValue.svelte')),
  chat: once(() => import('./ChatValue.svelte')),
  cited: once(() => import('./cited/CitedValue.svelte')),
  code: once(() => import('./code/CodeValue.svelte')),
  dialog: once(() => import('#lib/components/Dialog.svelte')),
  diff: once(() => import('./code/DiffValue.svelte')),
  find: once(() => import('./text/FindBar.svelte')),
  json: once(() => import('./code/JsonTextValue.svelte')),
  mail: once(() => import('./mail/MailValue.svelte')),
  markdown: once(() => import('./text/MarkdownValue.svelte')),
  math: once(() => import('./math/MathText.svelte')),
  media: once(() => import('./media/MediaValue.svelte')),
  table: once(() => import('./table/TableValue.svelte')),
} as const;

/** Loads them all as soon as the browser is idle. A failed one is retried on demand. */
export function fetchSoon(): void {
  if (typeof requestIdleCallback !== 'function') return;
  requestIdleCallback(() => {
    for (const load of Object.values(lazy)) void load().catch(() => undefined);
  });
}
