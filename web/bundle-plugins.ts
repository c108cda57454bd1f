// Build plugins that make the first load small: they remove the sockets' fallback and bundle each page in few files.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const WEB = import.meta.dirname;
const TRANSPORT = '\0transport-stub';
const SERIALIZER = '\0serializer-stub';

const exactly = (id: string) => new RegExp(`^${id}$`);

/** SvelteKit builds a server too, of which only the empty page is used. */
const isClient: NonNullable<Plugin['applyToEnvironment']> = ({ name }) => name === 'client';

/** Only WebSockets are used (A8): the library's other transports are removed. */
export function withoutTransports(): Plugin {
  return {
    name: 'countersign:without-transports',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\/(polling-xhr|webtransport)\b/ },
      handler: (_, importer) => (importer?.includes('engine.io-client') === true ? TRANSPORT : undefined),
    },
    load: { filter: { id: exactly(TRANSPORT) }, handler: () => 'export class XHR {} export class WT {}' },
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

/** Where people start, and the pages that they go to from there. */
const FIRST_PAGE = '/routes/(app)/queue/+page.svelte';
const APP = '/routes/(app)/';

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>;

/**
 * Small files compress badly. So code that only one page needs comes in one file, and code that only the pages below a layout
 * need, and that layout loads, in another, and what the queue shares with other pages in a third. Other code that pages or
 * lazily loaded parts share stays in files of its own.
 */
function byPage(): (id: string, graph: Graph) => string | null {
  const pages = globSync('src/routes/**/+{page,layout,error}.svelte', { cwd: WEB }).map((path) => join(WEB, path));
  let reach: { page: string; eager: Set<string>; reachable: Set<string> }[] | undefined;
  return (id, graph) => {
    reach ??= pages.map((page) => ({ page, ...reachOf(page, graph) }));
    const by = reach.filter(({ reachable }) => reachable.has(id)).map(({ page }) => page);
    const of = reach.find(({ page, eager }) => eager.has(id) && by.every((other) => within(page, other)));
    if (of !== undefined) return of.page.replace(/^.*\/routes\//, '').replaceAll(/[^a-z]+/g, '-');
    // What the first page needs at once and other pages of the app too: dozens of icons and small parts.
    const first = reach.find(({ page }) => page.endsWith(FIRST_PAGE));
    return first?.eager.has(id) === true && by.every((page) => page.includes(APP)) ? 'app-shared' : null;
  };
}

/** A layout is loaded with every page in its folder, a page with nothing else. */
const within = (page: string, other: string) =>
  page.endsWith('+layout.svelte') ? other.startsWith(`${dirname(page)}/`) : other === page;

function reachOf(page: string, graph: Graph): { eager: Set<string>; reachable: Set<string> } {
  const [eager, reachable] = [new Set([page]), new Set([page])];
  for (const id of eager) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) eager.add(next);
  for (const id of reachable) {
    const module = graph.getModuleInfo(id);
    for (const next of [...(module?.importedIds ?? []), ...(module?.dynamicallyImportedIds ?? [])]) reachable.add(next);
  }
  return { eager, reachable };
}

/** Our own code, and packages that not every page loads, in files by page. */
const GROUP = {
  debugName: 'by page',
  name: byPage(),
  // Includes the snippets: apart from the page that shows them they would be read before they are initialized.
  test: /\/(web|shared)\/src\/|\/docs\/snippets\/|\/(@lucide|bits-ui|[a-z]+\.io-[a-z]+)\//,
  includeDependenciesRecursively: false,
};

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

/** Fails a build in which files of the page import each other: an import read at once would be undefined. */
export function withoutCycles(): Plugin {
  return {
    name: 'countersign:without-cycles',
    applyToEnvironment: isClient,
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const cycle = cycleAmong(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
      if (cycle !== null) throw new Error(`Files of the page import each other: ${cycle.join(' → ')}`);
    },
  };
}
