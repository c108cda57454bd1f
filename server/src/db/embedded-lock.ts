// One process per data folder. PGlite takes no lock of its own: two processes on one folder lose rows silently.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown when another live process holds the folder; the message says what to do. */
export class FolderInUse extends Error {}

interface Owner {
  pid: number;
  /** Tells a process from a later one with the same pid (Linux: start time in clock ticks since boot). */
  born: string;
}

/**
 * Takes the folder or throws `FolderInUse`. A lock left by a process that died (kill -9) is taken over.
 * @returns a function that gives the folder back.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'countersign.lock');
  const mine = JSON.stringify({ pid: process.pid, born: bornAt(process.pid) } satisfies Owner);
  for (let tries = 0; tries < 5; tries += 1) {
    if (place(path, mine)) return () => rmSync(path, { force: true });
    const held = read(path);
    if (held !== null && isAlive(held)) throw new FolderInUse(inUse(folder, held.pid));
    clearStale(path);
  }
  throw new FolderInUse(inUse(folder, read(path)?.pid ?? 0));
}

/** Creates the lock file whole or not at all: a hard link to a finished file cannot be read half-written. */
function place(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** Moves a dead owner's lock away; if a live one slipped in meanwhile, puts that back. */
function clearStale(path: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = read(aside);
  if (moved !== null && isAlive(moved)) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

function read(path: string): Owner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return bornAt(owner.pid) === owner.born;
}

function bornAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function inUse(folder: string, pid: number): string {
  return `The data folder ${folder} is in use by process ${pid}: stop that process, choose another DATA_DIR, or set DATABASE_URL to run several processes on one PostgreSQL.`;
}
