// Time that passes without waiting: a claim's or a delivery's lease is moved into the past, in the rows and in the lock store.
import { createClient } from 'redis';
import type { World } from '../world.ts';

/** Ends the leases of these items' claims, as if their holders had been silent. On PGlite the process restarts: its locks are its memory. */
export async function endClaims(world: World, itemIds: string[]): Promise<void> {
  if (world.database === 'pglite') await world.kill9();
  await dropLocks(itemIds);
  await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = any($1)`, [itemIds]);
  if (world.database === 'pglite') await world.restart();
}

async function dropLocks(itemIds: string[]): Promise<void> {
  const { TEST_REDIS_URL: url } = process.env;
  if (url === undefined) return;
  const client = await createClient({ url }).connect();
  await client.del(itemIds.map((id) => `countersign:claim:${id}`));
  await client.close();
}

/** Ends the leases of deliveries whose worker is gone. For a world whose processes are all down. */
export async function endDeliveryLeases(world: World): Promise<void> {
  await world.sql(`update delivery set lease_until = now() - interval '1 second' where status = 'sending'`);
}
