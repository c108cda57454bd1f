// Benchmarks the export of learnings: lines per second against only reading the same rows, and the memory it needs.
import { exportLearnings } from '../../shared/src/routes/exports.ts';
import {
  type BenchDatabase,
  type BenchServer,
  openBenchEnvironment,
  openProject,
  seedItems,
  type Visitor,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';
import { connectTo } from '../lib/processes/postgres-client.ts';

const SIZES = { full: { rounds: 3, count: 100_000 }, quick: { rounds: 1, count: 2000 } };
/** Rows per read of the rival, as many as ours reads. */
const BATCH_SIZE = 50;
const WATCH_MS = 100;

/** Ours and the bare reading in turns, then the memory of one more. Throws without PostgreSQL or Redis, or on missing lines. */
export async function benchExports(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  const { rounds, count } = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  try {
    const database = await benchEnv.createDatabase('bench_exports');
    const server = await benchEnv.startServer(database, { env: { ROLES: 'web' } });
    const { id, owner } = await openProject({ server, database }, { members: [], settings: {} });
    await seedLearnings(database, id, { count, reviewer: owner.id });
    const before = await server.memory();
    let most = before;
    const watch = setInterval(() => void server.memory().then((now) => (most = Math.max(most, now))), WATCH_MS);
    const rates = { ours: [] as number[], bare: [] as number[] };
    for (let round = 1; round <= rounds; round += 1) {
      const ours = await rate(count, () => exported(server, owner, id));
      const rival = await rate(count, () => bare(database, id));
      rates.ours.push(ours);
      rates.bare.push(rival);
      log(`exports, round ${round} of ${rounds}: ${ours.toFixed(0)} lines/s, bare reading ${rival.toFixed(0)} rows/s`);
    }
    clearInterval(watch);
    await server.stop();
    return rowsOf(count, rates, { before, most });
  } finally {
    await benchEnv.close();
  }
}

function rowsOf(
  count: number,
  rates: { ours: number[]; bare: number[] },
  { before, most }: { before: number; most: number },
): Row[] {
  const [ours, rival] = [median(rates.ours), median(rates.bare)];
  const speed = { measure: `lines/s of ${count}, against reading the rows`, ours, rival, ratio: ours / rival };
  const memory = {
    measure: 'MiB of the process at most, against before',
    ours: most,
    rival: before,
    ratio: most / before,
  };
  return [
    { section: 'exports', ...speed, goal: '>= 0.5' },
    { section: 'exports', ...memory, goal: '<= 1.6' },
  ];
}

async function rate(count: number, lines: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const got = await lines();
  if (got !== count) throw new Error(`${got} of ${count} came.`);
  return count / ((performance.now() - startedAt) / 1000);
}

async function exported(server: BenchServer, { cookie }: Visitor, projectId: string): Promise<number> {
  const response = await fetch(server.url + exportLearnings.path.replace(':id', projectId), { headers: { cookie } });
  let lines = 0;
  for await (const chunk of response.body ?? []) for (const byte of chunk as Uint8Array) if (byte === 10) lines += 1;
  return lines;
}

/** The rows that ours reads, by the same index, discarded. */
async function bare({ url }: BenchDatabase, projectId: string): Promise<number> {
  const client = await connectTo(url);
  let [rows, at] = [0, '0'];
  for (;;) {
    const batch = await client.query<{ seq: string }>(
      `select e.seq, l.*, i.* from event e join learning l on l.item_id = e.item_id join item i on i.id = e.item_id
       where e.project_id = $1 and e.type = 'item.finalized' and e.data ->> 'action' in ('edit', 'reject') and e.seq > $2
       order by e.seq limit ${BATCH_SIZE}`,
      [projectId, at],
    );
    rows += batch.rows.length;
    at = batch.rows.at(-1)?.seq ?? at;
    if (batch.rows.length < BATCH_SIZE) break;
  }
  await client.end();
  return rows;
}

/** Edited items that are final, each with its sequence number. */
export async function seedLearnings(
  database: BenchDatabase,
  projectId: string,
  { count, reviewer }: { count: number; reviewer: string },
): Promise<void> {
  await seedItems(database, projectId, { all: count, waiting: 0 });
  const { sql } = database;
  await sql(
    `insert into decision (id, item_id, project_id, status, action, output, edited, reason, reviewer_id, decided_at, final_at)
     select gen_random_uuid(), id, project_id, 'approved', 'edit', '"No."', true, 'Wrong fact', $2, now(), now() from item where project_id = $1`,
    [projectId, reviewer],
  );
  await sql(
    `insert into learning (id, project_id, item_id, decision_id, action, output, reason, reviewer_id, settings_version, created_at)
     select gen_random_uuid(), project_id, item_id, id, 'edit', output, reason, reviewer_id, 1, decided_at from decision where project_id = $1`,
    [projectId],
  );
  await sql(
    `insert into event (id, project_id, type, item_id, actor, data, created_at, seq)
     select gen_random_uuid(), project_id, 'item.finalized', item_id, '{}', '{"action":"edit"}', now(),
       (select event_seq from project where id = $1) + row_number() over () from decision where project_id = $1`,
    [projectId],
  );
  await sql('update project set event_seq = (select max(seq) from event where project_id = $1) where id = $1', [
    projectId,
  ]);
  for (const table of ['decision', 'learning', 'event']) await sql(`vacuum (analyze) ${table}`);
}
