// Builds the bundle of the service that `server/src/main.ts` runs, unless there is one of the same sources.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { OutputAsset, OutputChunk } from 'rolldown';
import { bundleOf, FOLDER_PREFIX, isBuilt, PROGRAM } from '../../../server/src/bundle.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** A bundle of other sources is kept this long, because a process that runs it loads some parts late. The newest is kept anyway. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** Begins the names of files that contain packages alone. */
const PACKAGES = 'packages';

/** Returns the milliseconds that the build took; null when the bundle exists. Throws when the build fails. */
export async function bundleServer(root = ROOT): Promise<number | null> {
  const startedAt = performance.now();
  const { folder, program, sources } = bundleOf(root);
  if (isBuilt(program)) return null;
  removeOld(join(root, 'server'));
  const output = await bundle(root);
  refuseUncovered(root, { output, sources });
  const draft = `${folder}-${randomUUID()}`;
  try {
    write(draft, output);
    // What an interrupted removal left: the folder of a build beside this one appears with its program.
    if (existsSync(folder) && !isBuilt(program)) rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Otherwise a build beside this one was faster.
    if (!isBuilt(program)) throw error;
  }
  return performance.now() - startedAt;
}

type Output = readonly (OutputChunk | OutputAsset)[];

async function bundle(root: string): Promise<Output> {
  // Only here: a start that has a bundle does without the bundler.
  const { build } = await import('rolldown');
  const { output } = await build({
    input: join(root, 'server/src/service.ts'),
    platform: 'node',
    // Rolldown warns of `eval`, and of optional packages that are not installed: using one fails as it does from the sources.
    logLevel: 'silent',
    write: false,
    output: {
      format: 'esm',
      // Errors and classes are told apart by name in logs.
      keepNames: true,
      sourcemap: true,
      sourcemapExcludeSources: true,
      dir: join(root, 'server', FOLDER_PREFIX),
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
      // Packages are in files of their own, so that the maps of ours are small. Those that load late stay apart.
      codeSplitting: {
        groups: [{ name: PACKAGES, test: (id) => isPackage(root, id), entriesAware: true }],
      },
    },
  });
  return output;
}

const isPackage = (root: string, id: string): boolean => relative(root, id).includes('node_modules');

/** A module that the hash does not cover could change without a new bundle: that of a linked folder, too. */
function refuseUncovered(root: string, { output, sources }: { output: Output; sources: readonly string[] }): void {
  const covered = new Set(sources.map((file) => join(root, file)));
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const own = modules.filter((id) => isAbsolute(id) && !isPackage(root, id));
  const uncovered = own.filter((id) => !covered.has(id));
  if (uncovered.length > 0)
    throw new Error(`The bundle of the server is made of more than its hash covers: ${uncovered.join(', ')}`);
}

function write(folder: string, output: Output): void {
  mkdirSync(folder);
  for (const file of output) {
    if (file.type === 'chunk') writeFileSync(join(folder, file.fileName), file.code);
    else if (!file.fileName.startsWith(PACKAGES)) writeFileSync(join(folder, file.fileName), file.source);
  }
}

function removeOld(parent: string): void {
  const folders = readdirSync(parent).filter((name) => name.startsWith(FOLDER_PREFIX));
  const built = folders.map((name) => {
    const path = join(parent, name);
    // A build beside this one may have removed it.
    return { path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity };
  });
  const newest = Math.max(...built.map(({ at }) => at));
  for (const { path, at } of built) if (at < newest && at < Date.now() - KEPT_MS) remove(path);
}

/** The program first: a folder without it is not a bundle, wherever the removal is interrupted. */
function remove(folder: string): void {
  rmSync(join(folder, PROGRAM), { force: true });
  rmSync(folder, { recursive: true, force: true });
}
