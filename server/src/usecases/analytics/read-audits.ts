// Reads what audits say about a project's automatic answers (AU4), and the state of its error budget (AU5).
import type { Audits } from '@countersign/shared/schemas/audits';
import { auditStrata, hasGap } from '../../db/audits/audit-rows.ts';
import { type GuaranteeSpan, guaranteeSpan } from '../../db/audits/audit-span.ts';
import { assessBudget } from '../../db/audits/assess-budget.ts';
import { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';
import { auditError, auditsLeft, auditsNeeded } from '../../domain/audits/audit-error.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { monthWindow, type WindowQuery } from './time-window.ts';

/**
 * Over the audits that the budget uses, or over a requested window. The person who chooses a window may have looked before, so
 * the anytime bound is unknown for it. Errors: `not_found`, `forbidden`, `validation_failed` (an empty window).
 */
export function readAudits(services: Services, actor: MemberActor, query: WindowQuery): Promise<Audits> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId: query.projectId }, 'see_analytics');
    const now = services.clock.now();
    const project = await em.findOneOrFail(Project, { id: query.projectId });
    const guarantee = await guaranteeSpan(em, project.id, now);
    const asked = query.from !== undefined || query.to !== undefined;
    const span = asked ? monthWindow(query, now) : guarantee;
    const { strata, waiting, more } = await auditStrata(em, span);
    const { anytime, ...error } = auditError(strata);
    return {
      from: (asked ? span.from : guarantee.began.at).toISOString(),
      to: span.to.toISOString(),
      server_time: now.toISOString(),
      rate: project.auditRate,
      auto_threshold: project.autoThreshold,
      ...error,
      waiting,
      ended: error.drawn - error.judged - waiting,
      anytime: asked ? null : anytime,
      began: asked ? null : { why: guarantee.began.why, model: guarantee.began.model },
      more,
      gap: await hasGap(em, { ...span, from: asked ? span.from : guarantee.began.at }),
      budget: await readBudget(em, project, guarantee),
    };
  });
}

/** Uses the audits of the budget job, for any requested window, so that the page and the owners' alerts agree. */
async function readBudget(em: Em, project: Project, span: GuaranteeSpan): Promise<Audits['budget']> {
  const { errorBudget, overBudgetSince, auditRate: rate } = project;
  if (errorBudget === null || errorBudget === undefined) return null;
  const { strata, state, earlierModels } = await assessBudget(em, span, errorBudget);
  return {
    share: errorBudget,
    state,
    earlier_models: earlierModels,
    judged: strata.reduce((sum, { judged }) => sum + judged, 0),
    needed: finite(auditsNeeded(errorBudget)),
    left: finite(auditsLeft(strata, { rate, budget: errorBudget })),
    over_since: overBudgetSince?.toISOString() ?? null,
  };
}

const finite = (count: number): number | null => (Number.isFinite(count) ? count : null);
