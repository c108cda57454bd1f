// Brings the schema up to date at start: once, however many processes start together, and beside those of the version before.
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { connect } from './connection/connect.ts';
import type { DatabaseTarget, Orm } from './orm.ts';

/** Any fixed number: the advisory lock that lets one process migrate while the others wait. */
const MIGRATION_LOCK = 7_202_611_201;
/** How often one asks whether it is its turn, and how soon a change that found its table busy is tried again, in milliseconds. */
const ASK_MS = 200;
const AGAIN_MS = 500;
/** A table that is busy for this long is held by something an operator has to look at, in milliseconds. */
const PATIENCE_MS = 300_000;
/** PostgreSQL's `lock_not_available`, and `deadlock_detected`: somebody held what was asked for and waited for what was held. */
const BUSY: readonly unknown[] = ['55P03', '40P01'];

/**
 * Runs the missing migrations, under an advisory lock, held by a connection of its own. Changes that others made and
 * that are not known here, as after a way back to an older version, are left alone. Errors: a change that fails, or that found its
 * table busy for five minutes; those before it stay made.
 */
export async function migrate(
  orm: Orm,
  { connection }: Pick<DatabaseTarget, 'connection'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const client = await connect(connection);
  try {
    await takeTurn(client);
    await whenNotBusy(() => orm.migrator.up(), performance.now() + patienceMs);
  } finally {
    await client.end();
  }
}

/**
 * Asks again and again instead of waiting in the database: an index that is built beside the service waits for every statement that
 * began before it, and would wait for one that waits for its end.
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
