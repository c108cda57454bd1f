// The log file of the embedded PostgreSQL next to its data; its last lines are shown when a start fails.
import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';

const LARGEST_BYTES = 5_000_000;
const LINES = 12;
/** Enough for twelve lines. */
const TAIL_BYTES = 16_384;

export interface ServerLog {
  readonly path: string;
  /** For a program to use as its output. */
  readonly descriptor: number;
  /** Starts the log of one run; a large file is renamed to `PATH.1`. */
  begin(): void;
  add(line: string): void;
  /** The last lines since the run started. */
  lastLines(): string;
  close(): void;
}

/** Opens the log for appending. */
export function openServerLog(path: string, largestBytes = LARGEST_BYTES): ServerLog {
  let descriptor = openSync(path, 'a+', 0o600);
  let begun = fstatSync(descriptor).size;
  return {
    path,
    get descriptor() {
      return descriptor;
    },
    begin: () => {
      if (existsSync(path) && statSync(path).size > largestBytes) {
        renameSync(path, `${path}.1`);
        closeSync(descriptor);
        descriptor = openSync(path, 'a+', 0o600);
      }
      begun = fstatSync(descriptor).size;
    },
    add: (line) => void writeSync(descriptor, `${line}\n`),
    lastLines: () => tailOf(descriptor, begun).trimEnd().split('\n').slice(-LINES).join('\n'),
    close: () => closeSync(descriptor),
  };
}

function tailOf(descriptor: number, begun: number): string {
  const { size } = fstatSync(descriptor);
  const tail = Buffer.alloc(Math.max(0, Math.min(size - begun, TAIL_BYTES)));
  return tail.toString('utf8', 0, readSync(descriptor, tail, 0, tail.length, size - tail.length));
}
