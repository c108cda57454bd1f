// Gives broken connections back to their pool. Kysely keeps one for good when its BEGIN or ROLLBACK fails, and a pool that lost every place that way answers nobody any more.
import type { Pool, PoolClient } from 'pg';

/** For the pool of the ORM: a connection that ends while somebody has it makes room for another one at once. */
export function freeBrokenConnections(pool: Pool): void {
  const held = new Set<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error: unknown, client: PoolClient) => held.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!held.has(client)) return;
      client.release(true);
      // Whoever had it may still give it back: the pool would throw.
      client.release = () => undefined;
    });
  });
}
