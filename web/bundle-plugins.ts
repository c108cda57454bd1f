// Build plugins that make the first load small: they remove the server's half of the contract and the sockets' fallback, and
// bundle each page in few files.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ESTree, Plugin, Rolldown } from 'vite';

const WEB = import.meta.dirname;
const ZOD = '\0zod-stub';
const TRANSPORT = '\0transport-stub';
/** The parts of an endpoint a browser uses; of its body only whether there is one. The rest is for the server and the docs. */
const BROWSER_PROPERTIES: readonly string[] = ['method', 'path', 'auth', 'body'];

/** One object that answers every declaration with itself and refuses to parse. */
const ZOD_STUB = `
const refuse = () => { throw new Error('schemas are not part of the browser build'); };
const parsers = new Set(['parse', 'safeParse', 'parseAsync', 'safeParseAsync']);
export const z = new Proxy(() => z, {
  get: (_, key) => (parsers.has(key) ? refuse : key === Symbol.iterator ? undefined : z),
  apply: () => z,
  ownKeys: () => [],
});
export default z;
`;

/**
 * The endpoint objects contain zod schemas, which only the server runs: the browser needs method, path and the types, and the
 * types are gone after compilation. So `zod` becomes one object that is every schema, and every declaration that object. This
 * saves about 65 KiB of the first load.
 */
export function withoutZod(): Plugin[] {
  return [
    {
      name: 'countersign:without-zod',
      enforce: 'pre',
      resolveId: (source) => (source === 'zod' ? ZOD : undefined),
      load: (id) => (id === ZOD ? ZOD_STUB : undefined),
    },
    {
      name: 'countersign:without-declarations',
      transform: {
        filter: { id: /\/shared\/src\/.*\.ts$/, code: 'zod' },
        handler(code) {
          return { code: cut(code, declarationsIn(this.parse(code), code)), map: null };
        },
      },
    },
  ];
}

/** Only WebSockets are used (A8): the library's other transports are removed. */
export function withoutTransports(): Plugin {
  return {
    name: 'countersign:without-transports',
    enforce: 'pre',
    resolveId: (source, importer) =>
      importer?.includes('engine.io-client') && /\/(polling-xhr|webtransport)\b/.test(source) ? TRANSPORT : undefined,
    load: (id) => (id === TRANSPORT ? 'export class XHR {} export class WT {}' : undefined),
  };
}

interface Cut {
  start: number;
  end: number;
  by: string;
}

/** Every schema, and the parts of every endpoint that no browser uses. */
function declarationsIn(node: unknown, code: string): Cut[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((each) => declarationsIn(each, code));
  const { type, start, end } = node as ESTree.Node;
  const root = type === 'CallExpression' || type === 'MemberExpression' ? rootOf(node as ESTree.Node) : null;
  if (root === 'z') return [{ start, end, by: 'z' }];
  if (root === 'endpoint') return [{ start, end, by: browserPartOf(node as ESTree.Node, code) }];
  return Object.values(node).flatMap((each) => declarationsIn(each, code));
}

/** The name that a chain of calls and members starts with. */
function rootOf(node: ESTree.Node): string | null {
  if (node.type === 'CallExpression') return rootOf(node.callee);
  if (node.type === 'MemberExpression') return rootOf(node.object);
  return node.type === 'Identifier' ? node.name : null;
}

/**
 * The object of an endpoint, reduced to the browser's properties. Errors: its argument is not an object of plain names.
 */
function browserPartOf(node: ESTree.Node, code: string): string {
  const definition = node.type === 'CallExpression' ? node.arguments[0] : undefined;
  if (definition?.type !== 'ObjectExpression') throw new Error('An endpoint is declared by an object.');
  const asked = definition.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier')
      throw new Error('The properties of an endpoint have plain names.');
    const { name } = property.key;
    if (!BROWSER_PROPERTIES.includes(name)) return [];
    return name === 'body' ? 'body: z' : code.slice(property.start, property.end);
  });
  // Without the function, which would fill in the server's properties.
  const body = asked.some((property) => property.startsWith('body')) ? [] : ['body: null'];
  return `{ ${[...asked, ...body].join(', ')} }`;
}

function cut(code: string, cuts: readonly Cut[]): string {
  let [result, at] = ['', 0];
  for (const { start, end, by } of cuts.toSorted((one, other) => one.start - other.start)) {
    // Anything inside a part that was cut is gone with it.
    if (start < at) continue;
    result += code.slice(at, start) + by;
    at = end;
  }
  return result + code.slice(at);
}

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>;

/**
 * Small files compress badly. So code that only one page needs comes in one file, and code that only the pages below a layout
 * need, and that layout loads, in another. Code that a lazily loaded part shares with other pages stays in files of its own.
 */
function byPage(): (id: string, graph: Graph) => string | null {
  const pages = globSync('src/routes/**/+{page,layout}.svelte', { cwd: WEB }).map((path) => join(WEB, path));
  let reach: { page: string; eager: Set<string>; reachable: Set<string> }[] | undefined;
  return (id, graph) => {
    reach ??= pages.map((page) => ({ page, ...reachOf(page, graph) }));
    const by = reach.filter(({ reachable }) => reachable.has(id)).map(({ page }) => page);
    const of = reach.find(({ page, eager }) => eager.has(id) && by.every((other) => within(page, other)));
    return of === undefined ? null : of.page.replace(/^.*\/routes\//, '').replaceAll(/[^a-z]+/g, '-');
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
    config: () => ({ build: { rolldownOptions: { output: { codeSplitting: { groups: [GROUP] } } } } }),
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
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const cycle = cycleAmong(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
      if (cycle !== null) throw new Error(`Files of the page import each other: ${cycle.join(' → ')}`);
    },
  };
}
