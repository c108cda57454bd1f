// Counts how often reviewers gave each reason of a project's list in a window.
import type { ReasonCounts } from '@countersign/shared/schemas/learnings';
import { Project } from '../../db/entities/project.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { requirePermission } from '../access/membership.ts';
import { monthWindow, type WindowQuery } from '../analytics/time-window.ts';
import type { MemberActor, Services } from '../services.ts';
import { countsIn } from './learning-where.ts';

/** A learning without a reason counts nowhere. Errors: `not_found`, `forbidden`, `validation_failed` (an empty window). */
export function listReasonCounts(services: Services, actor: MemberActor, query: WindowQuery): Promise<ReasonCounts> {
  const { projectId } = query;
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const { from, to } = monthWindow(query, services.clock.now());
    const { reasons } = await em.findOneOrFail(Project, { id: projectId }, { fields: ['reasons'] });
    const rows = await rawQuery<{ reason: string | null; count: number }>(
      em,
      `select listed.reason, count(*)::int as count from learning l
         left join (select distinct unnest(reasons) as reason from project where id = $1) listed on listed.reason = l.reason
       where l.project_id = $1 and l.created_at >= $2 and l.created_at < $3 and l.reason <> '' and not l.superseded and ${countsIn({})}
       group by 1`,
      [projectId, from, to],
    );
    const counts = new Map(rows.map(({ reason, count }) => [reason, count]));
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      reasons: [...new Set(reasons)].map((reason) => ({ reason, count: counts.get(reason) ?? 0 })),
      other: counts.get(null) ?? 0,
    };
  });
}
