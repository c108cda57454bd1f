// Where the audits of a project stand to its error budget, its models together and the newest alone (AU5, AU6).
import { type AuditStratum, budgetState, type BudgetState } from '../../domain/audits/audit-error.ts';
import { type AuditSpan, auditStrata } from './audit-rows.ts';
import type { GuaranteeSpan } from './audit-span.ts';
import type { Em } from '../orm.ts';

export interface BudgetAssessment {
  state: BudgetState;
  /** What proves the budget: the audits since the newest model began. */
  strata: AuditStratum[];
  /** The audits that crossed it; null where it is not crossed. */
  crossedBy: AuditSpan | null;
  /** They are of earlier models as well, because those of the newest are too few to tell. */
  earlierModels: boolean;
}

/**
 * A pipeline chooses what it calls its model, so a new name forgets no errors: as long as the newest model alone is too little to tell,
 * the budget is crossed by the series that goes on through all of them, as it would be had nobody named a model. It is proven by the
 * newest alone.
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
