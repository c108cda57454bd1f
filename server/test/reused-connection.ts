// Runs a test's queries on one connection: opening one costs PostgreSQL and the test 14 ms of a processor.
import type pg from 'pg';
import { connectTo } from '../../scripts/lib/processes/postgres-client.ts';

export interface ReusedConnection {
  query<T>(text: string, params?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

/**
 * Opens the connection with the first query, and again after it was lost. A query while another one runs gets a connection of its
 * own: the other may be waiting for it.
 */
export function reuseConnection(url: string): ReusedConnection {
  let idle: pg.Client | undefined;
  const open = async () => {
    const client = await connectTo(url);
    client.on('error', () => undefined);
    client.once('end', () => {
      if (idle === client) idle = undefined;
    });
    return client;
  };
  const take = () => {
    const client = idle;
    idle = undefined;
    return client ?? open();
  };
  return {
    query: async <T>(text: string, params: unknown[] = []) => {
      const client = await take();
      try {
        const { rows } = await client.query(text, params);
        if (idle === undefined) idle = client;
        return rows as T[];
      } finally {
        if (idle !== client) await client.end();
      }
    },
    close: async () => {
      await idle?.end();
    },
  };
}
