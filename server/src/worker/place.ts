// Gives reasons their clusters (CT4), each in a transaction of its own, after the decisions that gave them.
import { type Placing, placeReason, waitingReasons } from '../db/place-reason.ts';
import type { Database } from '../db/database.ts';
import type { Next } from './loop.ts';

/** Reasons that are placed at most before others get their turn. */
const PORTION = 200;

/**
 * One run: the reasons that have waited longest. Several workers may run it at once, and any of them may die at any time: a reason
 * is placed once. One that fails keeps no other from its place. Errors: whatever the first of those failed by.
 */
export async function placeOnce(services: Placing & { db: Database }): Promise<Next> {
  const waiting = await services.db.read((em) => waitingReasons(em, PORTION));
  const failed: unknown[] = [];
  for (const wordingId of waiting)
    await services.db.write((tx) => placeReason(services, tx, wordingId)).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
  return { again: waiting.length === PORTION };
}
