// Build plugins that make the first load small: they remove unused parts and bundle each page in few files.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { wideSelectors } from './wide-selectors.ts';

const WEB = import.meta.dirname;
const SOCKETS = '\0sockets-stub-';
const SERIALIZER = '\0serializer-stub';

const exactly = (id: string) => new RegExp(`^${id}$`);

/** SvelteKit builds a server too, of which only the empty page is used. */
const isClient: NonNullable<Plugin['applyToEnvironment']> = ({ name }) => name === 'client';

/** Parts of the sockets' library and what is built in their place, by the name of their file. */
const SOCKET_PARTS: readonly { name: RegExp; code: string }[] = [
  // Only WebSockets are used (A8).
  { name: /\/(polling-xhr|webtransport)\b/, code: 'export class XHR {} export class WT {}' },
  // All events are JSON: none has bytes.
  {
    name: /\/(is-binary|binary|base64-arraybuffer)\.js$/,
    code: `const none = () => { throw new Error('Events have no bytes.'); };
      export const isBinary = () => false, hasBinary = () => false;
      export { none as deconstructPacket, none as reconstructPacket, none as encode, none as decode };`,
  },
  // Browsers parse addresses. The only one is the page's own origin.
  {
    name: /\/parseuri\.js$/,
    code: `export const parse = (source) => {
      const { protocol, hostname, port, pathname, search } = new URL(source);
      const [host, path] = [hostname.replace(/^\\[|\\]$/g, ''), pathname === '/' ? '' : pathname];
      return { source, protocol: protocol.slice(0, -1), host, port, path, query: search.slice(1), queryKey: {} };
    };`,
  },
];

/** Removes the parts of the sockets' library that are not used or that browsers provide. */
export function withSmallSockets(): Plugin {
  return {
    name: 'countersign:with-small-sockets',
    enforce: 'pre',
    resolveId: {
      filter: { id: SOCKET_PARTS.map(({ name }) => name) },
      handler: (source, importer) => {
        if (!/\/(socket|engine)\.io-(client|parser)\//.test(importer ?? '')) return undefined;
        return SOCKETS + String(SOCKET_PARTS.findIndex(({ name }) => name.test(source)));
      },
    },
    load: {
      filter: { id: new RegExp(`^${SOCKETS}`) },
      handler: (id) => SOCKET_PARTS[Number(id.slice(SOCKETS.length))]?.code,
    },
  };
}

/**
 * SvelteKit's serializer for what its own server sends. Our server sends JSON, and the pages keep nothing but JSON in the
 * history, so JSON does the same in 4 KiB less.
 */
export function withoutServerData(): Plugin {
  return {
    name: 'countersign:without-server-data',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: isClient,
    resolveId: {
      filter: { id: exactly('devalue') },
      handler: (_, importer) => (importer?.includes('/@sveltejs/kit/') === true ? SERIALIZER : undefined),
    },
    load: {
      filter: { id: exactly(SERIALIZER) },
      handler: () => `const none = () => { throw new Error('The server sends no data of pages.') };
        export const stringify = (value) => JSON.stringify(value), parse = (text) => JSON.parse(text);
        export { none as unflatten, none as uneval, none as stringifyAsync };`,
    },
  };
}

/**
 * The server sends files and renders nothing (`ssr` in src/routes/+layout.ts), yet SvelteKit also compiles every component
 * for a server, which takes as long as the page itself: there, components are empty. Not while developing, which shares ids.
 */
export function withoutServerRendering(): Plugin {
  return {
    name: 'countersign:without-server-rendering',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'ssr',
    load: { filter: { id: /\/web\/src\/.*\.svelte$/ }, handler: () => '' },
  };
}

/** The pages and layouts that have a part of their own in the rules below, as in `src/routes`. */
const ROOT = ['+layout.svelte', '+error.svelte'];
const SIGN_IN = '+page.svelte';
const DOCS = 'api/public/docs/+page.svelte';
const APP = '(app)/+layout.svelte';
const QUEUE = '(app)/queue/+page.svelte';
/**
 * What runs before the page says its version and address: SvelteKit's other modules read those as soon as they are loaded, so
 * none of them may come with these.
 */
const FIRST = /\/@sveltejs\/kit\/src\/runtime\/client\/payload\.js$|vite\/preload-helper/;
/** Modules up to this many characters of source are cheaper to load than to request: icons, helpers. */
const SMALL = 2000;

/**
 * All styles come with the first file: they are small, and a style sheet that loads later makes the browser compute the styles of
 * the whole page again. With a long list, that takes as long as rendering a screen.
 */
const STYLES = /\.css$|[?&]type=style/;

/** SvelteKit's entry, which the page loads first. */
const ENTRY = /\/@sveltejs\/kit\/src\/runtime\/client\/entry\.js$/;

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>;

/** What is known of a module: the pages that load it at once, the pages that may load it later, and whether it is small. */
export interface Needed {
  eager: readonly string[];
  reached: readonly string[];
  /** With everything that it imports and that has no place in one of the first three files. */
  small: boolean;
}

/**
 * Small files compress badly, and each costs a request. So code that pages load at once comes in few files, named by the pages
 * that need it. What a module imports is needed by at least the same pages, so each name only imports names above it, and no two
 * files import each other. Before them comes `first` (see `FIRST`):
 *
 * 1. `start`: every page, or the sign-in page and another; and all styles.
 * 2. `docs-shared`: the API documentation, and the queue or all pages after sign-in.
 * 3. `app`: all pages after sign-in, and what the queue shares with any of them: people start there.
 * 4. `app-small`: small modules of several other pages.
 * 5. Any other set of several pages, then each page alone; apart from it what other pages load later.
 *
 * Parts that no page loads at once stay in files of their own.
 */
function byPage(): (id: string, graph: Graph) => string | null {
  const routes = join(WEB, 'src/routes');
  const pages = globSync('**/+{page,layout,error}.svelte', { cwd: routes }).map((path) => path.replaceAll('\\', '/'));
  let loads: { page: string; eager: Set<string>; reached: Set<string> }[] | undefined;
  const smallness = new Map<string, boolean>();
  const neededBy = (id: string, kind: 'eager' | 'reached') =>
    (loads ?? []).filter((load) => load[kind].has(id)).map(({ page }) => page);
  const isSmall = (id: string, graph: Graph): boolean => {
    const known = smallness.get(id);
    if (known !== undefined) return known;
    // Of modules that import each other, the first one decides.
    smallness.set(id, true);
    const module = graph.getModuleInfo(id);
    const small =
      commonName(neededBy(id, 'eager')) !== null ||
      ((module?.code?.length ?? Infinity) <= SMALL &&
        (module?.importedIds ?? []).every((next) => isSmall(next, graph)));
    smallness.set(id, small);
    return small;
  };
  return (id, graph) => {
    if (FIRST.test(id)) return 'first';
    if (STYLES.test(id)) return 'start';
    loads ??= pages.map((page) => ({ page, ...loadsOf(join(routes, page), graph) }));
    const eager = neededBy(id, 'eager');
    if (eager.length === 0) return null;
    return nameFor({ eager, reached: neededBy(id, 'reached'), small: isSmall(id, graph) });
  };
}

/** One of the first three names; null for none. */
function commonName(pages: readonly string[]): string | null {
  const needs = (...some: string[]) => some.some((page) => pages.includes(page));
  if (needs(...ROOT) || (pages.length > 1 && needs(SIGN_IN))) return 'start';
  if (needs(DOCS) && needs(APP, QUEUE)) return 'docs-shared';
  return needs(APP) || (pages.length > 1 && needs(QUEUE)) ? 'app' : null;
}

/** The name of the file of a module that some page loads at once. */
export function nameFor({ eager, reached, small }: Needed): string {
  const common = commonName(eager);
  if (common !== null) return common;
  // The documentation would load `app` with it, at once or later.
  if (small && eager.length > 1 && !reached.includes(DOCS)) return 'app-small';
  const nameOf = (pages: readonly string[]) => pages.map((page) => page.replaceAll(/[^a-z]+/g, '-')).join('.');
  return reached.length === eager.length ? nameOf(eager) : `${nameOf(eager)}~${nameOf(reached)}`;
}

/** Every module that this one imports, and every one that it may load later. */
function loadsOf(entry: string, graph: Graph): { eager: Set<string>; reached: Set<string> } {
  const [eager, reached] = [new Set([entry]), new Set([entry])];
  for (const id of eager) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) eager.add(next);
  for (const id of reached) {
    const module = graph.getModuleInfo(id);
    for (const next of [...(module?.importedIds ?? []), ...(module?.dynamicallyImportedIds ?? [])]) reached.add(next);
  }
  return { eager, reached };
}

