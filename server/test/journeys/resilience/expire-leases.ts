// Ends leases of claims and deliveries without waiting, by moving them into the past in the rows and the lock store.
import { createClient } from 'redis';
import { expect, vi } from 'vitest';
import { WITH_REDIS, type TestEnvironment } from '../../test-environment.ts';

/**
 * Ends the leases of these items' claims, as if their holders had been silent. Without Redis the process restarts, as its locks
 * are in memory.
 */
export async function endClaims(testEnv: TestEnvironment, itemIds: string[]): Promise<void> {
  if (!WITH_REDIS) await testEnv.kill9();
  await releaseLocks(itemIds);
  await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = any($1)`, [itemIds]);
  if (!WITH_REDIS) await testEnv.restart();
}

/** Lets a claim's lease end this many milliseconds from now, in the row and in Redis, as if never renewed; returns the time. */
export async function endClaimIn(testEnv: TestEnvironment, itemId: string, ms: number): Promise<Date> {
  const client = await createClient({ url: process.env.TEST_REDIS_URL ?? '' }).connect();
  await client.pExpire(`countersign:claim:${itemId}`, ms);
  await client.close();
  const [row] = await testEnv.sql<{ ends: Date }>(
    `update item set claim_expires_at = now() + make_interval(secs => $1) where id = $2 returning claim_expires_at as ends`,
    [ms / 1000, itemId],
  );
  if (row === undefined) throw new Error(`There is no item ${itemId}.`);
  return row.ends;
}

/** Ends every undo window that is open. */
export async function endUndoWindows(testEnv: Pick<TestEnvironment, 'sql'>): Promise<void> {
  await testEnv.sql('update decision set undo_until = now() where final_at is null');
}

async function releaseLocks(itemIds: string[]): Promise<void> {
  const { TEST_REDIS_URL: url } = process.env;
  if (url === undefined) return;
  const client = await createClient({ url }).connect();
  await client.del(itemIds.map((id) => `countersign:claim:${id}`));
  await client.close();
}

const SESSIONS = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

/** Ends the leases of deliveries whose worker is dead. For an environment whose processes are all down. */
export async function endDeliveryLeases(testEnv: TestEnvironment): Promise<void> {
  // A statement that was under way when its process was killed still completes, and may lease one.
  await vi.waitFor(async () => expect(await testEnv.sql(SESSIONS)).toEqual([]));
  await testEnv.sql(`update delivery set lease_until = now() - interval '1 second' where status = 'sending'`);
}

/** Ends the leases of deliveries whose worker is dead, beside running workers, which have had their response long ago. */
export async function endOldLeases(testEnv: Pick<TestEnvironment, 'sql'>): Promise<void> {
  await testEnv.sql(
    `update delivery set lease_until = now() - interval '1 second' where status = 'sending' and lease_until < now() + interval '57 seconds'`,
  );
}

/** Makes the item's failed webhook due now; waits until its failure is recorded. */
export async function endRetryWait(testEnv: Pick<TestEnvironment, 'sql'>, itemId: string): Promise<void> {
  const text = `update delivery set next_attempt_at = now() where item_id = $1 and status = 'pending' and attempt > 0 returning id`;
  await vi.waitFor(async () => expect(await testEnv.sql(text, [itemId])).toHaveLength(1));
}
