// Reads the calibration: how often people approved a suggestion unchanged, by its confidence (AN22).
import type { Calibration, ConfidenceBin } from '@countersign/shared/schemas/thresholds';
import { quantileBins } from '../../domain/analytics/calibration.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { Project } from '../../db/entities/project.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { newestDecisions } from '../decisions/newest-decisions.ts';
import { monthWindow, type TimeWindow, wholeMinutes, type WindowQuery } from './time-window.ts';
import { withFigures } from '../../analytics/read-rollups.ts';
import { CONFIDENCE_BINS, MILLION } from '../../domain/analytics/rollup.ts';
import { JUDGING_ACTIONS, OVERRIDE_ACTIONS } from '@countersign/shared/review-actions';
import { inList } from '../../db/in-list.ts';

/** Errors: `not_found`, `forbidden`, `validation_failed` (an empty window). */
export function readCalibration(services: Services, actor: MemberActor, query: WindowQuery): Promise<Calibration> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId: query.projectId }, 'see_analytics');
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

/**
 * The newest decisions grouped by confidence, ascending. An audit that nobody had judged is none of them, also where its end was
 * revised (RV4).
 */
async function newest(em: Em, { projectId, from, to }: TimeWindow) {
  const rows = await rawQuery<{ confidence: number; audit: boolean; n: string; unchanged: string }>(
    em,
    `select confidence, rule = 'RT2' as audit, count(*) as n, count(*) filter (where action not in (${inList(OVERRIDE_ACTIONS)})) as unchanged
     from (${newestDecisions('d.action, d.first_action, i.confidence, i.rule, i.has_suggestion')}) d
     where has_suggestion and action in (${inList(JUDGING_ACTIONS)})
       and (rule <> 'RT2' or first_action in (${inList(JUDGING_ACTIONS)})) group by 1, 2 order by 1`,
    [projectId, from, to],
  );
  return rows.map((row) => ({ ...row, n: Number(row.n), unchanged: Number(row.unchanged) }));
}

/** Bins of 0.05, lowest first, with those of verdicts separate and empty ones omitted. The window is in whole minutes. */
export function confidenceBins(em: Em, { projectId, from, to }: TimeWindow): Promise<ConfidenceBin[]> {
  return withFigures(em, projectId, async (figures) => {
    const [bins = []] = await figures.over([{ low: from.getTime(), high: to.getTime() }], ['bin', 'verdict_bin']);
    return bins
      .filter(({ n }) => n > 0)
      .map(({ measure, key, n, part, total }) => ({
        low: Number(key) / CONFIDENCE_BINS,
        high: (Number(key) + 1) / CONFIDENCE_BINS,
        audit: measure === 'verdict_bin',
        n,
        unchanged: part,
        confidence_sum: total / MILLION,
      }))
      .sort((one, other) => one.low - other.low || Number(one.audit) - Number(other.audit));
  });
}
