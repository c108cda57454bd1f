// Gives reasons their clusters (CT4), each in a transaction of its own, after the decisions that gave them.
import { type ClusterServices, assignCluster, waitingReasons } from '../db/learnings/assign-cluster.ts';
import type { Database } from '../db/database.ts';
import type { Next } from './loop.ts';

/** Reasons that are placed at most before others get their turn. */
const BATCH_SIZE = 200;

/**
 * One run: the reasons that have waited longest. Several workers may run it at once, and any of them may die at any time: a reason
 * is placed once. One that fails keeps no other from its place. Errors: whatever the first of those failed by.
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
