// Benchmarks the learnings page: its clusters and filters, against reading flags and models in one pass each.
import { listClusters } from '../../shared/src/routes/clusters.ts';
import { listLearningValues } from '../../shared/src/routes/learnings.ts';
import { seedLearnings } from './exports.ts';
import {
  type BenchDatabase,
  type BenchServer,
  openBenchEnvironment,
  openProject,
  type Visitor,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';
import { connectTo } from '../lib/processes/postgres-client.ts';

const SIZES = { full: { rounds: 7, count: 100_000 }, quick: { rounds: 3, count: 2000 } };
/** Reasons, each a cluster, and models and flags of the items. */
const REASONS = 40;

/** Both in turns. Throws without PostgreSQL or Redis, or on an invalid response. */
export async function benchLearnings(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  const { rounds, count } = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  try {
    const database = await benchEnv.createDatabase('bench_learnings');
    const server = await benchEnv.startServer(database, { env: { ROLES: 'web' } });
    const { id, owner } = await openProject({ server, database }, { members: [], settings: {} });
    await seedLearnings(database, id, { count, reviewer: owner.id });
    await spread(database, id);
    const times = { clusters: [] as number[], values: [] as number[], passes: [] as number[] };
    // The first of each warms up.
    for (let round = 0; round <= rounds; round += 1) {
      times.clusters.push(await timed(() => fetchPage(server, owner, listClusters.path.replace(':id', id))));
      times.values.push(await timed(() => fetchPage(server, owner, listLearningValues.path.replace(':id', id))));
      times.passes.push(await timed(() => inPasses(database, id)));
    }
    await server.stop();
    const [clusters, values, passes] = [times.clusters, times.values, times.passes].map((all) => median(all.slice(1)));
    log(
      `learnings: clusters ${clusters?.toFixed(0)} ms, values ${values?.toFixed(0)} ms, passes ${passes?.toFixed(0)} ms`,
    );
    return [
      rowOf(`ms of the clusters of ${count}, against the statements in passes`, clusters, passes),
      rowOf(`ms of what ${count} can be narrowed to, against the same`, values, passes),
    ];
  } finally {
    await benchEnv.close();
  }
}

const rowOf = (measure: string, ours = NaN, rival = NaN): Row => ({
  ...{ section: 'learnings', measure, ours, rival },
  ratio: ours / rival,
  goal: '<= 1.0',
});

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function fetchPage(server: BenchServer, { cookie }: Visitor, path: string): Promise<void> {
  const response = await fetch(server.url + path, { headers: { cookie } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Reasons, flags and models as a project has them after some months. */
async function spread({ sql }: BenchDatabase, projectId: string): Promise<void> {
  await sql(
    `update learning set reason = 'Reason ' || (abs(hashtext(id::text)) % ${REASONS}),
       created_at = now() - (abs(hashtext(item_id::text)) % 7200) * interval '1 minute' * 12 where project_id = $1`,
    [projectId],
  );
  await sql(
    `update item set model = 'model-' || (abs(hashtext(id::text)) % 5), source = 's-' || (abs(hashtext(id::text)) % 3),
       risk_flags = (array['{}', '{pii}', '{legal,pii}', '{long_input}'])[1 + abs(hashtext(id::text)) % 4]::text[] where project_id = $1`,
    [projectId],
  );
  await sql(
    `with made as (select gen_random_uuid() as id, 'Reason ' || n as reason from generate_series(0, ${REASONS - 1}) n),
       placed as (insert into cluster (id, project_id, created_at) select id, $1, now() from made)
     insert into wording (id, project_id, cluster_id, reason, key, placed_by_hand, created_at)
     select gen_random_uuid(), $1, id, reason, lower(reason), false, now() from made`,
    [projectId],
  );
  for (const table of ['learning', 'item', 'wording', 'cluster']) await sql(`vacuum (analyze) ${table}`);
}

/** The cost of clusters with one pass each for sizes, flags and models, as before they shared one. */
const PASSES = [
  `select l.reason, count(*), count(*) filter (where l.action = 'edit'), min(l.created_at), max(l.created_at)
   from learning l where l.project_id = $1 group by 1`,
  ...['flag.value', 'i.model'].map(
    (
      value,
    ) => `select distinct on (cluster_id) cluster_id, value from (select w.cluster_id, ${value} as value, count(*) as count
     from learning l join item i on i.id = l.item_id join wording w on w.project_id = $1 and w.reason = l.reason
     ${value === 'i.model' ? '' : 'cross join unnest(i.risk_flags) as flag(value)'} where l.project_id = $1 group by 1, 2) counted
     where value is not null order by cluster_id, count desc, value`,
  ),
];

async function inPasses({ url }: BenchDatabase, projectId: string): Promise<void> {
  const client = await connectTo(url);
  for (const text of PASSES) await client.query(text, [projectId]);
  await client.end();
}
