// SQL for merged clusters: the root of each cluster, through any number of merges, and the tree below a root.
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';

/** A recursive query `root` with `id` and `root`, for use after `with recursive`; `project` is its parameter. */
export const rootsOf = (project: string): string =>
  `root as (select id, id as root from cluster where project_id = ${project} and merged_into is null
     union all select c.id, r.root from cluster c join root r on c.merged_into = r.id)`;

/** The names of clusters without their own name: the most common reason in them or in clusters merged into them. */
export async function commonestReasons(em: Em, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await rawQuery<{ top: string; reason: string }>(
    em,
    `with recursive tree as (select id, id as top from cluster where id = any($1::uuid[])
       union all select c.id, t.top from cluster c join tree t on c.merged_into = t.id)
     select distinct on (t.top) t.top, w.reason from tree t join wording w on w.cluster_id = t.id
     cross join lateral
       (select count(*) as count from learning l where l.project_id = w.project_id and l.reason = w.reason and not l.excluded and not l.superseded) given
     order by t.top, given.count desc, w.created_at, w.reason`,
    [`{${ids.join(',')}}`],
  );
  return new Map(rows.map(({ top, reason }) => [top, reason]));
}

/** A recursive query `tree` with the `id` of a cluster and of all merged into it, for use after `with recursive`. */
export const treeOf = ({ cluster, project }: { cluster: string; project: string }): string =>
  `tree as (select id from cluster where id = ${cluster} and project_id = ${project}
     union all select c.id from cluster c join tree t on c.merged_into = t.id)`;
