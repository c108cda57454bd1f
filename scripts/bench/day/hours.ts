// Declares and formats what the bench measures in each hour: latencies, and the state of the service at its end.
import { percentile } from '../rows.ts';

const HOURS = 24;

/** How the database and the processes are at one moment. */
export interface Gauges {
  /** Items that wait for people. */
  waiting: number;
  /** Dead rows of each table that has any. */
  deadRows: Record<string, number>;
  /** Bytes of WAL since the beginning of the day. */
  walBytes: number;
  /** Bytes of the database on disk. */
  diskBytes: number;
  /** MiB of the service, PostgreSQL and Redis, shared pages counted once. NaN where the system does not report it. */
  memoryMiB: number;
}

/** Latencies are in ms. */
export interface Hour {
  submit: number[];
  claim: number[];
  analytics: number[];
  gauges: Gauges;
}

/** An hour that has just begun. */
export const emptyHour = (): Hour => ({
  submit: [],
  claim: [],
  analytics: [],
  gauges: { waiting: NaN, deadRows: {}, walBytes: NaN, diskBytes: NaN, memoryMiB: NaN },
});

/** The hour, from 0, to which the n-th of this many items belongs. */
export const hourOf = (n: number, items: number): number => Math.min(HOURS - 1, Math.floor((n / items) * HOURS));

export const deadRowsOf = ({ gauges }: Hour): number =>
  Object.values(gauges.deadRows).reduce((sum, count) => sum + count, 0);

const MIB = 2 ** 20;
const COLUMNS: readonly [head: string, of: (hour: Hour) => number][] = [
  ['submit p50', ({ submit }) => percentile(submit, 0.5)],
  ['submit p99', ({ submit }) => percentile(submit, 0.99)],
  ['claim-next p99', ({ claim }) => percentile(claim, 0.99)],
  ['analytics p95', ({ analytics }) => percentile(analytics, 0.95)],
  ['waiting', ({ gauges }) => gauges.waiting],
  ['dead rows', deadRowsOf],
  ['WAL MiB', ({ gauges }) => gauges.walBytes / MIB],
  ['disk MiB', ({ gauges }) => gauges.diskBytes / MIB],
  ['memory MiB', ({ gauges }) => gauges.memoryMiB],
];

/** The heads of the table of hours; times are in ms. */
export const HEADS = ['hour', ...COLUMNS.map(([head]) => head)].map((head) => head.padStart(6)).join('  ');

/** One line of that table, below its heads. `n` counts from 1. */
export function lineOf(n: number, hour: Hour): string {
  const cells = COLUMNS.map(([head, of]) => figure(of(hour)).padStart(Math.max(6, head.length)));
  return [String(n).padStart(6), ...cells].join('  ');
}

/** A figure short enough for a table: `-` for none. */
export const figure = (value: number): string =>
  Number.isNaN(value) ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(1);
