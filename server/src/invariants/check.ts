// The interface of the read-only invariant checks: each returns how many rows it examined, and reports what is wrong.
import type { Em } from '../db/orm.ts';

/** Runs `work` in a snapshot, without locks on the service. */
export type Read = <T>(work: (em: Em) => Promise<T>) => Promise<T>;

export interface Fault {
  /** The number of the invariant or rule in `docs/RULES.md`. */
  rule: string;
  /** What is wrong, with the ids to look it up. */
  says: string;
}

export interface Check {
  /** What it examines. */
  of: 'items' | 'idempotency keys' | 'events' | 'deliveries' | 'ends of items' | 'answers' | 'figures';
  rules: string[];
  /** `onProgress` gets the number of rows examined so far. Returns how many there were. */
  run: (read: Read, report: (fault: Fault) => void, onProgress: (examined: number) => void) => Promise<number>;
}

/** Calls `page` with the last id of the page before until a page is empty. Returns how many rows there were in all. */
export async function byPages<Row extends { id: string }>(
  page: (after: string) => Promise<Row[]>,
  each: (row: Row) => void,
  onProgress: (examined: number) => void,
): Promise<number> {
  let examined = 0;
  for (let after = NO_ID; ;) {
    const rows = await page(after);
    rows.forEach(each);
    examined += rows.length;
    onProgress(examined);
    const last = rows.at(-1);
    if (last === undefined) return examined;
    after = last.id;
  }
}

/** Sorts before every id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';
