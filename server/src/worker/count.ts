// Adds to the rollups what the ledgers say beyond them: soon after it has its number, and on nobody's way.
import { countPortion, LEDGERS } from '../analytics/count-facts.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Counts a portion. Several workers may run it at once: what both have read one of them adds. */
export async function countOnce({ db }: Services, portion?: number): Promise<Next> {
  const progress = await db.write(({ em }) => countPortion(em, { portion }));
  // As many as share in a portion: there may be others, which were less behind.
  return { again: progress.length === LEDGERS || progress.some(({ counted, head }) => counted < head) };
}
