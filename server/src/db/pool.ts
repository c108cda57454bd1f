// What the ORM's pool of connections does beyond lending them: broken ones make room, each session is told its settings, and planned
// statements are sent by name.
import type { Pool, PoolClient } from 'pg';
import { planNameOf } from './planned.ts';
import { keepStatementLimit } from './statement-limit.ts';

/** How many connections there are, how many of them nobody uses, and how many wait for one. */
export interface Connections {
  total: number;
  idle: number;
  waiting: number;
}

export const connectionsOf = ({ totalCount, idleCount, waitingCount }: Pool): Connections => {
  return { total: totalCount, idle: idleCount, waiting: waitingCount };
};

/** All of it, for the pool of the ORM. `settings`: the statements that begin each session (DB2). */
export function equipPool(pool: Pool, settings: string): void {
  freeBrokenConnections(pool);
  // One that cannot be told so fails at its first statement, which says why.
  pool.on('connect', (client: PoolClient) => void client.query(settings).catch(() => undefined));
  pool.on('connect', sendByName);
  keepStatementLimit(pool);
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
