// Runs a test's queries in one session that it keeps: opening one costs PostgreSQL and the test 14 ms of a processor.
import type pg from 'pg';
import { connectTo } from '../../scripts/lib/processes/postgres-client.ts';

export interface KeptSession {
  query<T>(text: string, params?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

/**
 * A query while another one runs gets a session of its own: the other may be waiting for it. A session that ended is replaced.
 */
export function keepSession(url: string): KeptSession {
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
