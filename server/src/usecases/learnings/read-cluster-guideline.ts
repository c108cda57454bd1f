// Reads since when the guidelines name a cluster, and its rate before and after that (CT6).
import type { ClusterGuideline, ClusterRate } from '@countersign/shared/schemas/clusters';
import { REASONS_SHOWN, TREND_DAYS } from '@countersign/shared/limits';
import { lineNaming, versionNaming } from '@countersign/shared/formats/named-reasons';
import { wilson } from '@countersign/shared/statistics/statistics';
import { withFigures, type Figures } from '../../analytics/read-rollups.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { sumOf } from '../../domain/analytics/report.ts';
import { requirePermission } from '../access/membership.ts';
import { wholeMinutes, type TimeWindow } from '../analytics/time-window.ts';
import type { MemberActor, Services } from '../services.ts';
import { treeOf } from './cluster-roots.ts';
import { countsIn } from './learning-where.ts';
import { readCluster } from './read-clusters.ts';

/** Rates are compared over at most this time on either side. */
const SPAN_MS = TREND_DAYS * 24 * 60 * 60_000;
/** The newest changes of the guidelines that are searched. */
const VERSIONS = 100;

interface Asked {
  projectId: string;
  clusterId: string;
}

/** Errors: `not_found`, `forbidden`. */
export async function readClusterGuideline(
  services: Services,
  actor: MemberActor,
  asked: Asked,
): Promise<ClusterGuideline> {
  const { name } = await readCluster(services, actor, asked);
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId: asked.projectId }, 'see_learnings');
    const names = [name, ...(await reasonsOf(em, asked))];
    const found = versionNaming(await versionsOf(em, asked.projectId), names);
    if (found === null) return { guideline: null, before: null, after: null };
    const { version, text } = found;
    const now = services.clock.now();
    const changed = new Date(found.changed_at);
    const guideline = { version, changed_at: changed.toISOString(), line: lineNaming(text, names) ?? '' };
    if (version === 1 || changed >= now) return { guideline, before: null, after: null };
    const since = new Date(Math.max(changed.getTime(), now.getTime() - SPAN_MS));
    const length = now.getTime() - since.getTime();
    return withFigures(em, asked.projectId, async (figures, moment) => {
      const rate = (from: Date, to: Date) =>
        rateIn(figures, moment, { ...asked, ...wholeMinutes({ projectId: asked.projectId, from, to }) });
      return {
        guideline,
        before: await rate(new Date(changed.getTime() - length), changed),
        after: await rate(since, now),
      };
    });
  });
}

/** The most common reason variants of a cluster and of those merged into it. */
async function reasonsOf(em: Em, { projectId, clusterId }: Asked): Promise<string[]> {
  const rows = await rawQuery<{ reason: string }>(
    em,
    `with recursive ${treeOf({ cluster: '$2::uuid', project: '$1' })}
     select w.reason from wording w join tree t on t.id = w.cluster_id
     left join learning l on l.project_id = w.project_id and l.reason = w.reason and not l.superseded and ${countsIn({})}
     group by w.reason, w.created_at order by count(l.id) desc, w.created_at limit ${REASONS_SHOWN}`,
    [projectId, clusterId],
  );
  return rows.map(({ reason }) => reason);
}

/** The settings versions that changed the guidelines, newest first. */
const versionsOf = (em: Em, projectId: string) =>
  rawQuery<{ version: number; text: string; changed_at: string | Date }>(
    em,
    `select version, text, changed_at from (
       select version, changed_at, settings ->> 'guidelines' as text,
         lag(settings ->> 'guidelines') over (order by version) as was
       from project_settings where project_id = $1) v
     where was is distinct from text order by version desc limit ${VERSIONS}`,
    [projectId],
  );

/**
 * Learnings of the cluster among the decisions of people, audits included, at the time of the first decision of a person on the
 * item, as rollups count it: a learning of a revision is later, and of what no person had decided it counts nowhere (RV7).
 */
async function rateIn(
  figures: Figures,
  em: Em,
  { projectId, clusterId, from, to }: TimeWindow & Asked,
): Promise<ClusterRate> {
  const [sums = []] = await figures.over([{ low: from.getTime(), high: to.getTime() }], ['decided', 'verdict']);
  const decided = sumOf(sums, 'decided', 'verdict');
  const [row] = await rawQuery<{ n: number }>(
    em,
    `with recursive ${treeOf({ cluster: '$2::uuid', project: '$1' })}
     select count(*)::int as n from learning l join wording w on w.project_id = l.project_id and w.reason = l.reason
     join tree t on t.id = w.cluster_id
     join decision f on f.item_id = l.item_id and f.revision = 1 and f.reviewer_id is not null
     where l.project_id = $1 and l.created_at >= $3 and f.decided_at >= $3 and f.decided_at < $4 and not l.superseded and ${countsIn({})}`,
    [projectId, clusterId, from, to],
  );
  // Rollups date a decision by the clock of the service, and may be behind (AN7).
  const learnings = Math.min(row?.n ?? 0, decided);
  return { from: from.toISOString(), to: to.toISOString(), learnings, decided, interval: wilson(learnings, decided) };
}
