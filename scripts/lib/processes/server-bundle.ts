// Bundles the server with its packages for tests, which start it hundreds of times: this halves what a start costs.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceOrigin } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';

const ROOT = join(import.meta.dirname, '../../..');
/**
 * As deep as `server/src`: what start.ts finds beside itself (`../../web/build`) it finds from here too, and packages resolve to
 * the same ones.
 */
const PARENT = join(ROOT, 'node_modules');
const PREFIX = '.server-bundle-';
/** A bundle of another state of the sources is kept this long: another run may be using it. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Everything that the bundle is made of; `package-lock.json` stands for the packages. */
const SOURCES = [
  '{server,shared}/{package.json,src/**/*.{ts,json}}',
  'scripts/lib/processes/server-bundle.ts',
  'package-lock.json',
];

/** Builds the bundle unless one of the same sources is there. Returns the program to start in place of `server/src/main.ts`. */
export async function bundleServer(): Promise<string> {
  const sources = sourceFiles();
  const folder = join(PARENT, PREFIX + hashOf(sources));
  const program = join(folder, 'main.mjs');
  if (existsSync(program)) return program;
  removeOld();
  const draft = `${folder}-${process.pid}`;
  const { output } = await build({
    input: join(ROOT, 'server/src/main.ts'),
    platform: 'node',
    // Rolldown warns of `eval`, and of optional packages that are not installed: using one fails as it does from the sources.
    logLevel: 'silent',
    output: {
      dir: draft,
      format: 'esm',
      // Errors and classes are told apart by name in logs.
      keepNames: true,
      sourcemap: true,
      entryFileNames: 'main.mjs',
      chunkFileNames: '[name].mjs',
    },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  refuseUnwatched(modules, sources);
  try {
    renameSync(draft, folder);
  } catch (error) {
    // A run beside this one was faster.
    rmSync(draft, { recursive: true });
    if (!existsSync(program)) throw error;
  }
  return program;
}

/** A module that the hash does not cover could change without a new bundle. */
function refuseUnwatched(modules: readonly string[], sources: readonly string[]): void {
  const watched = new Set(sources.map((file) => join(ROOT, file)));
  const own = modules.filter((id) => id.startsWith(ROOT) && !id.includes('/node_modules/'));
  const unwatched = own.filter((id) => !watched.has(id));
  if (unwatched.length > 0) throw new Error(`The server bundle is made of more than SOURCES: ${unwatched.join(', ')}`);
}

function sourceFiles(): string[] {
  const isSource = (file: string) => !/\.(test|fixture)\.ts$/.test(file);
  return globSync(SOURCES, { cwd: ROOT }).filter(isSource).sort();
}

function hashOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of sources) hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  for (const name of readdirSync(PARENT).filter((each) => each.startsWith(PREFIX))) {
    const folder = join(PARENT, name);
    // A run beside this one may have removed it.
    const builtAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (builtAt < Date.now() - KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}

const POSITION = new RegExp(`(?:file://)?([^\\s"'()]*/${PREFIX}[\\w-]+/[\\w.-]+\\.mjs):(\\d+):(\\d+)`, 'g');
const maps = new Map<string, SourceMap>();

/** The same text with positions in a bundle, as stacks have them, replaced by those in the sources. */
export function withSourcePositions(text: string): string {
  if (!text.includes(PREFIX)) return text;
  return text.replaceAll(POSITION, (position, ...[file = '', line, column]: string[]) => {
    const origin: Partial<SourceOrigin> = mapOf(file)?.findOrigin(Number(line), Number(column)) ?? {};
    if (origin.fileName === undefined) return position;
    return `${join(file, '..', origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** In the process itself, Node would read the maps at every start, which costs as much as the bundle saves. */
function mapOf(file: string): SourceMap | undefined {
  const known = maps.get(file);
  if (known !== undefined || !existsSync(`${file}.map`)) return known;
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  maps.set(file, map);
  return map;
}
