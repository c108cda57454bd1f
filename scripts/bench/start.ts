// Benchmarks the service with its embedded PostgreSQL: time until ready, and memory.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOfRunning } from '../../server/src/embedded/embedded-postgres.ts';
import { asker, openProject, signInMany, startServer, type BenchDatabase, type BenchServer } from './environment.ts';
import { memoryBelow, watchPeak } from './memory.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';
import { submitFor } from './submissions.ts';
import { claimNext, decideItem } from '../../shared/src/routes/queue.ts';
import type { Granted } from '../../shared/src/schemas/queue.ts';
import { poolTo } from '../lib/processes/postgres-client.ts';
import { bundleServer } from '../lib/processes/server-bundle.ts';

const SIZES = {
  full: { rounds: 3, seconds: 10, decisions: 200, restMs: 30_000, samples: 10 },
  quick: { rounds: 1, seconds: 1, decisions: 5, restMs: 1000, samples: 3 },
};
type Size = (typeof SIZES)['full'];

/** Each round starts without a database and without a compile cache, from the bundle that `npm start` builds. */
export async function benchStart(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  await bundleServer();
  const size = SIZES[quick ? 'quick' : 'full'];
  const all = { first: [] as number[], second: [] as number[], peak: [] as number[], steady: [] as number[] };
  for (let round = 1; round <= size.rounds; round += 1) {
    const { first, second, peak, steady } = await inNewFolder((folder) => measure(folder, size));
    all.first.push(first);
    all.second.push(second);
    all.peak.push(peak);
    all.steady.push(steady);
    const [took, held] = [`first ${first.toFixed(0)} ms, second ${second.toFixed(0)} ms`, `${steady.toFixed(0)} MiB`];
    log(`start, round ${round} of ${size.rounds}: ${took}, ${held} after load`);
  }
  return [
    row('ms until ready, embedded, first start', median(all.first), null),
    row('ms until ready, embedded, second start', median(all.second), '<= 1000'),
    ...rowsOfMemory(Math.max(...all.peak), median(all.steady)),
  ];
}

const row = (measure: string, ours: number, goal: string | null): Row => ({
  ...{ section: 'start', measure, ours, rival: null, ratio: null, goal },
});

/** None where the system does not report it. */
const rowsOfMemory = (peak: number, steady: number): Row[] =>
  Number.isNaN(peak)
    ? []
    : [
        row('MiB of the service and its PostgreSQL, first start, at most', peak, '<= 400'),
        row('MiB of the service and its PostgreSQL, after load and rest', steady, '<= 300'),
      ];

async function inNewFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

interface Round {
  first: number;
  second: number;
  peak: number;
  steady: number;
}

async function measure(folder: string, size: Size): Promise<Round> {
  const stopWatching = watchPeak(process.pid);
  const { ms: first, server } = await startIn(folder);
  const peak = stopWatching();
  await endInOrder(server);
  const again = await startIn(folder);
  const steady = await workOn(again.server, folder, size);
  await endInOrder(again.server);
  return { first, second: again.ms, peak, steady };
}

async function startIn(folder: string): Promise<{ ms: number; server: BenchServer }> {
  const startedAt = performance.now();
  const server = await startServer({ DATA_DIR: join(folder, 'data'), NODE_COMPILE_CACHE: join(folder, 'code') });
  return { ms: performance.now() - startedAt, server };
}

/** Throws when it has ended on its own. */
async function endInOrder({ child }: BenchServer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`The service ended on its own with ${child.exitCode ?? child.signalCode}.`);
  const gone = once(child, 'close');
  child.kill('SIGTERM');
  await gone;
}

/** Submissions, decisions and their deliveries, then idle time. Returns the memory afterwards, in MiB. */
async function workOn(server: BenchServer, folder: string, size: Size): Promise<number> {
  const pool = await poolTo(addressOfRunning(join(folder, 'data')) ?? '', 2);
  // The next request reports a server that has ended.
  pool.on('error', () => undefined);
  const database: BenchDatabase = {
    url: '',
    sql: async <T>(text: string, params: unknown[] = []) => (await pool.query(text, params)).rows as T[],
  };
  const [reviewer] = await signInMany(database, 1);
  if (reviewer === undefined) throw new Error('Somebody was signed in.');
  const { id, apiKey } = await openProject({ server, database }, { members: [reviewer] });
  await submitFor({ url: server.url, projectId: id, apiKey }, size.seconds);
  const ask = asker(server, reviewer);
  for (let decided = 0; decided < size.decisions; decided += 1) {
    const { item, fence } = await ask<Granted>('POST', claimNext.path, {});
    await ask('POST', decideItem.path.replace(':id', item.id), { fence, action: 'approve' });
  }
  await pool.end();
  await delay(size.restMs);
  const seen: number[] = [];
  for (let sample = 0; sample < size.samples; sample += 1) {
    seen.push(memoryBelow(process.pid));
    await delay(200);
  }
  return median(seen);
}
