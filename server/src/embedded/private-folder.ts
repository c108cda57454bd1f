// A folder for one run of the server that nobody else can enter, with a path that is short enough for a Unix socket.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import { giveTo, type Identity, reaches } from './identity.ts';

/** A socket's path may have 107 bytes on Linux and 103 on macOS. */
const LONGEST = 103;
const SOCKET = '/.s.PGSQL.5432';
const PREFIX = 'countersign-';
/** In postmaster.opts, which stays in the data folder: how the server was started last. */
const LAST_RUN_FOLDER = new RegExp(`"unix_socket_directories=(/[^"]*/${PREFIX}[A-Za-z0-9]{6})"`);
/** Where else one may write, if TMPDIR is too long or closed to the server's user. */
const ELSEWHERE = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

/** Makes one for `identity`. Errors: `EmbeddedError`, when there is no place for it. */
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
    `The embedded database needs a short folder to put its socket in, and can write to none of ${candidates.join(', ')}: set TMPDIR to one.`,
  );
}

/** Removes the folder of the last run, which a process that was killed has left. */
export function removeLastPrivateFolder(data: string): void {
  try {
    const folder = LAST_RUN_FOLDER.exec(readFileSync(join(data, 'postmaster.opts'), 'utf8'))?.[1];
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Whoever may not remove it leaves it.
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
