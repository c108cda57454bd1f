// Tests that database sessions have the same settings under every default of their role and database (DB2).
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectTo, connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';
import { connect } from '../../../src/db/connection/connect.ts';
import { createDatabase } from '../../../src/db/database.ts';
import { readDatabaseUrl } from '../../../src/db/connection/database-url.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openOrm } from '../../../src/db/orm.ts';
import { connectionsOf } from '../../../src/db/connection/pool.ts';
import { openSignals } from '../../../src/db/connection/signals.ts';
import { emptyDatabase, type OwnDatabase } from '../../fixtures/test-database.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
/** Sends a query below the spies of a test. */
const send = pg.Client.prototype.query as (this: pg.Client, text: string, values?: unknown[]) => Promise<unknown>;
const ROLE = `countersign_odd_${randomBytes(6).toString('hex')}`;

/** Settings that operators and tools give to a role or a database. */
const ODD: Record<string, string> = {
  DateStyle: `'German, DMY'`,
  IntervalStyle: `'sql_standard'`,
  TimeZone: `'Asia/Kathmandu'`,
  default_transaction_isolation: `'serializable'`,
  standard_conforming_strings: 'off',
  extra_float_digits: '-15',
  bytea_output: `'escape'`,
  transform_null_equals: 'on',
  statement_timeout: `'200ms'`,
  lock_timeout: `'200ms'`,
  idle_session_timeout: `'200ms'`,
  synchronous_commit: 'off',
  search_path: 'elsewhere, public',
  jit: 'on',
};
const SHOWN = `select name, setting from pg_settings where name = any($1) order by name`;

let database: OwnDatabase;
let url: string;

/** As the database's superuser. */
async function order(...texts: string[]): Promise<void> {
  const client = await connectTo(database.url);
  for (const text of texts) await client.query(text);
  await client.end();
}

beforeAll(async () => {
  database = await emptyDatabase();
  url = Object.assign(new URL(database.url), { username: ROLE, password: 'odd' }).href;
  await order(
    `create role ${ROLE} login password 'odd'`,
    `grant all on schema public to ${ROLE}`,
    `create schema elsewhere authorization ${ROLE}`,
    `grant create on database ${new URL(url).pathname.slice(1)} to ${ROLE}`,
    ...Object.entries(ODD).map(([name, value]) => `alter role ${ROLE} set ${name} = ${value}`),
  );
});
afterAll(async () => {
  await order(`drop owned by ${ROLE}`, `drop role ${ROLE}`);
  await database.remove();
});

