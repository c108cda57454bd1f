// Reads the time by which stored data expires: that of the database, which every process shares.
import type { Em } from './orm.ts';
import { rawQuery } from './raw-query.ts';

/** By `deadline_clock()` (DL4). The clock of a process may be wrong, and what it deletes is lost. */
export async function databaseTime(em: Em): Promise<Date> {
  const [row] = await rawQuery<{ ms: number }>(
    em,
    'select (extract(epoch from deadline_clock()) * 1000)::float8 as ms',
    [],
  );
  if (row === undefined) throw new Error('The database told no time.');
  return new Date(row.ms);
}
