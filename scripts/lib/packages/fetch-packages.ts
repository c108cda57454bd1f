// Installs npm packages that few people need, when they are first wanted: `npm ci` stays small.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/packages');
const run = promisify(execFile);
/** Packages with compiled parts have a way that does without them. */
const OPTIONS = [
  ...['--no-save', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'],
  ...['--loglevel=error', '--fetch-retries=1'],
];
/** Resolves a package as a module of that folder does. */
const LOADER = 'load.mjs';

/** Packages that are wanted together: the name of their folder, and `name@version` of each. */
export interface Wanted {
  readonly folder: string;
  readonly packages: readonly string[];
}

/** The folder in whose `node_modules` they are, or will be. */
const folderOf = ({ folder }: Wanted): string => join(CACHE, folder);

/**
 * Installs those that are not there in that version, and calls `onInstall` before it does. Returns their folder. Throws with npm's
 * reason and the command to try again.
 */
export async function fetchPackages(wanted: Wanted, onInstall?: (packages: string) => void): Promise<string> {
  const folder = folderOf(wanted);
  if (wanted.packages.every((each) => isInstalled(folder, each))) return folder;
  const packages = wanted.packages.join(' ');
  onInstall?.(packages);
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, ...OPTIONS, ...wanted.packages];
  try {
    await run('npm', args, { shell: process.platform === 'win32' });
  } catch (error) {
    throw new Error(`npm could not install ${packages}: ${reasonOf(error)} To try by hand: npm ${args.join(' ')}`, {
      cause: error,
    });
  }
  return folder;
}

/** A module of one of them, which must be installed. */
export async function loadPackage(wanted: Wanted, name: string): Promise<unknown> {
  const loader = join(folderOf(wanted), LOADER);
  writeFileSync(loader, 'export const load = (name) => import(name);\n');
  const { load } = (await import(pathToFileURL(loader).href)) as { load: (name: string) => Promise<unknown> };
  return load(name);
}

/** `latest` names no version, so it is always looked up. */
function isInstalled(folder: string, wanted: string): boolean {
  const at = wanted.lastIndexOf('@');
  const file = join(folder, 'node_modules', wanted.slice(0, at), 'package.json');
  if (!existsSync(file)) return false;
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version === wanted.slice(at + 1);
}

/** The first error that the program reported. */
export function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  return /^.*\berror\b.*$/im.exec(stderr)?.[0] ?? message.split('\n')[0] ?? '';
}
