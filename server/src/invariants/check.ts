// The invariants that can be read from a database, as questions that change nothing: each answers what it looked at and what is wrong.
import type { Em } from '../db/orm.ts';

/** Each piece of work sees one moment, and the service waits for none of them. */
export type Read = <T>(work: (em: Em) => Promise<T>) => Promise<T>;

export interface Fault {
  /** The invariant's number in `docs/RULES.md`. */
  rule: string;
  /** What is wrong, with the ids one looks it up by. */
  says: string;
}

export interface Check {
  /** What it looks at. */
  of: 'items' | 'idempotency keys' | 'events' | 'deliveries' | 'final decisions' | 'figures';
  rules: string[];
  /** `onProgress` is told how many were looked at so far. Answers how many there were. */
  run: (read: Read, tell: (fault: Fault) => void, onProgress: (looked: number) => void) => Promise<number>;
}

/** Runs `page` with what the one before answered, until one answers nothing. Answers how many rows all of them had. */
export async function byPages<Row extends { id: string }>(
  page: (after: string) => Promise<Row[]>,
  each: (row: Row) => void,
  onProgress: (looked: number) => void,
): Promise<number> {
  let looked = 0;
  for (let after = NO_ID; ;) {
    const rows = await page(after);
    rows.forEach(each);
    looked += rows.length;
    onProgress(looked);
    const last = rows.at(-1);
    if (last === undefined) return looked;
    after = last.id;
  }
}

/** Comes before every id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';
