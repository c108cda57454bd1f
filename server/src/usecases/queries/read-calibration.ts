// Does confidence keep its word? How often people kept a suggestion, by its confidence (AN22).
import { SAMPLE_SIZE, type Calibration } from '@countersign/shared/api/thresholds';
import { quantileBins } from '../../domain/calibration.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { Project } from '../../db/entities/project.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { confidenceBins } from './confidence-bins.ts';
import { monthWindow, type TimeWindow, wholeMinutes, type WindowQuery } from './time-window.ts';

/** Errors: `not_found`, `forbidden`, `validation_failed` (an empty window). */
export function readCalibration(services: Services, actor: MemberActor, query: WindowQuery): Promise<Calibration> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId: query.projectId }, 'see_analytics');
    const now = services.clock.now();
    const window = wholeMinutes(monthWindow(query, now));
    const project = await em.findOneOrFail(Project, { id: window.projectId });
    const groups = await newest(em, window);
    const of = (audit: boolean) =>
      quantileBins(
        groups.filter((group) => group.audit === audit),
        audit,
      );
    return {
      from: window.from.toISOString(),
      to: window.to.toISOString(),
      server_time: now.toISOString(),
      auto_threshold: project.autoThreshold,
      uniform: await confidenceBins(em, window),
      quantile: [...of(false), ...of(true)],
    };
  });
}

/** The newest decisions by confidence, ascending. */
async function newest(em: Em, { projectId, from, to }: TimeWindow) {
  const rows = await rawQuery<{ confidence: number; audit: boolean; n: string; kept: string }>(
    em,
    `select i.confidence, i.rule = 'RT2' as audit, count(*) as n, count(*) filter (where d.action = 'approve') as kept
     from (select item_id, action from decision
         where project_id = $1 and reviewer_id is not null and decided_at >= $2 and decided_at < $3
         order by decided_at desc limit ${SAMPLE_SIZE}) d
       join item i on i.id = d.item_id
     where d.action in ('approve', 'edit', 'reject') group by 1, 2 order by 1`,
    [projectId, from, to],
  );
  return rows.map((row) => ({ ...row, n: Number(row.n), kept: Number(row.kept) }));
}
