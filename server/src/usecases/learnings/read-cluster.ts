// Reads one cluster: its name, the cluster it was merged into, and its reason variants.
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { commonestReasons, rootsOf, treeOf } from './cluster-roots.ts';
import { decodeRank, encodeRank, type PageQuery } from '../cursor.ts';

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
       left join learning l on l.project_id = w.project_id and l.reason = w.reason and not l.excluded
       where $3::text is null or strpos(lower(w.reason), lower($3::text)) > 0 group by w.id, w.reason) given
     where $4::int is null or (count, id) < ($4::int, $5::uuid) order by count desc, id desc limit $6`,
    [projectId, clusterId, text ?? null, from?.rank ?? null, from?.id ?? null, limit + 1],
  );
}
