// Reads the state of the database and of the processes of the bench at one moment.
import { memoryBelow } from '../memory.ts';
import type { BenchDatabase } from '../environment.ts';
import type { Gauges } from './hours.ts';

/** The position in the WAL, in bytes. */
export async function walPosition({ sql }: BenchDatabase): Promise<number> {
  const [row] = await sql<{ at: string }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as at`);
  return Number(row?.at);
}

/** `walFrom`: where the day began. Reading it costs some milliseconds. */
export async function readGauges(database: BenchDatabase, walFrom: number): Promise<Gauges> {
  const dead = await database.sql<{ name: string; count: string }>(
    'select relname as name, n_dead_tup as count from pg_stat_user_tables where n_dead_tup > 0',
  );
  const [open] = await database.sql<{ count: string }>(
    `select count(*) from item where status in ('queued', 'escalated')`,
  );
  const [size] = await database.sql<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return {
    waiting: Number(open?.count),
    deadRows: Object.fromEntries(dead.map(({ name, count }) => [name, Number(count)])),
    walBytes: (await walPosition(database)) - walFrom,
    diskBytes: Number(size?.bytes),
    memoryMiB: memoryBelow(process.pid),
  };
}

/**
 * A transaction that stays open: it sees the database at one moment, so that PostgreSQL cannot remove rows that died since. It
 * has no timeout while idle, like the session of an analyst's tool.
 */
export const LONG_TRANSACTION = [
  'set idle_in_transaction_session_timeout = 0',
  'begin isolation level repeatable read',
  'select count(*) from item',
] as const;
