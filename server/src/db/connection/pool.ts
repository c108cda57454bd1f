// What the ORM's pool of connections does beyond lending them: broken ones make room, each session is told its settings, and planned
// statements are sent by name.
import type { ClientBase, ClientConfig, Pool, PoolClient } from 'pg';
import type { Connection } from './database-url.ts';
import { planNameOf } from './planned.ts';
import { applyStatementLimit } from './statement-limit.ts';

/** How many connections there are, how many of them nobody uses, and how many wait for one. */
export interface Connections {
  total: number;
  idle: number;
  waiting: number;
}

export const connectionsOf = ({ totalCount, idleCount, waitingCount }: Pool): Connections => {
  return { total: totalCount, idle: idleCount, waiting: waitingCount };
};

/** What a pool of these connections takes. */
interface PooledConnection extends ClientConfig {
  onConnect(client: ClientBase): Promise<unknown>;
}

/**
 * Each session is told its settings before anybody gets it (DB2). One that cannot be told them is ended, and whoever wanted it gets
 * the reason.
 */
export const pooled = (connection: Connection): PooledConnection => {
  return { ...connection.config(), onConnect: (client) => client.query(connection.settings) };
};

/** The rest of it, for the pool of the ORM. */
export function equipPool(pool: Pool): void {
  freeBrokenConnections(pool);
  pool.on('connect', sendByName);
  applyStatementLimit(pool);
}

/**
 * A connection that ends while somebody has it makes room for another one at once: Kysely keeps one for good when its BEGIN or
 * ROLLBACK fails, and a pool that lost every place that way answers nobody any more.
 */
function freeBrokenConnections(pool: Pool): void {
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

type Query = (text: unknown, ...rest: unknown[]) => unknown;

/** Kysely names no statement: what is marked as planned gets its name here, on its way to the connection. */
function sendByName(client: PoolClient): void {
  const query = client.query.bind(client) as unknown as Query;
  const named: Query = (text, values, ...rest) => {
    const name = typeof text === 'string' ? planNameOf(text) : undefined;
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  };
  client.query = named as PoolClient['query'];
}
