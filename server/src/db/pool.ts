// What the ORM's pool of connections does beyond lending them: broken ones make room, nothing is compiled, and planned statements are
// sent by name.
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

/** All of it, for the pool of the ORM. */
export function equipPool(pool: Pool): void {
  freeBrokenConnections(pool);
  pool.on('connect', setUp);
  pool.on('connect', sendByName);
  keepStatementLimit(pool);
}

/**
 * PostgreSQL compiles a statement that it thinks will be dear, which takes 80 ms and more: longer than any of ours takes. And a
 * process that is frozen in the middle of a transaction holds its row locks: no transaction of ours waits for anything but the
 * database, so that one which is silent for so long is ended.
 */
const SET_UP = `set jit = off; set idle_in_transaction_session_timeout = '30s'`;

/** A connection that cannot be told so fails at its first statement, which says why. */
function setUp(client: PoolClient): void {
  client.query(SET_UP).catch(() => undefined);
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
