// Tests leader election: one session at a time, until it ends or falls silent.
import { afterEach, describe, expect, it } from 'vitest';
import { openOrm, type Orm } from '../../../src/db/orm.ts';
import { type Heartbeat, openSignals, type Signals } from '../../../src/db/connection/signals.ts';
import { emptyDatabase } from '../../fixtures/test-database.ts';
import { connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const KEY = 7_202_611_298;
const LAST_HEARTBEAT_MS = `select (extract(epoch from a.state_change) * 1000)::float as ms from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and a.datname = current_database()
    and l.classid::bigint << 32 | l.objid::bigint = ?`;
/** A timeout that no session reaches, however slow the machine is. */
const LONG_TIMEOUT = { beatMs: 20, silentMs: 600_000 };
/** A timeout that a silent session certainly reaches. */
const SHORT_TIMEOUT = { beatMs: 20, silentMs: 400 };

describe('leadership', () => {
  const open: (() => Promise<unknown>)[] = [];
  /** When the leading session last sent a heartbeat, in ms. */
  let lastHeartbeatMs: () => Promise<number>;
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  /** This many processes on one database, and the session losses each noticed. */
  async function processes(...rhythms: Heartbeat[]) {
    const { url, remove } = await emptyDatabase();
    const orm: Orm = await openOrm({ connection: await connectionTo(url), poolSize: 1 });
    open.push(remove, () => orm.close());
    lastHeartbeatMs = async () => {
      const [row] = await orm.em.execute<{ ms: number }[]>(LAST_HEARTBEAT_MS, [KEY]);
      return row?.ms ?? 0;
    };
    const connection = await connectionTo(url);
    return Promise.all(
      rhythms.map(async (heartbeat) => {
        const lost: unknown[] = [];
        const signals: Signals = openSignals(connection, {
          onError: (error) => lost.push(error),
          heartbeat,
        });
        open.push(() => signals.close());
        return { signals, lost };
      }),
    );
  }

  it('belongs to one session, and to the next when that ends', async () => {
    const [first, second] = await processes(LONG_TIMEOUT, LONG_TIMEOUT);
    expect([await first!.signals.lead(KEY), await second!.signals.lead(KEY)]).toEqual([true, false]);
    expect([await first!.signals.lead(KEY), await second!.signals.lead(KEY + 1)]).toEqual([true, true]);
    await first!.signals.close();
    await expect.poll(() => second!.signals.lead(KEY)).toBe(true);
  });

  it('stays with a session that sends heartbeats', async () => {
    const [first, second] = await processes(LONG_TIMEOUT, LONG_TIMEOUT);
    expect(await first!.signals.lead(KEY)).toBe(true);
    for (let heartbeats = 0, previous = await lastHeartbeatMs(); heartbeats < 5;) {
      expect([await first!.signals.lead(KEY), await second!.signals.lead(KEY)]).toEqual([true, false]);
      const now = await lastHeartbeatMs();
      if (now > previous) heartbeats += 1;
      previous = now;
    }
    expect(first!.lost).toEqual([]);
  });

  it('is taken from a session without heartbeats, which notices and becomes a follower', async () => {
    const [frozen, other] = await processes(LONG_TIMEOUT, SHORT_TIMEOUT);
    expect(await frozen!.signals.lead(KEY)).toBe(true);
    await expect.poll(() => other!.signals.lead(KEY), { interval: 50 }).toBe(true);
    await expect.poll(() => frozen!.lost.length).toBe(1);
    expect([await frozen!.signals.lead(KEY), await other!.signals.lead(KEY)]).toEqual([false, true]);
  });
});
