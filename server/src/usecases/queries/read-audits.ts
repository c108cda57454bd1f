// What audits say of a project's automatic answers (AU4), and where that stands to its budget (AU5).
import type { Audits } from '@countersign/shared/api/audits';
import { auditStrata, hasGap } from '../../db/audit-rows.ts';
import { Project } from '../../db/entities/project.ts';
import { auditError, auditsNeeded, type AuditStratum, budgetState } from '../../domain/audit-error.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { monthWindow, type WindowQuery } from './time-window.ts';

/** Of the last 30 days, or of a window. Errors: `not_found`, `forbidden`, `validation_failed` (an empty window). */
export function readAudits(services: Services, actor: MemberActor, query: WindowQuery): Promise<Audits> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId: query.projectId }, 'see_analytics');
    const now = services.clock.now();
    const span = monthWindow(query, now);
    const project = await em.findOneOrFail(Project, { id: query.projectId });
    const { strata, more } = await auditStrata(em, span);
    const error = auditError(strata);
    return {
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      server_time: now.toISOString(),
      rate: project.auditRate,
      line: project.autoThreshold,
      ...error,
      more,
      gap: await hasGap(em, span),
      budget: budgetOf(project, strata),
    };
  });
}

function budgetOf({ errorBudget, overBudgetSince }: Project, strata: AuditStratum[]): Audits['budget'] {
  if (errorBudget === null || errorBudget === undefined) return null;
  const needed = auditsNeeded(errorBudget);
  return {
    share: errorBudget,
    state: budgetState(strata, errorBudget),
    needed: Number.isFinite(needed) ? needed : null,
    over_since: overBudgetSince?.toISOString() ?? null,
  };
}
