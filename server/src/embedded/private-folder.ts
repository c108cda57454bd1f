// Creates a private folder for one run of the server, with a path short enough for a Unix socket.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import { giveTo, type Identity, reaches } from './identity.ts';

/** A socket path has at most 107 bytes on Linux and 103 on macOS. */
const LONGEST = 103;
const SOCKET = '/.s.PGSQL.5432';
const PREFIX = 'countersign-';
/** In postmaster.opts in the data folder: the arguments of the last start. */
const LAST_RUN_FOLDER = new RegExp(`"unix_socket_directories=(/[^"]*/${PREFIX}[A-Za-z0-9]{6})"`);
/** Alternatives if TMPDIR is too long or not accessible to the server's user. */
const ELSEWHERE = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

/** Creates one for `identity`. Errors: `EmbeddedError` when there is no place for it. */
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
    `The embedded database needs a short folder for its socket, and cannot write to any of ${candidates.join(', ')}: set TMPDIR to one.`,
  );
}

/** Removes the folder of the last run if its process was killed. */
export function removeLastPrivateFolder(data: string): void {
  try {
    const folder = LAST_RUN_FOLDER.exec(readFileSync(join(data, 'postmaster.opts'), 'utf8'))?.[1];
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Without permission to remove it, it is left.
  }
}

function tryCreateIn(candidate: string): string | undefined {
  const prefix = join(candidate, PREFIX);
  const isTooLong = Buffer.byteLength(`${prefix}XXXXXX${SOCKET}`) > LONGEST;
  if (process.platform !== 'win32' && isTooLong) return undefined;
  try {
    return mkdtempSync(prefix);
  } catch {
    return undefined;
  }
}
