// What audits say of a project's automatic answers (AU4), and where that stands to its budget (AU5).
import type { Audits } from '@countersign/shared/api/audits';
import { auditStrata, budgetSpan, hasGap } from '../../db/audit-rows.ts';
import { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';
import { auditError, auditsNeeded, budgetState } from '../../domain/audit-error.ts';
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
      budget: await readBudget(em, project, now),
    };
  });
}

/** By the audits that the watch looks at, whatever window was asked for: the page and the owners' alerts say the same. */
async function readBudget(em: Em, { id, errorBudget, overBudgetSince }: Project, now: Date): Promise<Audits['budget']> {
  if (errorBudget === null || errorBudget === undefined) return null;
  const span = await budgetSpan(em, id, now);
  const { strata } = await auditStrata(em, span);
  const needed = auditsNeeded(errorBudget);
  return {
    share: errorBudget,
    state: budgetState(strata, errorBudget),
    judged: strata.reduce((sum, { judged }) => sum + judged, 0),
    raised_at: span.raisedAt?.toISOString() ?? null,
    needed: Number.isFinite(needed) ? needed : null,
    over_since: overBudgetSince?.toISOString() ?? null,
  };
}
