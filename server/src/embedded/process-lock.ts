// A file that says which process has something to itself. What a process leaves that died (kill -9) is taken over.
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Others may be taking the same dead lock away: it is over in a moment, or they have the folder. */
const TRIES = 20;
const PAUSE_MS = 10;
/** So many may have died, one after the other, while they took the same lock away. */
const MAX_RECOVERIES = 8;

interface Owner {
  pid: number;
  /** Tells a process from a later one with the same pid (Linux: start time in clock ticks since boot). */
  born: string;
}

/** The function gives the lock back; `heldBy` is the live process that has it. */
export type LockResult = { release: () => void } | { heldBy: number };

/** Takes the lock at this path, unless a live process has it. Throws what the file system says where none can be placed. */
export function acquireLock(path: string): LockResult {
  const mine = JSON.stringify({ pid: process.pid, born: bornAt(process.pid) } satisfies Owner);
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) pause();
    if (createLockFile(path, mine)) return { release: () => rmSync(path, { force: true }) };
    const held = textOf(path) ?? '';
    if (isHeld(held)) return { heldBy: parseOwner(held)?.pid ?? 0 };
    clearStale(path, mine);
  }
  return { heldBy: parseOwner(textOf(path) ?? '')?.pid ?? 0 };
}

/** Creates the lock file whole or not at all: a hard link to a finished file cannot be read half-written. */
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
 * Takes a dead owner's lock away. Several may find it at once: whoever places a lock of its own on that very owner may, and looks
 * once more whether it is still there. A live lock is never moved, so nobody loses theirs. Whoever dies in the middle leaves a
 * lock that is dead like any other.
 */
function clearStale(path: string, mine: string, depth = 0): void {
  const stale = textOf(path);
  // Judged by what is about to go: a live one may have come since it was last looked at.
  if (stale === null || isHeld(stale) || depth > MAX_RECOVERIES) return;
  const recoveryPath = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`;
  if (createLockFile(recoveryPath, mine)) {
    if (textOf(path) === stale) rmSync(path, { force: true });
    rmSync(recoveryPath, { force: true });
    return;
  }
  clearStale(recoveryPath, mine, depth + 1);
}

/** A start waits here at most, before anything else runs. */
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

function isHeld(text: string): boolean {
  const owner = parseOwner(text);
  return owner !== null && isAlive(owner);
}

const isAlive = (owner: Owner): boolean => isRunning(owner.pid) && bornAt(owner.pid) === owner.born;

/**
 * Whether a process with this id runs. A zombie does not: it has ended, and only waits for its parent to notice, which the first
 * process of a container may do late or never.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !['Z', 'X'].includes(statOf(pid)[STATE] ?? '');
}

const bornAt = (pid: number): string => statOf(pid)[STARTED] ?? '';

/** Fields of `/proc/PID/stat` from the third on, which is the state; the name before them may hold anything. */
const STATE = 0;
const STARTED = 19;

/** Linux only; elsewhere there are no fields. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
