// Brings the schema up to date at start: once, however many processes start together.
import pg from 'pg';
import type { DatabaseTarget, Orm } from './orm.ts';

/** Any fixed number: the advisory lock that lets one process migrate while the others wait. */
const MIGRATION_LOCK = 7_202_611_201;

/** Runs the missing migrations. On PostgreSQL under an advisory lock, held by a connection of its own. */
export async function migrate(orm: Orm, target: DatabaseTarget): Promise<void> {
  if (target.kind !== 'postgres') return up(orm);
  const client = new pg.Client({ connectionString: target.url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await up(orm);
  } finally {
    await client.end();
  }
}

async function up(orm: Orm): Promise<void> {
  await orm.migrator.up();
}
