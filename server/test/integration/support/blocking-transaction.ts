// Opens a transaction of another process on PostgreSQL that stays open while the test continues.
import { expect, vi } from 'vitest';
import { type KeyId, keyIdText } from '../../../src/db/submit-batch.ts';
import type { ServicesEnvironment } from './test-services.ts';

/**
 * Runs `statement` in another process's transaction and keeps it open during `work`; `commit` ends it. It is committed after
 * `work` in any case.
 */
export async function withOpenTransaction<T>(
  testEnv: ServicesEnvironment,
  [statement, params]: [string, unknown[]],
  work: (commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const otherProcess = await testEnv.another();
  const { promise: ending, resolve: end } = Promise.withResolvers<undefined>();
  const { promise: holds, resolve: held, reject } = Promise.withResolvers<undefined>();
  const transaction = otherProcess.services.db.write(async ({ em }) => {
    await em.execute(statement, params);
    held(undefined);
    await ending;
  });
  transaction.catch(reject);
  const commit = async () => {
    end(undefined);
    await transaction;
  };
  try {
    await holds;
    return await work(commit);
  } finally {
    try {
      await commit();
    } finally {
      await otherProcess.close();
    }
  }
}

/** Waits until this many statements of this database wait for a lock. */
export async function waitForBlocked(testEnv: ServicesEnvironment, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const [{ n } = { n: 0 }] = await testEnv.sql<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(n).toBeGreaterThanOrEqual(count);
    },
    { timeout: 20_000, interval: 10 },
  );
}

/** The statement of another process that has inserted an idempotency key and has not committed yet. */
export function insertKeyStatement(place: KeyId, made: { itemId: string; bodySha256: string }): [string, unknown[]] {
  const statement = `with running as (select pg_advisory_xact_lock(hashtextextended(?, 0)))
    insert into idempotency_key (project_id, operation, key, body_sha256, item_ids, created_at)
    select ?, ?, ?, ?, array[?::uuid], now() from running`;
  return [statement, [keyIdText(place), place.projectId, place.operation, place.key, made.bodySha256, made.itemId]];
}
