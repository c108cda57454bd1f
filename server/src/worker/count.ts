// Updates the rollups from the event logs, soon after events get their sequence numbers and outside of any request.
import { countBatch, MAX_LOGS } from '../analytics/count-events.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Counts a batch. Several workers may run it concurrently: events that both have read are added once. */
export async function countOnce({ db }: Services, batchSize?: number): Promise<Next> {
  const progress = await db.write(({ em }) => countBatch(em, { batchSize }));
  // The batch was full: there may be other logs, which were less behind.
  return { again: progress.length === MAX_LOGS || progress.some(({ counted, head }) => counted < head) };
}