describe('DB2: a role with defaults of its own', () => {
  it('uses them in no session of the service: pool, listener, migrations and commands', async () => {
    const connection = await connectionTo(url);
    const orm = await openOrm({ connection, poolSize: 2 });
    await migrate(orm, { connection });
    const names = [...Object.keys(ODD).filter((name) => name !== 'search_path'), 'search_path'];
    const single = await connect(connection);
    const { rows } = await single.query<{ name: string; setting: string }>(SHOWN, [names]);
    await single.end();
    const shown = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    expect(shown).toEqual({
      DateStyle: 'ISO, MDY',
      IntervalStyle: 'postgres',
      TimeZone: 'UTC',
      default_transaction_isolation: 'read committed',
      standard_conforming_strings: 'on',
      extra_float_digits: '1',
      bytea_output: 'hex',
      transform_null_equals: 'off',
      statement_timeout: '0',
      lock_timeout: '0',
      idle_session_timeout: '0',
      synchronous_commit: 'on',
      search_path: '"$user", public',
      jit: 'off',
    });
    const db = createDatabase(orm, inside.services);
    const listed = names.map((name) => `'${name}'`).join(', ');
    const pooled = await db.read((em) =>
      em.execute<{ name: string; setting: string }[]>(
        `select name, setting from pg_settings where name in (${listed})`,
      ),
    );
    expect(Object.fromEntries(pooled.map(({ name, setting }) => [name, setting]))).toEqual(shown);
    // Values read under them mean the same: a time with its zone, and a number to its last digit.
    const [read] = await db.read((em) =>
      em.execute<object[]>(
        `select '2026-11-20T10:00:00Z'::timestamptz::text as at, (0.1::float8 + 0.2::float8)::text as sum`,
      ),
    );
    expect(read).toEqual({ at: '2026-11-20 10:00:00+00', sum: '0.30000000000000004' });
    await orm.close();
  });

  it('a role with defaults of its own that overrides our settings gets no usable session: each is ended, with the reason for the caller', async () => {
    const connection = { ...(await connectionTo(url)), settings: `set no_such_setting = 'on'` };
    let connections = () => ({ total: -1, idle: -1, waiting: -1 });
    const orm = await openOrm({ connection, poolSize: 1 }, (pool) => (connections = () => connectionsOf(pool)));
    const asked = () => orm.em.fork().execute('select 1 as one');
    for (let n = 0; n < 2; n += 1) await expect(asked()).rejects.toThrow(/no_such_setting/);
    expect(connections()).toEqual({ total: 0, idle: 0, waiting: 0 });
    await orm.close();
  });

  it('does not use them in the listening session, which stays open', async () => {
    const lost: unknown[] = [];
    const signals = openSignals(await connectionTo(url), { onError: (error) => lost.push(error) });
    await signals.announce('countersign odd');
    const [{ config }] = readDatabaseUrl(`${url}?sslmode=disable`);
    const withoutSettings = new pg.Client(config());
    const ended = new Promise((resolve) => withoutSettings.once('end', resolve));
    withoutSettings.on('error', () => undefined);
    await withoutSettings.connect();
    await ended;
    const client = await connectTo(database.url);
    const { rows } = await client.query('select application_name as name from pg_stat_activity where usename = $1', [
      ROLE,
    ]);
    expect([rows, lost]).toEqual([[{ name: 'countersign odd' }], []]);
    await client.end();
    await signals.close();
  });

  it('DB3: whose tables only its search path names is refused, with what to add', async () => {
    await order(
      'create schema apart',
      'create table apart.mikro_orm_migrations ()',
      `grant usage on schema apart to ${ROLE}`,
    );
    await order(`alter role ${ROLE} set search_path = apart`);
    await expect(connectionTo(url)).rejects.toThrow(
      /tables are in the schema apart.*add options=-c%20search_path%3Dapart/,
    );
    const chosen = await connectionTo(`${url}?options=-c%20search_path%3Dapart`);
    const client = await connect(chosen);
    expect((await client.query('show search_path')).rows).toEqual([{ search_path: 'apart' }]);
    await client.end();
  });
});

describe('DB3: a process that starts beside another one on an empty database', () => {
  it('takes the tables that the other one just created for its own', async () => {
    const empty = await emptyDatabase();
    const other = await connectTo(empty.url);
    const lookedFor: string[] = [];
    // The other process creates its tables once this one has looked for them the first time.
    const query = async (client: pg.Client, text: string, values?: unknown[]) => {
      const answer: unknown = await send.call(client, text, values);
      if (!text.includes('to_regclass')) return answer;
      if (lookedFor.length === 0) await send.call(other, 'create table mikro_orm_migrations ()');
      lookedFor.push(text);
      return answer;
    };
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]): unknown {
      return query(this, ...(args as [string]));
    });
    await expect(connectionTo(empty.url).finally(() => vi.restoreAllMocks())).resolves.toBeDefined();
    expect(lookedFor).not.toEqual([]);
    await other.end();
    await empty.remove();
  });
});

describe('DB3: the query of a database URL', () => {
  it('applies to the sessions of the pool as to single ones', async () => {
    const [connection] = readDatabaseUrl(`${database.url}?sslmode=disable&application_name=odd`);
    const orm = await openOrm({ connection, poolSize: 1 });
    const named = await orm.em.execute('show application_name');
    expect(named).toEqual([{ application_name: 'odd' }]);
    await orm.close();
  });
});
