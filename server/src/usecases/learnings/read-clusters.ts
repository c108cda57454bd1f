// Reads the clusters of a project (CT), one cluster with its reason variants, and the values to filter learnings by.
import { REASONS_SHOWN, TREND_DAYS, VALUES_LISTED } from '@countersign/shared/limits';
import type { Cluster } from '@countersign/shared/schemas/clusters';
import type { LearningValues } from '@countersign/shared/schemas/learnings';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { mayShapeClusters } from '../../domain/access/permissions.ts';
import { isArchived, requirePermission, notFound } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { commonestReasons, rootsOf, treeOf } from './cluster-roots.ts';
import { decodeRank, encodeRank, type PageQuery, type Rank } from '../cursor.ts';
import { countsIn, fromOf, whereOf, type LearningsOf, type Where } from './learning-where.ts';

export type ClustersQuery = LearningsOf & PageQuery;

export interface ClustersPage {
  data: Cluster[];
  next_cursor: string | null;
  /** How many learnings match, in all clusters and in none. */
  total: number;
  /** How many of them have no reason, and so no cluster. */
  without_reason: number;
}

interface Totals {
  total: number;
  without_reason: number;
}

interface Row {
  id: string;
  name: string | null;
  size: number;
  excluded: number;
  edited: number;
  variant_count: number;
  first_seen: string | Date;
  last_seen: string | Date;
  reasons: { reason: string; count: number }[];
}

/** Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listClusters(services: Services, actor: MemberActor, query: ClustersQuery): Promise<ClustersPage> {
  const { projectId, limit } = query;
  return services.db.read(async (em) => {
    const after = decodeRank(query.after);
    const role = await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const can = mayShapeClusters(role, await isArchived(em, projectId));
    const where = { ...whereOf(query), counts: countsIn(query.filter) };
    const { rows, ...totals } = await rowsOf(em, where, { after, limit });
    const page = rows.slice(0, limit);
    const more = await common(em, where, { ids: page.map(({ id }) => id), now: services.clock.now() });
    const last = page.at(-1);
    return {
      data: page.map((row) => present(row, more, can)),
      next_cursor: rows.length > limit && last !== undefined ? encodeRank({ rank: last.size, id: last.id }) : null,
      ...totals,
    };
  });
}

/** The filter, and which of the matching learnings count. */
type Counted = Where & { counts: string };

/** Counts by reason first: there are far fewer reasons than learnings. */
async function rowsOf(
  em: Em,
  where: Counted,
  { after, limit }: { after: Rank | null; limit: number },
): Promise<Totals & { rows: Row[] }> {
  const { values, counts } = where;
  const [shown, rank, id, most] = [1, 2, 3, 4].map((n) => `$${values.length + n}`);
  const found = await rawQuery<Totals & (Row | { id: null })>(
    em,
    `with recursive ${rootsOf('$1')},
       given as (select l.reason, count(*) filter (where ${counts}) as count, count(*) filter (where l.excluded) as excluded,
           count(*) filter (where ${counts} and l.action = 'edit') as edited,
           min(l.created_at) as first_seen, max(l.created_at) as last_seen
         ${fromOf(where)} where ${where.text} group by l.reason),
       placed as (select r.root, g.*, row_number() over (partition by r.root order by g.count desc, w.created_at, w.reason) as place
         from given g join wording w on w.project_id = $1 and w.reason = g.reason join root r on r.id = w.cluster_id),
       sized as (select root as id, sum(count)::int as size, sum(excluded)::int as excluded, sum(edited)::int as edited, count(*)::int as variant_count,
           min(first_seen) as first_seen, max(last_seen) as last_seen,
           json_agg(json_build_object('reason', reason, 'count', count) order by place) filter (where place <= ${shown}) as reasons
         from placed group by root),
       page as (select s.*, c.name from sized s join cluster c on c.id = s.id
         where ${rank}::int is null or (s.size, s.id) < (${rank}::int, ${id}::uuid)
         order by s.size desc, s.id desc limit ${most}),
       totals as (select coalesce(sum(count), 0)::int as total,
           coalesce(sum(count) filter (where reason = ''), 0)::int as without_reason from given)
     select * from totals left join page on true order by size desc, id desc`,
    [...values, REASONS_SHOWN, after?.rank ?? null, after?.id ?? null, limit + 1],
  );
  const { total = 0, without_reason = 0 } = found[0] ?? {};
  return { rows: found.flatMap((row) => (row.id === null ? [] : [row])), total, without_reason };
}

