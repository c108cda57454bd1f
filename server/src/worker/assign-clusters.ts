// Assigns new reasons to clusters (CT4), each in a transaction of its own.
import { type ClusterServices, assignCluster, waitingReasons } from '../db/learnings/assign-cluster.ts';
import type { Database } from '../db/database.ts';
import type { Next } from './loop.ts';
import { runEach } from './row-by-row.ts';

/** Maximum number of reasons assigned per run before yielding to others. */
const BATCH_SIZE = 200;

/**
 * One run: the reasons that have waited longest. Several workers may run it concurrently, and any of them may crash:
 * each reason is assigned once. A failing reason does not block the others. Errors: the first one of those failures.
 */
export async function assignClustersOnce(
  services: ClusterServices & { db: Database },
  batchSize = BATCH_SIZE,
): Promise<Next> {
  const count = await runEach(
    batchSize,
    (part) => services.db.read((em) => waitingReasons(em, part)),
    (variantId) => services.db.write((tx) => assignCluster(services, tx, variantId)),
  );
  return { again: count === batchSize };
}
