// A lock file that names the process with exclusive use. One of a dead process or in a copied folder is taken over.
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAt, type Place, placeOf } from './place.ts';

/** Other processes may be removing the same stale lock: that takes a moment, or they get the folder. */
const TRIES = 20;
const PAUSE_MS = 10;
/** The number of processes that may have died while removing the same lock, one after the other. */
const MAX_RECOVERIES = 8;

interface Owner {
  pid: number;
  /** Distinguishes a process from a later one with the same PID (Linux: start time in clock ticks since boot). */
  born: string;
  /** The folder of the lock file: a copy of the folder is not locked. Absent in locks of earlier versions. */
  place?: Place;
  /** What the process is, for others that find the lock. */
  use?: string;
}

/** `release` unlocks; `heldBy` is the live process that has the lock, and `use` what it said it is. */
export type LockResult = { release: () => void } | { heldBy: number; use?: string };

/**
 * Acquires the lock at this path, unless a live process has it. Throws file system errors if no lock file can be
 * created.
 */
export function acquireLock(path: string, use?: string): LockResult {
  const place = placeOf(dirname(path));
  const mine = JSON.stringify({ pid: process.pid, born: bornAt(process.pid), place, use } satisfies Owner);
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) pause();
    if (createLockFile(path, mine)) return { release: () => release(path, mine) };
    const held = textOf(path) ?? '';
    if (isHeld(held, path)) return holderOf(held);
    clearStale(path, mine);
  }
  return holderOf(textOf(path) ?? '');
}

/** After a rename of the folder, another process may have a lock at its old path. */
function release(path: string, mine: string): void {
  if (textOf(path) === mine) rmSync(path, { force: true });
}

function holderOf(text: string): LockResult {
  const { pid = 0, use } = parseOwner(text) ?? {};
  return { heldBy: pid, use };
}

/** Whether a live process has the lock at this path. */
export const isLocked = (path: string): boolean => isHeld(textOf(path) ?? '', path);

/** Creates the lock file atomically: a hard link to a complete file cannot be read half-written. */
function createLockFile(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, content);
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lock of a dead process. Several processes may find it at once: one that acquires a lock on that very
 * owner may remove it, after checking that it still exists. A live lock is never moved, so nobody loses theirs. A
 * process that dies halfway leaves a stale lock like any other.
 */
function clearStale(path: string, mine: string, depth = 0): void {
  const stale = textOf(path);
  // Decided by the current content: a live process may have acquired it since the last check.
  if (stale === null || isHeld(stale, path) || depth > MAX_RECOVERIES) return;
  const recoveryPath = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`;
  if (createLockFile(recoveryPath, mine)) {
    if (textOf(path) === stale) rmSync(path, { force: true });
    rmSync(recoveryPath, { force: true });
    return;
  }
  clearStale(recoveryPath, mine, depth + 1);
}

/** Only a start waits here, before anything else runs. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parseOwner(text: string): Owner | null {
  try {
    return JSON.parse(text) as Owner | null;
  } catch {
    return null;
  }
}

function isHeld(text: string, path: string): boolean {
  const owner = parseOwner(text);
  if (owner === null || !isAlive(owner)) return false;
  return owner.place === undefined || isAt(dirname(path), owner.place);
}

const isAlive = (owner: Owner): boolean => isRunning(owner.pid) && bornAt(owner.pid) === owner.born;

/**
 * Whether a process with this PID runs. A zombie does not: it has ended and waits for its parent, which the first
 * process of a container may reap late or never.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !['Z', 'X'].includes(statOf(pid)[STATE] ?? '');
}

/** Linux only; 0 elsewhere. */
export const parentOf = (pid: number): number => Number(statOf(pid)[PARENT] ?? 0);

const bornAt = (pid: number): string => statOf(pid)[STARTED] ?? '';

/** Index into the fields of `/proc/PID/stat` from the third on, the state; the name before it may contain anything. */
const STATE = 0;
const PARENT = 1;
const STARTED = 19;

/** Linux only; empty elsewhere. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