interface Common {
  /** The most common reason of all learnings, where a filter excludes some. */
  names: Map<string, string>;
  trends: Map<string, number[]>;
  flags: Map<string, string>;
  models: Map<string, string>;
  merged: Map<string, { id: string; name: string }[]>;
}

/** The remaining data of the clusters of a page. The trend ends on the day of `now`. */
async function common(em: Em, where: Counted, { ids, now }: { ids: readonly string[]; now: Date }): Promise<Common> {
  const here = `$${where.values.length + 1}::uuid[]`;
  const values = [...where.values, `{${ids.join(',')}}`];
  const roots = `with recursive ${rootsOf('$1')}, member as (select w.reason, r.root from wording w join root r on r.id = w.cluster_id
    where w.project_id = $1 and r.root = any(${here}))`;
  const learnings = (joins: boolean) =>
    `${fromOf({ joins })} join member m on m.reason = l.reason where ${where.text} and ${where.counts}`;
  const days = await rawQuery<{ root: string; ago: number; count: number }>(
    em,
    `${roots} select m.root, ((($${values.length + 1}::timestamptz at time zone 'utc')::date) - (l.created_at at time zone 'utc')::date) as ago,
       count(*)::int as count ${learnings(where.joins)} and l.created_at > $${values.length + 1}::timestamptz - interval '${TREND_DAYS + 1} days' group by 1, 2`,
    [...values, now],
  );
  // Flags and models in one pass: reading the items is by far the largest part.
  const commonest = await rawQuery<{ kind: 'flag' | 'model'; root: string; value: string }>(
    em,
    `${roots}, met as materialized (select m.root, i.model, i.risk_flags, count(*) as count ${learnings(true)} group by 1, 2, 3),
       counted as (select 'flag' as kind, root, flag.value, sum(count) as count from met cross join unnest(risk_flags) as flag(value) group by 2, 3
         union all select 'model', root, model, sum(count) from met where model is not null group by 2, 3)
     select distinct on (kind, root) kind, root, value from counted order by kind, root, count desc, value`,
    values,
  );
  const valuesOf = (wanted: 'flag' | 'model') =>
    new Map(commonest.flatMap(({ kind, root, value }) => (kind === wanted ? [[root, value] as const] : [])));
  return {
    trends: trendsOf(days),
    flags: valuesOf('flag'),
    models: valuesOf('model'),
    merged: await mergedInto(em, ids),
    names: isNarrowed(where) ? await commonestReasons(em, ids) : new Map<string, string>(),
  };
}

/** The clusters that were merged into these, each with its own name. */
async function mergedInto(em: Em, ids: readonly string[]): Promise<Common['merged']> {
  const rows = await rawQuery<{ id: string; into: string; name: string | null }>(
    em,
    'select id, merged_into as into, name from cluster where merged_into = any($1::uuid[]) order by created_at, id',
    [`{${ids.join(',')}}`],
  );
  const names = await commonestReasons(
    em,
    rows.map(({ id }) => id),
  );
  const merged: Common['merged'] = new Map();
  for (const { into, id, name } of rows)
    merged.set(into, [...(merged.get(into) ?? []), { id, name: name ?? names.get(id) ?? '' }]);
  return merged;
}

function trendsOf(days: readonly { root: string; ago: number; count: number }[]): Common['trends'] {
  const trends: Common['trends'] = new Map();
  for (const { root, ago, count } of days) {
    const trend = trends.get(root) ?? emptyTrend();
    trends.set(root, trend);
    const day = TREND_DAYS - 1 - ago;
    if (day in trend) trend[day] = count;
  }
  return trends;
}

const emptyTrend = (): number[] => Array.from({ length: TREND_DAYS }, () => 0);

const isNarrowed = ({ values }: Where): boolean => values.length > 1;

