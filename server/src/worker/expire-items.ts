// Moves items whose deadline has passed (DL1, DL4), by the clock of the database.
import type { Services } from '../usecases/services.ts';
import { type HeldClaim, LockStoreDown } from '../claims/claim-lock.ts';
import { passDeadlines } from '../db/deadlines/pass-deadlines.ts';
import { rawQuery } from '../db/raw-query.ts';
import { type Next, secondsFromNow } from './loop.ts';
import { runBatch } from './row-by-row.ts';

/** How many items one run moves at most. */
export const BATCH = 200;

/** One batch; returns when the next deadline is. Several workers may run it concurrently: each row is moved once. */
export async function expireItemsOnce(services: Services): Promise<Next> {
  const next = await nextDeadline(services);
  // Most runs end here, without a transaction.
  if (next === null || next > 0) return { at: secondsFromNow(next) };
  const count = await runBatch(BATCH, async (part) => {
    const passed = await services.db.write((tx) => passDeadlines(tx, part));
    await release(services, passed.held);
    return passed.count;
  });
  return count === BATCH ? { again: true } : { at: secondsFromNow(await nextDeadline(services)) };
}

/** A lock that stays ends with its lease, and the fence protects the item until then. */
async function release({ claims }: Services, held: readonly HeldClaim[]): Promise<void> {
  try {
    for (const claim of held) await claims.release(claim);
  } catch (error) {
    if (!(error instanceof LockStoreDown)) throw error;
  }
}

/** The seconds until the next deadline; 0 or less when one has passed. */
export const NEXT_DEADLINE = `select extract(epoch from min(deadline) - deadline_clock())::float8 as seconds from item
  where deadline is not null and status in ('queued', 'escalated')`;

async function nextDeadline({ db }: Services): Promise<number | null> {
  const [row] = await db.read((em) => rawQuery<{ seconds: number | null }>(em, NEXT_DEADLINE, []));
  return row?.seconds ?? null;
}
