// The log of the embedded PostgreSQL: a file beside its data, whose last lines are shown when a start fails.
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

const LARGEST_BYTES = 5_000_000;
const LINES = 12;

export interface ServerLog {
  readonly path: string;
  /** To hand to the server as its output; it stays open. */
  readonly descriptor: number;
  /** The last lines since this start. */
  lastLines(): string;
  close(): void;
}

/** Opens it to be added to. One that grew large becomes `PATH.1`, and a new one begins. */
export function openServerLog(path: string): ServerLog {
  if (existsSync(path) && statSync(path).size > LARGEST_BYTES) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, 'a', 0o600);
  const before = statSync(path).size;
  return {
    path,
    descriptor,
    lastLines: () =>
      readFileSync(path).subarray(before).toString('utf8').trimEnd().split('\n').slice(-LINES).join('\n'),
    close: () => closeSync(descriptor),
  };
}
