// Presents regression runs and their cases in the wire format.
import type { PublicCase, PublicRegression, Regression, RegressionCase } from '@countersign/shared/api/regressions';
import { rawJson } from '../domain/items/decision.ts';

interface RunRow extends Omit<Regression, 'created_at' | 'answered_at'> {
  project_id: string;
  created_at: string | Date;
  answered_at: string | Date | null;
}

const moment = (at: string | Date): string => new Date(at).toISOString();

export function presentRegression({ project_id: _, created_at, answered_at, ...run }: RunRow): Regression {
  return { ...run, created_at: moment(created_at), answered_at: answered_at === null ? null : moment(answered_at) };
}

export function presentPublicRegression(run: RunRow): PublicRegression {
  const { id, project_id, title, cases, answered, still_fails, differs, fixed, created_at } = run;
  return { id, project_id, title, cases, answered, still_fails, differs, fixed, created_at: moment(created_at) };
}

export const presentPublicCase = (row: { id: string; input: string; metadata: string | null }): PublicCase => ({
  id: row.id,
  input: rawJson(row.input),
  metadata: row.metadata === null ? null : rawJson<Record<string, never>>(row.metadata),
});

type CaseRow = Omit<RegressionCase, 'suggestion' | 'output' | 'answer' | 'answered_at'> & {
  suggestion: string;
  output: string | null;
  answer: string | null;
  answered_at: string | Date | null;
};

export function presentCase(row: CaseRow): RegressionCase {
  return {
    ...row,
    suggestion: rawJson(row.suggestion),
    output: row.output === null ? null : rawJson(row.output),
    answer: row.answer === null ? null : rawJson(row.answer),
    answered_at: row.answered_at === null ? null : moment(row.answered_at),
  };
}
