// Tests connections that end during a transaction: the caller gets a named error, and the pool gets its slot back.
import { describe, expect, it } from 'vitest';
import { createDatabase } from '../../../src/db/database.ts';
import { openOrm } from '../../../src/db/orm.ts';
import { emptyDatabase } from '../../fixtures/test-database.ts';
import { useServices } from '../support/test-services.ts';
import { connectTo, connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const inside = useServices();

describe('a session that PostgreSQL ends', () => {
  it('while it writes frees its slot, however often', async () => {
    const { url, remove } = await emptyDatabase();
    const orm = await openOrm({ connection: await connectionTo(url), poolSize: 2 });
    const db = createDatabase(orm, inside.services);
    const killed = () =>
      db.write(async ({ em }) => {
        await em.execute('select pg_terminate_backend(pg_backend_pid())');
      });
    for (let n = 0; n < 5; n += 1) await expect(killed()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await db.write(({ em }) => em.execute('select 1 as one'))).toEqual([{ one: 1 }]);
    await orm.close();
    await remove();
  });

  it('because its transaction was idle too long frees its slot, and every session has such a timeout', async () => {
    const { url, remove } = await emptyDatabase();
    const orm = await openOrm({ connection: await connectionTo(url), poolSize: 1 });
    const db = createDatabase(orm, inside.services);
    const told = await db.read((em) => em.execute('show idle_in_transaction_session_timeout'));
    expect(told).toEqual([{ idle_in_transaction_session_timeout: '30s' }]);
    const frozen = db.write(async ({ em }) => {
      const [row] = await em.execute<{ pid: number }[]>(
        `select pg_backend_pid() as pid, set_config('idle_in_transaction_session_timeout', '50ms', false)`,
      );
      await gone(url, row?.pid ?? 0);
      await em.execute('select 1');
    });
    await expect(frozen).rejects.toMatchObject({ code: 'unavailable' });
    expect(await db.write(({ em }) => em.execute('select 1 as one'))).toEqual([{ one: 1 }]);
    await orm.close();
    await remove();
  });

  it('while it is idle affects no request', async () => {
    const { url, remove } = await emptyDatabase();
    const orm = await openOrm({ connection: await connectionTo(url), poolSize: 2 });
    const db = createDatabase(orm, inside.services);
    await Promise.all([1, 2].map(() => db.write(({ em }) => em.execute('select pg_sleep(0.05)'))));
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await db.read((em) => em.execute(others));
    for (let n = 0; n < 5; n += 1)
      await db
        .write(({ em }) => em.execute('select 1'))
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'unavailable' }));
    expect(await db.write(({ em }) => em.execute('select 1 as one'))).toEqual([{ one: 1 }]);
    await orm.close();
    await remove();
  });
});

/** Waits until PostgreSQL has ended this session. */
async function gone(url: string, pid: number): Promise<void> {
  const client = await connectTo(url);
  const sessions = async () => (await client.query('select from pg_stat_activity where pid = $1', [pid])).rowCount;
  await expect.poll(sessions, { interval: 20 }).toBe(0);
  await client.end();
}
