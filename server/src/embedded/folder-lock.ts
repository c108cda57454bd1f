// Locks a data folder for the one process of ours that starts and stops the PostgreSQL in it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import { acquireLock } from './process-lock.ts';

/** A service serves other processes until it is stopped; a command ends with its work. */
export type FolderUse = 'service' | 'command';

/** Thrown when another live process has locked the folder; the message says what to do. */
export class FolderInUse extends EmbeddedError {
  readonly pid: number;
  /** Whether that process is a command. Commands of earlier versions did not say so. */
  readonly byCommand: boolean;

  constructor(folder: string, { pid, use }: { pid: number; use: string | undefined }) {
    super(inUse(folder, pid));
    this.pid = pid;
    this.byCommand = use === ('command' satisfies FolderUse);
  }
}

/**
 * Locks the folder or throws `FolderInUse`. A lock of a dead process (kill -9) is taken over. @returns a function that
 * releases the folder. PostgreSQL has its own lock in its folder (postmaster.pid).
 */
export function lockFolder(folder: string, use: FolderUse = 'service'): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = acquireLock(join(folder, 'countersign.lock'), use);
  if ('heldBy' in lock) throw new FolderInUse(folder, { pid: lock.heldBy, use: lock.use });
  return lock.release;
}

function inUse(folder: string, pid: number): string {
  return `The data folder ${folder} is in use by process ${pid}: stop that process, choose another DATA_DIR, or set DATABASE_URL to run several processes on one PostgreSQL.`;
}
