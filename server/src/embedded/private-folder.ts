// The folder of the socket of the embedded PostgreSQL, one for each run: creation, and removal after a kill.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import { giveTo, type Identity, reaches } from './identity.ts';
import { acquireLock, isLocked, isRunning } from './process-lock.ts';

/** A socket path has at most 107 bytes on Linux and 103 on macOS. */
const LONGEST = 103;
const SOCKET = '/.s.PGSQL.5432';
/** Each ends a path: the comma in PostgreSQL's setting, the quote in postmaster.opts, the line break in postmaster.pid. */
const DELIMITERS = /[,"\r\n]/;
const PREFIX = 'countersign-';
/** In the private folder: the process of ours that uses it. */
const LOCK = 'countersign.lock';
/** In postmaster.opts in the data folder: the arguments of the last start. */
const LAST_RUN_FOLDER = new RegExp(`"unix_socket_directories=(/[^"]*/${PREFIX}[A-Za-z0-9]{6})"`);
/** Alternatives if TMPDIR cannot hold a socket or is not accessible to the server's user. */
const ELSEWHERE = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

/** Creates the private folder of a run, for `identity`. Errors: `EmbeddedError` when there is no place for it. */
export function makePrivateFolder(identity: Identity): string {
  const candidates = process.platform === 'win32' ? [tmpdir()] : [resolve(tmpdir()), ...ELSEWHERE];
  for (const candidate of candidates) {
    const folder = tryCreateIn(candidate);
    if (folder === undefined) continue;
    giveTo(identity, folder);
    if (reaches(identity, { folder })) return folder;
    rmSync(folder, { recursive: true, force: true });
  }
  throw new EmbeddedError(
    `The embedded database needs a folder for its socket, with a short path without commas and quotes, and cannot use any of ${candidates.join(', ')}: set TMPDIR to one.`,
  );
}

/** Removes the folder of the last run if its process was killed. In a copy of the data, that run may be another's. */
export function removeLastPrivateFolder(data: string): void {
  try {
    const folder = LAST_RUN_FOLDER.exec(readFileSync(join(data, 'postmaster.opts'), 'utf8'))?.[1];
    if (folder !== undefined && !isInUse(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Without permission to remove it, it is left.
  }
}

/** By a process of ours, whose PostgreSQL may be restarting, or by a PostgreSQL that an earlier version started. */
const isInUse = (folder: string): boolean => isLocked(join(folder, LOCK)) || hasServer(folder);

/** By PostgreSQL's own lock file beside its socket. */
function hasServer(folder: string): boolean {
  const path = join(folder, `${SOCKET}.lock`);
  const pid = existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : 0;
  return pid > 0 && isRunning(pid);
}

const canHoldSocket = (prefix: string): boolean =>
  Buffer.byteLength(`${prefix}XXXXXX${SOCKET}`) <= LONGEST && !DELIMITERS.test(prefix);

function tryCreateIn(candidate: string): string | undefined {
  const prefix = join(candidate, PREFIX);
  if (process.platform !== 'win32' && !canHoldSocket(prefix)) return undefined;
  let folder: string | undefined;
  try {
    folder = mkdtempSync(prefix);
    acquireLock(join(folder, LOCK));
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
