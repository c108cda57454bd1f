// Loads the renderers that only some values need: after the first interaction, at the latest on demand.
import { preloadAll } from '#lib/shell/preload-on-interaction.ts';

interface Lazy<Module> {
  (): Promise<Module>;
  /** The module itself once it has loaded. */
  now: () => Module | Promise<Module>;
}

/**
 * A value is drawn again whenever the page awaits a promise again, and what the reviewer sorted, scrolled or zoomed in it would be
 * lost. So a module that has loaded is given as it is, and until then the same promise each time. A failed load is retried on the
 * next call.
 */
function once<Module>(load: () => Promise<Module>): Lazy<Module> {
  let loading: Promise<Module> | undefined;
  let loaded: Module | undefined;
  const start = () =>
    load().then(
      (module) => (loaded = module),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
  const get = () => (loading ??= start());
  return Object.assign(get, { now: () => loaded ?? get() });
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

/** Loads them all after the first interaction with the page, one after another. A failed one is retried on demand. */
export const fetchSoon = (): Promise<void> => preloadAll(Object.values(lazy));
