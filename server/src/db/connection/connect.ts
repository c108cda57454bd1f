// Opens single connections, and chooses between the ways to connect that a database URL allows.
import pg from 'pg';
import type { Connection, ConnectionCandidates } from './database-url.ts';
import { DatabaseUrlError } from './database-url-error.ts';

/** An open session with its settings applied (DB2). `more` is for the driver. Errors: those of the driver. */
export async function connect(connection: Connection, more: pg.ClientConfig = {}): Promise<pg.Client> {
  return begin(createClient(connection, more), connection);
}

/** A client that is not connected yet, for a caller that must listen from the start; `begin` connects it. */
export const createClient = (connection: Connection, more: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ ...connection.config(), ...more });

/** Connects the client and applies its settings. Errors: those of the driver; the client is closed then. */
export async function begin(client: pg.Client, { settings }: Connection): Promise<pg.Client> {
  await client.connect();
  await client.query(settings).catch(async (error: unknown) => {
    await client.end().catch(() => undefined);
    throw error;
  });
  return client;
}

/** How a connection is protected; `verified`: a trusted authority signed PostgreSQL's certificate. */
export type Encryption = { encrypted: false } | { encrypted: true; verified: boolean; tls: string; cipher: string };

/** As text for the log. */
export function protectionOf(encryption: Encryption): string {
  if (!encryption.encrypted) return 'not encrypted';
  return encryption.verified
    ? 'encrypted, and its certificate is verified'
    : 'encrypted, but its certificate is not verified';
}

export interface Chosen {
  connection: Connection;
  encryption: Encryption;
}

/**
 * Returns the first way to connect that PostgreSQL accepts, for every connection from then on: `sslmode=prefer` is
 * resolved once. Errors: `DatabaseUrlError` when the tables are in a schema outside the search path of our sessions,
 * otherwise those of the last way tried.
 */
export async function chooseConnection([first, ...others]: ConnectionCandidates): Promise<Chosen> {
  try {
    return await tryConnection(first);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || error instanceof DatabaseUrlError) throw error;
    return chooseConnection([next, ...rest]);
  }
}

async function tryConnection(connection: Connection): Promise<Chosen> {
  const client = await connect(connection);
  try {
    await refuseOtherSchema(client);
    return { connection, encryption: await encryptionOf(client, connection) };
  } finally {
    await client.end();
  }
}

async function encryptionOf(client: pg.Client, connection: Connection): Promise<Encryption> {
  const { ssl } = connection.config();
  // PostgreSQL may be behind a pooler with a TLS connection of its own.
  if (typeof ssl !== 'object') return { encrypted: false };
  const { rows } = await client.query<{ ssl: boolean; version: string; cipher: string }>(
    'select ssl, version, cipher from pg_stat_ssl where pid = pg_backend_pid()',
  );
  const [row] = rows;
  if (!row?.ssl) return { encrypted: false };
  return { encrypted: true, verified: ssl.rejectUnauthorized === true, tls: row.version, cipher: row.cipher };
}

/**
 * A service that does not find its tables would create new ones and appear empty. The schema of the role is read first: another
 * process may create the tables meanwhile, and they must then be in both answers or in ours alone.
 */
async function refuseOtherSchema(client: pg.Client): Promise<void> {
  await client.query('begin');
  // The search path that the session would have without our setting, until the end of this transaction.
  await client.query(`select set_config('search_path', reset_val, true) from pg_settings where name = 'search_path'`);
  const theirs = await schemaOf(client);
  await client.query('rollback');
  if (theirs === null || theirs === (await schemaOf(client))) return;
  throw new DatabaseUrlError(
    `its tables are in the schema ${theirs}, which only the search_path of the role or the database names; add options=-c%20search_path%3D${encodeURIComponent(theirs)} to it`,
  );
}

/** The schema in which this session finds the migrations table, or null. */
async function schemaOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ schema: string }>(
    'select relnamespace::regnamespace::text as schema from pg_class where oid = to_regclass($1)',
    ['mikro_orm_migrations'],
  );
  return rows[0]?.schema ?? null;
}
