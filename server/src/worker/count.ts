// Counts ledgers that reach further than their rollups: those from before the rollups, and what a relay of an older version stamps.
import { countPortion } from '../analytics/count-facts.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Counts a portion of one ledger. Several workers may run it at once: each takes another project, or none. */
export async function countOnce({ db, log }: Services, portion?: number): Promise<Next> {
  const progress = await db.write(({ em }) => countPortion(em, { portion }));
  if (progress === null) return {};
  const { projectId, counted, head } = progress;
  if (counted === head) log.info({ project: projectId, counted }, 'a ledger is counted');
  return { again: true };
}
