// Assigns reasons to clusters (CT4), each in a transaction of its own, after the decisions that gave them.
import { type ClusterServices, assignCluster, waitingReasons } from '../db/learnings/assign-cluster.ts';
import type { Database } from '../db/database.ts';
import type { Next } from './loop.ts';

/** Maximum number of reasons assigned per run before yielding to others. */
const BATCH_SIZE = 200;

/**
 * One run: the reasons that have waited longest. Several workers may run it concurrently, and any of them may crash:
 * each reason is assigned once. A failing reason does not block the others. Errors: the first one of those failures.
 */
export async function assignClustersOnce(services: ClusterServices & { db: Database }): Promise<Next> {
  const waiting = await services.db.read((em) => waitingReasons(em, BATCH_SIZE));
  const failed: unknown[] = [];
  for (const variantId of waiting)
    await services.db
      .write((tx) => assignCluster(services, tx, variantId))
      .catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
  return { again: waiting.length === BATCH_SIZE };
}
