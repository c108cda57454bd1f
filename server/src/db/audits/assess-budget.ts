// Compares a project's audits with its error budget, for all models and for the newest alone (AU5, AU6).
import { type AuditStratum, budgetState, type BudgetState } from '../../domain/audits/audit-error.ts';
import { type AuditSpan, auditStrata } from './audit-rows.ts';
import type { GuaranteeSpan } from './audit-span.ts';
import type { Em } from '../orm.ts';

export interface BudgetAssessment {
  state: BudgetState;
  /** The audits that can prove the budget: those since the newest model began. */
  strata: AuditStratum[];
  /** The audits that exceed the budget; null when it is not exceeded. */
  crossedBy: AuditSpan | null;
  /** The span includes earlier models, because the newest one has too few audits. */
  earlierModels: boolean;
}

/**
 * A pipeline chooses its model name, so a new name must not reset the error count: while the newest model alone has too
 * few audits, the budget is exceeded by the series through all models, as if no model were named. Only audits of the
 * newest model can prove the budget.
 */
export async function assessBudget(em: Em, span: GuaranteeSpan, budget: number): Promise<BudgetAssessment> {
  const { strata } = await auditStrata(em, span);
  const state = budgetState(strata, budget);
  const alone = { state, strata, crossedBy: state === 'over' ? span : null, earlierModels: false };
  if (state !== 'too_little' || span.throughModels >= span.from) return alone;
  const crossedBy = { ...span, from: span.throughModels };
  const through = await auditStrata(em, crossedBy);
  if (budgetState(through.strata, budget) !== 'over') return alone;
  return { state: 'over', strata, crossedBy, earlierModels: true };
}
