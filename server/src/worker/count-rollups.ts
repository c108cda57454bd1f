// Counts new events into the rollups, in batches of one transaction each.
import { countBatch, isBehind, MAX_LOGS } from '../analytics/count-events.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Counts a batch. Several workers may run it concurrently: events that both have read are added once. */
export async function countOnce({ db }: Services, batchSize?: number): Promise<Next> {
  // Most runs end here, without a transaction.
  if (!(await db.read(isBehind))) return {};
  const progress = await db.write(({ em }) => countBatch(em, { batchSize }));
  // The batch was full: there may be other logs, which were less behind.
  return { again: progress.length === MAX_LOGS || progress.some(({ counted, head }) => counted < head) };
}
