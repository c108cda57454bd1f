// The data folder of the embedded PostgreSQL: version check, creation.
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import type { Owner } from './identity.ts';
import { isMountPoint } from './mount-point.ts';
import { placeOf } from './place.ts';

/** In DATA_DIR: the folder of PGlite, the embedded database of earlier versions. */
const PGLITE_NAME = 'database';
/** The content of `PG_VERSION` in a folder that this version can use. */
const MAJOR = '18';

/** Nothing at a path, or a link that leads nowhere. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** How `global/pg_control` of PostgreSQL 18 begins, and its marker of 64-bit builds (PGlite is a 32-bit build). */
const CONTROL = { versionAt: 8, version: 1800, float8ByValueAt: 248 } as const;

/**
 * Errors: `EmbeddedError` when the content is of another version or of PGlite, or is not a database. Changes nothing.
 */
export function refuseForeign(folder: string, data: string): void {
  const old = join(folder, PGLITE_NAME);
  if (!existsSync(data) && existsSync(join(old, 'PG_VERSION'))) throw new EmbeddedError(ofPglite(old));
  if (isDangling(data))
    throw new EmbeddedError(`The link ${data} is broken: mount the disk that it points to, or remove the link.`);
  if (existsSync(data) && isEmpty(data) && isMountPoint(data)) throw new EmbeddedError(ofMount(folder, data));
  if (isEmpty(data)) return;
  const version = isFolder(data) ? textOf(join(data, 'PG_VERSION')) : undefined;
  if (version === undefined)
    throw new EmbeddedError(
      `The folder ${data} contains something that is not a PostgreSQL database: move it away, or choose another DATA_DIR.`,
    );
  if (version !== MAJOR) throw new EmbeddedError(ofVersion(data, version));
  if (isOfPglite(data)) throw new EmbeddedError(ofPglite(data));
}

const ofPglite = (path: string): string =>
  `The folder ${path} was created by PGlite, the embedded database of earlier versions, which PostgreSQL cannot read. To start with an empty database, move it away or choose another DATA_DIR; to keep its data, see “Move an embedded database” in docs/OPERATIONS.md.`;

const ofMount = (folder: string, data: string): string =>
  `A disk is mounted at ${data}, and only a folder can be replaced by a new database: mount the disk at ${folder} (DATA_DIR), or make ${data} a link to a folder on the disk. Nothing was changed.`;

const ofVersion = (path: string, version: string): string =>
  `The folder ${path} belongs to PostgreSQL ${version}, and this is PostgreSQL ${MAJOR}. Dump it with the version of Countersign that created it and restore the dump into a new DATA_DIR: see “Move an embedded database” in docs/OPERATIONS.md. Nothing was changed.`;

function isOfPglite(data: string): boolean {
  const control = existsSync(join(data, 'global/pg_control')) ? readFileSync(join(data, 'global/pg_control')) : null;
  if (control === null || control.length <= CONTROL.float8ByValueAt) return false;
  return control.readUInt32LE(CONTROL.versionAt) === CONTROL.version && control[CONTROL.float8ByValueAt] === 0;
}

const isFolder = (path: string): boolean => statSync(path).isDirectory();

function isDangling(path: string): boolean {
  return isAbsent(path) && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function textOf(path: string): string | undefined {
  return isAbsent(path) ? undefined : readFileSync(path, 'utf8').trim();
}

/** Whether a database already exists. */
export const isInitialised = (data: string): boolean => !isAbsent(join(data, 'PG_VERSION'));

/** The owner of the data; undefined without data, or where the system has no user IDs. */
export function ownerOf(data: string): Owner | undefined {
  if (process.getuid === undefined || isEmpty(data)) return undefined;
  const { uid, gid } = statSync(data);
  return { uid, gid };
}

/** Whether there is nothing at `path`. What this user may not examine counts as there. */
export function isAbsent(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return ABSENT.includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Whether `path` does not exist or is an empty folder. An unreadable folder counts as not empty. */
export function isEmpty(path: string): boolean {
  if (isAbsent(path)) return true;
  try {
    return isFolder(path) && readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/**
 * Lets `initialise` fill an empty folder and moves it into place when it is complete: a killed start leaves no partial
 * database. The caller has exclusive use of `folder` (DATA_DIR), so its old drafts are removed. A link stays: the place is
 * its target.
 */
export async function createDatabase(
  folder: string,
  data: string,
  initialise: (draft: string) => Promise<void>,
): Promise<void> {
  const target = targetOf(data);
  const parent = dirname(target);
  const prefix = draftPrefix(folder, target);
  for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) remove(join(parent, name));
  const draft = mkdtempSync(join(parent, prefix));
  try {
    await initialise(draft);
    if (existsSync(target)) rmdirSync(target);
    renameSync(draft, target);
    flush(parent);
  } catch (error) {
    remove(draft);
    throw error;
  }
}

/** The folder that a link at `data` points to, else `data` itself. */
export const targetOf = (data: string): string =>
  lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(data) : data;

/** The parent of a link's target may contain folders of others, and drafts of another DATA_DIR. */
function draftPrefix(folder: string, target: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([placeOf(folder), target]))
    .digest('hex');
  return `.countersign-draft-${digest.slice(0, 16)}-`;
}

/**
 * An initdb that briefly outlives its parent may still write into its draft: what cannot be removed now is removed next
 * time.
 */
function remove(draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true });
  } catch {
    // See above.
  }
}

/** Makes the names in a folder survive a power failure. Windows has no such call for folders. */
function flush(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
