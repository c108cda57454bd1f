// Regression runs and their cases in the words of the wire.
import type { PublicCase, PublicRegression, Regression, RegressionCase } from '@countersign/shared/api/regressions';
import { spliced } from '../domain/decision.ts';

interface RunFacts extends Omit<Regression, 'created_at' | 'answered_at'> {
  project_id: string;
  created_at: string | Date;
  answered_at: string | Date | null;
}

const moment = (at: string | Date): string => new Date(at).toISOString();

export function presentRegression({ project_id: _, created_at, answered_at, ...run }: RunFacts): Regression {
  return { ...run, created_at: moment(created_at), answered_at: answered_at === null ? null : moment(answered_at) };
}

export function presentPublicRegression(run: RunFacts): PublicRegression {
  const { id, project_id, title, cases, answered, still_fails, differs, fixed, created_at } = run;
  return { id, project_id, title, cases, answered, still_fails, differs, fixed, created_at: moment(created_at) };
}

export const presentPublicCase = (row: { id: string; input: string; metadata: string | null }): PublicCase => ({
  id: row.id,
  input: spliced(row.input),
  metadata: row.metadata === null ? null : spliced<Record<string, never>>(row.metadata),
});

type CaseFacts = Omit<RegressionCase, 'suggestion' | 'output' | 'answer' | 'answered_at'> & {
  suggestion: string;
  output: string | null;
  answer: string | null;
  answered_at: string | Date | null;
};

export function presentCase(row: CaseFacts): RegressionCase {
  return {
    ...row,
    suggestion: spliced(row.suggestion),
    output: row.output === null ? null : spliced(row.output),
    answer: row.answer === null ? null : spliced(row.answer),
    answered_at: row.answered_at === null ? null : moment(row.answered_at),
  };
}
