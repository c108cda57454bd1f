// The ORM's connection pool, with replaced broken connections, session settings and prepared statements.
import type { ClientBase, ClientConfig, Pool, PoolClient } from 'pg';
import type { Connection } from './database-url.ts';
import { planNameOf } from './planned.ts';
import { applyStatementLimit } from './statement-limit.ts';

/** The number of connections, of idle ones, and of requests waiting for one. */
export interface Connections {
  total: number;
  idle: number;
  waiting: number;
}

export const connectionsOf = ({ totalCount, idleCount, waitingCount }: Pool): Connections => {
  return { total: totalCount, idle: idleCount, waiting: waitingCount };
};

/** The options for a pool of these connections. */
export interface PooledConnection extends ClientConfig {
  onConnect(client: ClientBase): Promise<unknown>;
}

/**
 * Applies the settings to each session before its first use (DB2). A session that rejects them is closed, and the
 * request for it fails with the reason.
 */
export const pooled = (connection: Connection): PooledConnection => {
  return { ...connection.config(), onConnect: (client) => client.query(connection.settings) };
};

/** The remaining extensions, for the pool of the ORM. */
export function equipPool(pool: Pool): void {
  freeBrokenConnections(pool);
  pool.on('connect', sendByName);
  applyStatementLimit(pool);
}

/**
 * Replaces a connection that ends while in use: Kysely never releases one whose BEGIN or ROLLBACK fails, and a pool
 * that loses every slot that way stops working.
 */
function freeBrokenConnections(pool: Pool): void {
  const held = new Set<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error: unknown, client: PoolClient) => held.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!held.has(client)) return;
      client.release(true);
      // Its user may still release it, which would make the pool throw.
      client.release = () => undefined;
    });
  });
}

type Query = (text: unknown, ...rest: unknown[]) => unknown;

/** Kysely sends statements without names: prepared ones get their name here. */
function sendByName(client: PoolClient): void {
  const query = client.query.bind(client) as unknown as Query;
  const named: Query = (text, values, ...rest) => {
    const name = typeof text === 'string' ? planNameOf(text) : undefined;
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  };
  client.query = named as PoolClient['query'];
}
