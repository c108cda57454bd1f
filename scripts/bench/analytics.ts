// Benchmarks the analytics page at a million items against ten thousand, and the relay's lag under full load.
import { readAnalytics } from '../../shared/src/routes/analytics.ts';
import { readAudits } from '../../shared/src/routes/audits.ts';
import { readTeamView } from '../../shared/src/routes/team.ts';
import type { ProjectSettings } from '../../shared/src/settings.ts';
import { readCalibration, readThresholds } from '../../shared/src/routes/thresholds.ts';
import {
  type BenchDatabase,
  type BenchProject,
  type BenchServer,
  openBenchEnvironment,
  openProject,
  type Seed,
  seedItems,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';
import { submitFor } from './submissions.ts';

const SIZES = {
  full: { rounds: 9, few: 10_000, many: 1_000_000, seconds: 15 },
  quick: { rounds: 3, few: 1000, many: 5000, seconds: 2 },
};
const DAY_MS = 86_400_000;
/** Both projects have lived as long. */
const AGE_SPAN_MS = 30 * DAY_MS;
const WATCH_MS = 100;
/** A relay may be this far behind, in seconds. */
const MAY_LAG = 2;

const from = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
/** The requests of the page. */
export const QUESTIONS = {
  'the month': () => `${readAnalytics.path}?from=${from(30)}&bucket=day`,
  'the day': () => `${readAnalytics.path}?from=${from(1)}&bucket=hour`,
  audits: () => readAudits.path,
  reliability: () => readCalibration.path,
  thresholds: () => readThresholds.path,
  'the live team view': () => readTeamView.path,
};
type Question = keyof typeof QUESTIONS;

/** Throws without PostgreSQL or Redis, or on an invalid response. */
export async function benchAnalytics(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  const { rounds, few, many, seconds } = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  try {
    const database = await benchEnv.createDatabase('bench_analytics');
    const server = await benchEnv.startServer(database, { env: { ROLES: 'web' } });
    const [small, large] = [await seeded({ server, database }, few), await seeded({ server, database }, many)];
    const worker = await benchEnv.startServer(database);
    log(`analytics: counted ${(await caughtUp(database)).toFixed(0)} events/s of event logs that nobody had counted`);
    const rows = await compare(server, { small, large }, { rounds, few, many });
    const lag = await watchLag(database, () => submitFor({ ...large, url: server.url, projectId: large.id }, seconds));
    log(`analytics: ${lag.rate.toFixed(0)} submissions/s, the relay at most ${lag.most.toFixed(2)} s behind`);
    await Promise.all([worker.stop(), server.stop()]);
    const measure = 's that the relay is behind at most under full submission load, against 2 s';
    return [...rows, rowOf({ measure, ours: lag.most, rival: MAY_LAG, most: 1 })];
  } finally {
    await benchEnv.close();
  }
}

/** `most`: how large the ratio may be. */
const rowOf = ({ most, ...row }: { measure: string; ours: number; rival: number; most: number }): Row => {
  return { section: 'analytics', ...row, ratio: row.ours / row.rival, goal: `<= ${most}` };
};

/** Sends each request to each project in turns. */
async function compare(
  server: BenchServer,
  { small, large }: Record<'small' | 'large', BenchProject>,
  { rounds, few, many }: { rounds: number; few: number; many: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const question of Object.keys(QUESTIONS) as Question[]) {
    const times = { small: [] as number[], large: [] as number[] };
    // The first of each warms up.
    for (let round = 0; round <= rounds; round += 1) {
      times.small.push(await timed(server, small, question));
      times.large.push(await timed(server, large, question));
    }
    const [ours = NaN, rival = NaN] = [times.large, times.small].map((all) => median(all.slice(1)));
    rows.push(rowOf({ measure: `ms of ${question} at ${many} items, against ${few}`, ours, rival, most: 1.5 }));
  }
  return rows;
}

async function timed(server: BenchServer, { id, owner }: BenchProject, question: Question): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(server.url + QUESTIONS[question]().replace(':id', id), {
    headers: { cookie: owner.cookie },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return performance.now() - startedAt;
}

interface SeedOptions extends Pick<Partial<Seed>, 'waiting' | 'agoMs'> {
  settings?: Partial<ProjectSettings>;
}

/** A project with this many items of 30 days and, of those not queued, as many decisions; in its event log, and not counted. */
export async function seeded(
  at: { server: BenchServer; database: BenchDatabase },
  count: number,
  { waiting = count / 100, agoMs = 0, settings = {} }: SeedOptions = {},
): Promise<BenchProject> {
  const project = await openProject(at, { members: [], settings });
  const { sql } = at.database;
  await seedItems(at.database, project.id, { all: count, waiting, agoMs, intervalMs: AGE_SPAN_MS / count });
  await sql(
    `insert into decision (id, item_id, project_id, status, action, output, edited, reason, reviewer_id, decided_at, final_at)
     select gen_random_uuid(), id, project_id, 'approved', action, suggestion, action = 'edit', null, $2, decided_at, decided_at
     from (select *, case when random() < 0.2 then 'edit' else 'approve' end as action from item where project_id = $1 and decided_at is not null) i`,
    [project.id, project.owner.id],
  );
  await sql(
    `insert into event (id, project_id, type, item_id, actor, data, created_at, seq)
     select gen_random_uuid(), $1, type, item_id, actor, data, at,
       (select event_seq from project where id = $1) + row_number() over (order by at, type desc)
     from (
       select 'item.queued' as type, id as item_id, '{"kind":"key"}'::jsonb as actor, created_at as at, '{"version":1,"status":"queued"}'::jsonb as data
       from item where project_id = $1
       union all
       select 'item.decided', item_id, jsonb_build_object('kind', 'member', 'id', reviewer_id), decided_at,
         jsonb_build_object('version', 2, 'status', 'approved', 'action', action) from decision where project_id = $1
     ) happened order by at, type desc`,
    [project.id],
  );
  await sql('update project set event_seq = (select max(seq) from event where project_id = $1) where id = $1', [
    project.id,
  ]);
  for (const table of ['item', 'decision', 'event']) await sql(`vacuum (analyze) ${table}`);
  return project;
}

/** Waits until every event log is counted; returns events per second. */
async function caughtUp({ sql }: BenchDatabase): Promise<number> {
  const startedAt = performance.now();
  const behind = async () => {
    const [row] = await sql<{ n: string }>('select sum(event_seq - rollup_seq) as n from project');
    return Number(row?.n);
  };
  const events = await behind();
  while ((await behind()) > 0) await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  const seconds = (performance.now() - startedAt) / 1000;
  await sql('vacuum (analyze) rollup');
  return events / seconds;
}

/** The maximum age of an event without a sequence number while `load` runs, in seconds. */
async function watchLag({ sql }: BenchDatabase, load: () => Promise<number>): Promise<{ rate: number; most: number }> {
  let most = 0;
  const look = async () => {
    const [row] = await sql<{ s: number | null }>(
      'select extract(epoch from now() - min(created_at))::float8 as s from event where seq is null',
    );
    most = Math.max(most, row?.s ?? 0);
  };
  const watch = setInterval(() => void look(), WATCH_MS);
  const rate = await load().finally(() => clearInterval(watch));
  await look();
  return { rate, most };
}
