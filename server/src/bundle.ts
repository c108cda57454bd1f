// Finds the bundle of the service: its modules and packages in a few files, which load in half the time.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What begins the name of each bundle's folder in `server/`; the hash of what it is made of follows. */
export const FOLDER_PREFIX = 'build-';

/** The module in a bundle that runs the service. */
export const PROGRAM = 'service.mjs';

/** Folders and files that a bundle is made of. The last one makes it. */
const SOURCES = [
  'server/src',
  'server/package.json',
  'server/tsconfig.json',
  'shared/src',
  'shared/package.json',
  'shared/tsconfig.json',
  'tsconfig.json',
  'scripts/lib/processes/server-bundle.ts',
];
const SOURCE = /(?<!\.test|\.fixture)\.(ts|json)$/;
/** npm writes here what it has installed. */
const INSTALLED = 'node_modules/.package-lock.json';

export interface Bundle {
  /** As deep as `server/src`: the service finds the built page by the same path, and packages resolve to the same ones. */
  readonly folder: string;
  /** The module that runs the service. */
  readonly program: string;
  /** The sources, relative to the root of the repository. */
  readonly sources: readonly string[];
}

/**
 * Where the bundle of exactly these sources and installed packages is, or would be: a bundle of others has another folder.
 * Errors: those of reading them, such as `ENOENT` when npm installed nothing here.
 */
export function bundleOf(root: string): Bundle {
  const sources = SOURCES.flatMap((path) => filesAt(root, path)).sort();
  const hash = createHash('sha256');
  for (const file of sources) hash.update(`\0${file}\0`).update(readFileSync(`${root}/${file}`));
  hash.update(JSON.stringify(packagesIn(root)));
  const folder = join(root, 'server', FOLDER_PREFIX + hash.digest('hex').slice(0, 16));
  return { folder, program: join(folder, PROGRAM), sources };
}

/** The program of that bundle; null when it was not built, or when nothing says what it would be made of. */
export function builtProgram(root: string): string | null {
  try {
    const { program } = bundleOf(root);
    return isBuilt(program) ? program : null;
  } catch {
    // No list of npm, or half of it; a file that an editor removes, or a link to nothing. The sources start anyway.
    return null;
  }
}

/** Whether the program of a bundle exists. A power cut may leave an empty file, which would end without an error. */
export const isBuilt = (program: string): boolean => (statSync(program, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Files below a folder that can become part of a bundle, or the file itself; none when it does not exist. */
function filesAt(root: string, path: string): string[] {
  if (!existsSync(join(root, path))) return [];
  return /\.\w+$/.test(path) ? [path] : filesBelow(root, path);
}

/** Every start waits for it: `join` takes three times as long, and `recursive` of `readdirSync` four times. */
function filesBelow(root: string, folder: string): string[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(root, path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

/** Name, version and checksum of each package. Those of development are no part of a bundle, and an image does not have them. */
function packagesIn(root: string): unknown[] {
  const { packages } = JSON.parse(readFileSync(join(root, INSTALLED), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string; dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path, { version, integrity }]) => [path, version, integrity]);
}
