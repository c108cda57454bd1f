// Limits the duration of statements (DB1) by setting the timeout of a connection when the limit changes.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** The statement limit of the current async context in milliseconds; 0 means none. */
export const statementLimit = new AsyncLocalStorage<number>();

type Query = (...asked: unknown[]) => unknown;

/**
 * Makes every connection of this pool apply the limit of its current user. Usually the limit is unchanged and costs no
 * round trip.
 */
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
          // The current limit is unknown, so the next use sets it again.
          current = NaN;
          throw error;
        },
      );
    };
    client.query = limited as PoolClient['query'];
  });
}
