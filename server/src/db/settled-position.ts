// Determines up to which position the event log is complete: an event gets its position before its transaction commits.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.ts';
import { rawQuery } from './raw-query.ts';

/** How long to wait before the open transactions are looked at again, in milliseconds. */
const POLL_MS = 20;

/** Every transaction that has appended, changed or deleted an event holds this lock until it ends. */
const WRITERS = `
  select l.virtualtransaction as writer from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'relation' and l.relation = 'event'::regclass
    and l.mode = 'RowExclusiveLock' and l.granted`;

/**
 * Waits for the transactions that are writing to the event log, and returns a position: no event up to it commits later. New
 * transactions are not held up. Looks again at most `tries` times, and returns null if some are still open then.
 */
export async function settledPosition({ read }: Pick<Database, 'read'>, tries = Infinity): Promise<number | null> {
  // The position first: a transaction that took one up to it is found among the writers, or has ended.
  const [newest] = await read((em) =>
    rawQuery<{ position: string | null }>(em, 'select max(position) as position from event', []),
  );
  const writers = async () =>
    (await read((em) => rawQuery<{ writer: string }>(em, WRITERS, []))).map(({ writer }) => writer);
  let open = await writers();
  for (let left = tries; open.length > 0 && left > 0; left -= 1) {
    await delay(POLL_MS);
    const now = new Set(await writers());
    open = open.filter((writer) => now.has(writer));
  }
  return open.length > 0 ? null : Number(newest?.position ?? 0);
}