function present(row: Row, { trends, flags, models, merged, names }: Common, can: boolean): Cluster {
  return {
    id: row.id,
    name: row.name ?? names.get(row.id) ?? row.reasons[0]?.reason ?? '',
    named: row.name !== null,
    size: row.size,
    excluded: row.excluded,
    edited: row.edited,
    rejected: row.size - row.edited,
    first_seen: new Date(row.first_seen).toISOString(),
    last_seen: new Date(row.last_seen).toISOString(),
    trend: trends.get(row.id) ?? emptyTrend(),
    top_flag: flags.get(row.id) ?? null,
    top_model: models.get(row.id) ?? null,
    variant_count: row.variant_count,
    reasons: row.reasons,
    merged: merged.get(row.id) ?? [],
    abilities: { rename: can, merge: can, split: can && (row.variant_count > 1 || names.size > 0) },
  };
}

interface ClusterAsked {
  projectId: string;
  clusterId: string;
}

interface Named {
  id: string;
  name: string;
}

/** Errors: `not_found`, `forbidden`. */
export function readCluster(
  services: Services,
  actor: MemberActor,
  { projectId, clusterId }: ClusterAsked,
): Promise<Named & { merged_into: Named | null }> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const [found] = await rawQuery<{ name: string | null; root: string; root_name: string | null }>(
      em,
      `with recursive ${rootsOf('$1')} select c.name, r.root, t.name as root_name
       from root r join cluster c on c.id = r.id join cluster t on t.id = r.root where r.id = $2`,
      [projectId, clusterId],
    );
    if (found === undefined) throw notFound();
    const { name, root, root_name } = found;
    const reasons = await commonestReasons(em, [clusterId, root]);
    const named = (id: string, own: string | null): Named => ({ id, name: own ?? reasons.get(id) ?? '' });
    return { ...named(clusterId, name), merged_into: root === clusterId ? null : named(root, root_name) };
  });
}

type ReasonVariantsQuery = ClusterAsked & PageQuery & { text: string | undefined };

interface ReasonVariant {
  reason: string;
  count: number;
}

/** The most common first; excluded learnings do not count. Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listReasonVariants(
  services: Services,
  actor: MemberActor,
  query: ReasonVariantsQuery,
): Promise<{ data: ReasonVariant[]; next_cursor: string | null }> {
  const { projectId, limit } = query;
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const rows = await variantsOf(em, query);
    if (rows.length === 0) await readCluster(services, actor, query);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      data: page.map(({ reason, count }) => ({ reason, count })),
      next_cursor: rows.length > limit && last !== undefined ? encodeRank({ rank: last.count, id: last.id }) : null,
    };
  });
}

/** Reads one extra row. */
function variantsOf(
  em: Em,
  { projectId, clusterId, text, after, limit }: ReasonVariantsQuery,
): Promise<(ReasonVariant & { id: string })[]> {
  const from = decodeRank(after);
  return rawQuery(
    em,
    `with recursive ${treeOf({ cluster: '$2::uuid', project: '$1' })}
     select * from (select w.id, w.reason, count(l.id)::int as count from wording w join tree t on t.id = w.cluster_id
       left join learning l on l.project_id = w.project_id and l.reason = w.reason and not l.excluded and not l.superseded
       where $3::text is null or strpos(lower(w.reason), lower($3::text)) > 0 group by w.id, w.reason) given
     where $4::int is null or (count, id) < ($4::int, $5::uuid) order by count desc, id desc limit $6`,
    [projectId, clusterId, text ?? null, from?.rank ?? null, from?.id ?? null, limit + 1],
  );
}

/** One pass over the items, whose reading is by far the largest part. */
const VALUES = `
  with met as materialized (select i.risk_flags, i.model, i.source, count(*) as count ${fromOf({ joins: true })}
      where l.project_id = $1 and not l.superseded group by 1, 2, 3),
    given as (select 'flags' as kind, flag.value, sum(count) as count from met cross join unnest(risk_flags) as flag(value) group by 2
      union all select 'models', model, sum(count) from met where model is not null group by 2
      union all select 'sources', source, sum(count) from met where source is not null group by 2),
    placed as (select *, row_number() over (partition by kind order by count desc, value) as place from given)
  select kind, value, count::int as count from placed where place <= ${VALUES_LISTED} order by kind, place`;

/** Errors: `not_found`, `forbidden`. */
export function listLearningValues(services: Services, actor: MemberActor, projectId: string): Promise<LearningValues> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const rows = await rawQuery<{ kind: keyof LearningValues; value: string; count: number }>(em, VALUES, [projectId]);
    const values: LearningValues = { flags: [], models: [], sources: [] };
    for (const { kind, ...one } of rows) values[kind].push(one);
    return values;
  });
}
