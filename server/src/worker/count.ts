// Adds to the rollups what the ledgers say beyond them: soon after it has its number, and on nobody's way.
import { countBatch, MAX_LOGS } from '../analytics/count-events.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Counts a portion. Several workers may run it at once: what both have read one of them adds. */
export async function countOnce({ db }: Services, batchSize?: number): Promise<Next> {
  const progress = await db.write(({ em }) => countBatch(em, { batchSize }));
  // As many as share in a portion: there may be others, which were less behind.
  return { again: progress.length === MAX_LOGS || progress.some(({ counted, head }) => counted < head) };
}
