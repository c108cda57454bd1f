// Time for the demo's history: a clock per operation, which the statements of the same operation read too.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createMemoryClaimLock } from '../../../../server/src/claims/memory-claim-lock.ts';
import { createIds, type Clock } from '../../../../server/src/db/clock.ts';
import { createDatabase, type Database, type Tx } from '../../../../server/src/db/database.ts';
import type { Em } from '../../../../server/src/db/orm.ts';
import { planned } from '../../../../server/src/db/connection/planned.ts';
import { rawQuery } from '../../../../server/src/db/raw-query.ts';
import { createIntake } from '../../../../server/src/usecases/items/intake.ts';
import { createKeyCache } from '../../../../server/src/usecases/credentials/key-cache.ts';
import type { Services } from '../../../../server/src/usecases/services.ts';

export interface MovedTime extends Clock {
  /** Runs `work` at this time. Operations that run concurrently have times of their own. */
  at<T>(when: Date, work: () => Promise<T>): Promise<T>;
}

/** Outside of `at` it is the true time. */
export function movedTime(): MovedTime {
  const moved = new AsyncLocalStorage<Date>();
  return { now: () => moved.getStore() ?? new Date(), at: (when, work) => moved.run(when, work) };
}

/** While it exists, a transaction that puts it into its search path reads the time of its own setting from `now()`. */
const SCHEMA = 'countersign_demo';
const SETTING = `${SCHEMA}.now`;
const READ_SETTING = `returns timestamptz language sql stable as $$ select current_setting('${SETTING}')::timestamptz $$`;
const CREATE = [
  `create schema if not exists ${SCHEMA}`,
  `create or replace function ${SCHEMA}.now() ${READ_SETTING}`,
  `create or replace function ${SCHEMA}.clock_timestamp() ${READ_SETTING}`,
];
/**
 * $1: the time. The settings end with the transaction, so no other use of the connection sees them. Commits need not wait for the
 * disk: a history that a crash cuts off is made again, and the commit that completes it waits for all of them.
 */
const MOVE =
  planned(`select set_config('search_path', current_setting('search_path') || ', ${SCHEMA}, pg_catalog', true),
  set_config('synchronous_commit', 'off', true), set_config('${SETTING}', $1, true)`);

/**
 * Runs `work` while statements can have a time of their own. The service never does this: only the demo creates the
 * functions, in its own database, and removes them when its history is made.
 */
export async function withMovedStatements<T>({ db }: Pick<Services, 'db'>, work: () => Promise<T>): Promise<T> {
  await db.write(async ({ em }) => {
    for (const text of CREATE) await em.execute(text);
  });
  try {
    return await work();
  } finally {
    await db.write(({ em }) => em.execute(`drop schema if exists ${SCHEMA} cascade`));
  }
}

/**
 * The same services at the time of each operation: the clock, new ids, the leases of claims, and `now()` in every
 * statement. To be used within `withMovedStatements`.
 */
export function movedServices(services: Services, time: MovedTime): Services {
  const ids = createIds(() => time.now().getTime());
  const db = movedDatabase(createDatabase(services.db.orm, { clock: time, ids }), time);
  return {
    ...services,
    ...{ db, ids, clock: time, claims: createMemoryClaimLock(time), keys: createKeyCache(time) },
    // Each submission is a group of its own: a group has one time.
    intake: { submit: (submission) => createIntake({ db, clock: time, ids }).submit(submission) },
  };
}

/**
 * Everything that changes rows is in a transaction, because the settings apply to one. Queries that only read see the true time:
 * those that the history uses compare no times, except for when to run again.
 */
function movedDatabase(inner: Database, time: MovedTime): Database {
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const now = time.now().toISOString();
    return inner.write(async (tx) => {
      await rawQuery(tx.em, MOVE, [now]);
      return work(tx);
    });
  };
  const statement = <T>(work: (em: Em) => Promise<T>): Promise<T> => write(({ em }) => work(em));
  return { ...inner, write, statement };
}
