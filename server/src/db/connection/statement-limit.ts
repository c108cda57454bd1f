// How long a statement may take (DB1): a connection is told before the first statement that has another limit than its last one.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** What is run inside has this limit, in milliseconds; 0 is none. */
export const statementLimit = new AsyncLocalStorage<number>();

type Query = (...asked: unknown[]) => unknown;

/** Makes every connection of this pool keep the limit of whoever uses it. Most use it with the limit it has, and wait for nothing. */
export function applyStatementLimit(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as unknown as Query;
    let current = 0;
    const limited: Query = (...asked) => {
      const wanted = statementLimit.getStore() ?? 0;
      if (wanted === current) return query(...asked);
      current = wanted;
      const settingChanged = query(`set statement_timeout = ${wanted}`) as Promise<unknown>;
      return settingChanged.then(
        () => query(...asked),
        (error: unknown) => {
          // Nobody knows what it has now: the next one tells it again.
          current = NaN;
          throw error;
        },
      );
    };
    client.query = limited as PoolClient['query'];
  });
}