const GROUP = { debugName: 'by page', name: byPage(), includeDependenciesRecursively: false };

export function groupByPage(): Plugin {
  return {
    name: 'countersign:in-few-files',
    applyToEnvironment: isClient,
    config: () => ({
      environments: {
        client: {
          build: {
            rolldownOptions: { output: { codeSplitting: { groups: [GROUP] } }, experimental: { lazyBarrel: true } },
          },
        },
      },
    }),
    options: {
      order: 'post',
      // An entry may then export code its neighbours need: grouping by page requires this.
      handler: (options) => ({ ...options, preserveEntrySignatures: 'allow-extension' }),
    },
    generateBundle(_, bundle) {
      const sheets = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.css'));
      const names = sheets.map(({ fileName }) => fileName).join(', ');
      if (sheets.length > 1) throw new Error(`The page has several style sheets: ${names}`);
      const wide = sheets.flatMap((sheet) =>
        sheet.type === 'asset' ? wideSelectors(Buffer.from(sheet.source).toString()) : [],
      );
      if (wide.length > 0) throw new Error(`Selectors that restyle all neighbours of a child: ${wide.join(', ')}`);
    },
  };
}

/** A cycle of files that import each other: one of them runs before its import is initialized. Null where there is none. */
export function cycleAmong(imports: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of imports.get(file) ?? []) {
      const cycle = walk(next, [...trail, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const cycle = walk(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** A file of the page as it is built. */
export interface Built {
  fileName: string;
  imports: readonly string[];
  moduleIds: readonly string[];
}

/** A module that is loaded with SvelteKit's entry, before the page has said its version and address. Null where there is none. */
export function earlyAmong(files: readonly Built[]): string | null {
  const byName = new Map(files.map((file) => [file.fileName, file]));
  const reached = new Set(files.filter(({ moduleIds }) => moduleIds.some((id) => ENTRY.test(id))));
  for (const { imports } of reached)
    for (const name of imports) {
      const next = byName.get(name);
      if (next !== undefined) reached.add(next);
    }
  return [...reached].flatMap(({ moduleIds }) => moduleIds).find((id) => !FIRST.test(id) && !ENTRY.test(id)) ?? null;
}

/** Fails a build in which code runs before what it reads at once: where files import each other, and before SvelteKit's start. */
export function refuseEarlyCode(): Plugin {
  return {
    name: 'countersign:refuse-early-code',
    applyToEnvironment: isClient,
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const cycle = cycleAmong(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
      if (cycle !== null) throw new Error(`Files of the page import each other: ${cycle.join(' → ')}`);
      const early = earlyAmong(chunks);
      if (early !== null) throw new Error(`The entry of the page loads ${early} before its version is known.`);
    },
  };
}
