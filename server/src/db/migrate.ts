// Migrates the schema at start, once among all processes, beside the previous version; only checks it for a command.
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { connect } from './connection/connect.ts';
import type { DatabaseTarget, Orm } from './orm.ts';

/** Any fixed number: the advisory lock of the one process that migrates. */
const MIGRATION_LOCK = 7_202_611_201;
/** Polling interval for the lock, and the retry delay of a change that found its table locked, in milliseconds. */
const ASK_MS = 200;
const AGAIN_MS = 500;
/** A table that is locked for this long, in milliseconds, needs the attention of an operator. */
const PATIENCE_MS = 300_000;
/** PostgreSQL's `lock_not_available` and `deadlock_detected`: another session held a lock that the change needed. */
const BUSY: readonly unknown[] = ['55P03', '40P01'];

/**
 * Runs the missing migrations, if any, under an advisory lock, on a dedicated connection. Migrations that are unknown here, as
 * after a rollback to an older version, are left alone. Errors: a change that fails, or that found its table locked for
 * five minutes; earlier changes remain applied.
 */
export async function migrate(
  orm: Orm,
  { connection }: Pick<DatabaseTarget, 'connection'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const client = await connect(connection);
  try {
    if ((await stateOf(client, orm)) === 'current') return;
    await takeTurn(client);
    await whenNotBusy(() => orm.migrator.up(), performance.now() + patienceMs);
  } finally {
    await client.end();
  }
}

/** How many of the migrations that this version knows are in a database: none, some or all. */
type SchemaState = 'missing' | 'older' | 'current';

/** A schema that this version cannot work with unless it is migrated. */
export class SchemaError extends Error {
  readonly state: Exclude<SchemaState, 'current'>;

  constructor(state: Exclude<SchemaState, 'current'>) {
    super(`the schema is ${state}`);
    this.state = state;
  }
}

/** Changes nothing. A schema of a newer version is accepted. Errors: `SchemaError`. */
export async function requireSchema(orm: Orm, { connection }: Pick<DatabaseTarget, 'connection'>): Promise<void> {
  const client = await connect(connection);
  try {
    const state = await stateOf(client, orm);
    if (state !== 'current') throw new SchemaError(state);
  } finally {
    await client.end();
  }
}

/** Most starts find nothing to do: asking the migrator takes longer than the rest of their work on the database. */
async function stateOf(client: pg.Client, orm: Orm): Promise<SchemaState> {
  const { rows: tables } = await client.query(`select from pg_class where oid = to_regclass('mikro_orm_migrations')`);
  if (tables.length === 0) return 'missing';
  const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const known = orm.config.get('migrations').migrationsList ?? [];
  if (known.every(({ name }) => applied.has(name))) return 'current';
  // Another program may have a table of the same name.
  return known.some(({ name }) => applied.has(name)) ? 'older' : 'missing';
}

/**
 * Polls instead of waiting in the database: a concurrent index build waits for every statement that began before it,
 * and would deadlock with one that waits for its end.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  const ask = () => client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
  while (!(await ask()).rows[0]?.taken) await delay(ASK_MS);
}

async function whenNotBusy(up: () => Promise<unknown>, until: number): Promise<void> {
  for (;;) {
    try {
      return void (await up());
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      await delay(AGAIN_MS);
    }
  }
}

const isBusy = (error: unknown): boolean => error instanceof Error && 'code' in error && BUSY.includes(error.code);
