// Time for the demo's history: a clock per operation, which the statements of the same operation read too.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { createMemoryClaimLock } from '../../../../server/src/claims/memory-claim-lock.ts';
import { EVENTS_APPENDED } from '../../../../server/src/db/connection/channels.ts';
import { createIds, type Clock } from '../../../../server/src/db/clock.ts';
import { createDatabase, type Database, INSERT_EVENTS } from '../../../../server/src/db/database.ts';
import { openOrmBeside, type Orm } from '../../../../server/src/db/orm.ts';
import { createIntake, type Intake } from '../../../../server/src/usecases/items/intake.ts';
import { createKeyCache } from '../../../../server/src/usecases/credentials/key-cache.ts';
import type { Services } from '../../../../server/src/usecases/services.ts';
import { pipelineTransactions, type PipelineRules } from './pipelined-transactions.ts';

export interface MovedTime extends Clock {
  /** Runs `work` at this time. Operations that run concurrently have times of their own. */
  at<T>(when: Date, work: () => Promise<T>): Promise<T>;
}

/** Outside of `at` it is the true time. */
export function movedTime(): MovedTime {
  const moved = new AsyncLocalStorage<Date>();
  return { now: () => moved.getStore() ?? new Date(), at: (when, work) => moved.run(when, work) };
}

/** While it exists, the connections that put it into their search path read the time of their transaction from `now()`. */
const SCHEMA = 'countersign_demo';
const SETTING = `${SCHEMA}.now`;
const functionNamed = (name: string): string =>
  `create or replace function ${SCHEMA}.${name}() returns timestamptz language sql stable as $$
     select coalesce(nullif(current_setting('${SETTING}', true), '')::timestamptz, pg_catalog.${name}()) $$`;
/** Does not notify of appended events: each commit would wake every process, though nobody waits for these events. */
const QUIET = `create or replace function ${SCHEMA}.pg_notify(channel text, payload text) returns void language sql as $$
  select pg_catalog.pg_notify(channel, payload) where channel <> '${EVENTS_APPENDED}' $$`;
const CREATE = [`create schema if not exists ${SCHEMA}`, functionNamed('now'), functionNamed('clock_timestamp'), QUIET];
/**
 * For each connection. Commits need not wait for the disk: a history that a crash cuts off is made again, and the commit that
 * completes it waits for all of them.
 */
const SETTINGS = `select set_config('search_path', current_setting('search_path') || ', ${SCHEMA}, pg_catalog', false),
  set_config('synchronous_commit', 'off', false),
  set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)`;

/** People, projects and deliveries, each with one or two transactions at a time. */
const POOL = 12;

/**
 * Runs `work` with the same services at the time of each operation: the clock, new ids, the leases of claims, and `now()` in
 * every transaction. They have connections of their own. The service never does this: only the demo creates the functions that
 * these connections use, in its own database, and removes them at the end.
 */
export async function withMovedServices<T>(
  services: Services,
  time: MovedTime,
  work: (moved: Services) => Promise<T>,
): Promise<T> {
  await services.db.write(async ({ em }) => {
    for (const text of CREATE) await em.execute(text);
  });
  try {
    const onPool = (pool: Pool) => moveTransactions(pool, time);
    const orm = await openOrmBeside(services.db.orm, { poolSize: POOL, pipeline: true, settings: SETTINGS, onPool });
    try {
      return await work(movedServices(services, { orm, time }));
    } finally {
      await orm.close();
    }
  } finally {
    await services.db.write(({ em }) => em.execute(`drop schema if exists ${SCHEMA} cascade`));
  }
}

/** Whether the statement that is sent now is a transaction of its own. */
const alone = new AsyncLocalStorage<true>();

/** Transactions on these connections have the time of their operation, from their beginning. */
function moveTransactions(pool: Pool, time: MovedTime): void {
  const names = new Map<string, string>();
  const rules: PipelineRules = {
    begin: () => `begin; set local ${SETTING} = '${time.now().toISOString()}'`,
    isAlone: () => alone.getStore() === true,
    isUnread: (text) => typeof text === 'string' && /^\s*insert\b/i.test(text) && !/\breturning\b/i.test(text),
    isLast: (text) => text === INSERT_EVENTS,
  };
  pool.on('connect', (client) => {
    prepareStatements(client, names);
    pipelineTransactions(client, rules);
  });
}

/**
 * Planning takes a third of PostgreSQL's time, so every statement with parameters is planned once per connection. The service
 * itself does this only where a plan stays good while tables grow (decision 0009); these tables stay small, and these
 * connections read them by their indexes from the start.
 */
function prepareStatements(client: PoolClient, names: Map<string, string>): void {
  const query = client.query.bind(client) as unknown as (...asked: unknown[]) => Promise<unknown>;
  const prepared = (text: unknown, values?: unknown) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(text, values);
    const name = names.get(text) ?? `countersign_demo_${names.size + 1}`;
    names.set(text, name);
    return query({ name, text, values });
  };
  client.query = prepared as unknown as PoolClient['query'];
}

function movedServices(services: Services, { orm, time }: { orm: Orm; time: MovedTime }): Services {
  const ids = createIds(() => time.now().getTime());
  // A read limit would be a statement of its own, sent out of order.
  const db = movedDatabase(createDatabase(orm, { clock: time, ids, readLimitMs: 0 }));
  return {
    ...services,
    ...{ db, ids, clock: time, claims: createMemoryClaimLock(time), keys: createKeyCache(time) },
    intake: movedIntake({ db, clock: time, ids }),
  };
}

/** Submissions of the same time share a commit: a group has one time. */
function movedIntake(tools: Parameters<typeof createIntake>[0]): Intake {
  let current: { at: number; intake: Intake } | null = null;
  return {
    submit: (submission) => {
      const at = tools.clock.now().getTime();
      if (current?.at !== at) current = { at, intake: createIntake(tools) };
      return current.intake.submit(submission);
    },
  };
}

/**
 * Everything that changes rows is in a transaction, because only transactions have the moved time. Queries that only read see the
 * true time: those that the history uses compare no times, except for when to run again.
 */
const movedDatabase = (inner: Database): Database => ({
  ...inner,
  statement: (work) => alone.run(true, () => inner.statement(work)),
});
