// Common steps of regression tests: override, start a run, read its cases, answer them.
import type { CaseState } from '@countersign/shared/enums';
import { answerRegression, type CaseAnswered } from '../../../src/usecases/regressions/answer-regression.ts';
import { listRegressionCases } from '../../../src/usecases/regressions/list-regressions.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { type RunInput, startRegression } from '../../../src/usecases/regressions/start-regression.ts';
import { assignClustersOnce } from '../../../src/worker/assign-clusters.ts';
import { anItem, review, type ProjectFixture } from '../support/project-fixture.ts';

type Who = Parameters<typeof startRegression>[1];

/** `fixture` returns the fixture of the running test. */
export function regressionSteps(testEnv: { services: Services }, fixture: () => ProjectFixture) {
  /** An override of the suggestion `n`; an edit makes `n+100` of it. */
  async function overridden(n: number, action: 'edit' | 'reject', reason = 'Wrong sum'): Promise<string> {
    const input = { value: { n }, raw: `{"n": ${n}.0}` };
    const { id } = await anItem(testEnv.services, fixture(), { input, suggestion: { raw: String(n) } });
    const output = action === 'edit' ? { value: n + 100, raw: String(n + 100) } : null;
    await review(testEnv.services, fixture().supervisor, { itemId: id, action, reason, output });
    await assignClustersOnce(testEnv.services);
    return id;
  }
  const begin = (input: Partial<RunInput> = {}, who: Who = fixture().supervisor) =>
    startRegression(testEnv.services, who, {
      projectId: fixture().projectId,
      cluster: undefined,
      title: undefined,
      filter: {},
      requestKey: null,
      ...input,
    });
  const start = async (input: Partial<RunInput> = {}, who: Who = fixture().supervisor) => (await begin(input, who)).run;
  const casesOf = (regressionId: string, state?: CaseState, who = fixture().supervisor) =>
    listRegressionCases(testEnv.services, who, {
      projectId: fixture().projectId,
      regressionId,
      state,
      after: undefined,
      limit: 50,
    });
  const answer = (regressionId: string, answers: (Partial<CaseAnswered> & { caseId: string })[]) =>
    answerRegression(testEnv.services, fixture().pipeline, {
      regressionId,
      answers: answers.map((one) => ({ suggestion: '0', confidence: 0.8, riskFlags: [], ...one })),
    });
  const caseOf = async (run: string, itemId: string) => {
    const found = (await casesOf(run)).rows.find(({ item_id }) => item_id === itemId);
    if (found === undefined) throw new Error('There is no such case.');
    return found.id;
  };
  return { overridden, begin, start, casesOf, answer, caseOf };
}
