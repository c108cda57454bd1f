// Connections to PostgreSQL for tests and benches, through the service's one parser of database URLs.
import pg from 'pg';
import { chooseConnection, connect } from '../../../server/src/db/connection/connect.ts';
import { type Connection, readDatabaseUrl } from '../../../server/src/db/connection/database-url.ts';
import { pooled } from '../../../server/src/db/connection/pool.ts';

/** How to connect to this address, as the service would. */
export const connectionTo = async (url: string): Promise<Connection> =>
  (await chooseConnection(readDatabaseUrl(url))).connection;

/** An open session. The caller must end it. */
export async function connectTo(url: string): Promise<pg.Client> {
  const [first, ...others] = readDatabaseUrl(url);
  return others.reduce((opening, way) => opening.catch(() => connect(way)), connect(first));
}

/** An address at which nothing listens. */
export const nowhere = (): Connection => readDatabaseUrl('postgres://nobody@127.0.0.1:1/none?sslmode=disable')[0];

/** A pool of at most this many sessions. The caller must end it. */
export async function poolTo(url: string, max: number): Promise<pg.Pool> {
  return new pg.Pool({ ...pooled(await connectionTo(url)), max });
}
