// Regression runs: members start them and read their results, pipelines read and answer their cases.
import * as api from '@countersign/shared/routes/regressions';
import type { ItemKind } from '@countersign/shared/enums';
import { LIMITS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import type {
  AnswerResult,
  PublicCase,
  PublicRegression,
  Regression,
  RegressionCase,
} from '@countersign/shared/schemas/regressions';
import { answerRegression, type CaseAnswered } from '../../usecases/regressions/answer-regression.ts';
import { notFound } from '../../usecases/access/membership.ts';
import {
  listPublicCases,
  readPublicRegression,
  listRegressionCases,
  listRegressions,
} from '../../usecases/regressions/list-regressions.ts';
import type { Services } from '../../usecases/services.ts';
import { countRun, startRegression } from '../../usecases/regressions/start-regression.ts';
import { idempotencyKeyOf } from '../request/idempotency-key.ts';
import { toProblem } from '../response/problem.ts';
import { limitItems } from '../admission/rate-limit.ts';
import { readAnswers } from '../request/read-submission.ts';
import type { Binder } from '../route.ts';
import { rawJson } from '@countersign/shared/json/json';

export function bindRegressions(bind: Binder, services: Services): void {
  bind.member(api.beginRegression, async ({ actor, params, body: { cluster_id: cluster, title, ...filter }, ctx }) => {
    const input = { projectId: params.id, cluster, title, filter, requestKey: idempotencyKeyOf(ctx) };
    return presentRegression((await startRegression(services, actor, input)).run);
  });
  bind.member(api.listRegressions, async ({ actor, params, query: { cluster, after, limit } }) => {
    const page = await listRegressions(services, actor, { projectId: params.id, cluster, after, limit });
    return { data: page.rows.map(presentRegression), next_cursor: page.nextCursor };
  });
  bind.member(api.listRegressionCases, async ({ actor, params, query: { state, after, limit } }) => {
    const asked = { projectId: params.id, regressionId: params.regression_id, state, after, limit };
    const { run, rows, nextCursor } = await listRegressionCases(services, actor, asked);
    return { run: presentRegression(run), data: rows.map(presentCase), next_cursor: nextCursor };
  });
  bindPipeline(bind, services);
}

function bindPipeline(bind: Binder, services: Services): void {
  bind.pipeline(api.startRegression, async ({ actor, body: { cluster_id: cluster, title, ...filter }, ctx }) => {
    const { projectId } = actor;
    const input = { projectId, cluster, title, filter, requestKey: idempotencyKeyOf(ctx) };
    await limitItems(services, ctx, { actor, items: await countRun(services, input) });
    const { run, replayed } = await startRegression(services, actor, input);
    if (replayed) ctx.set('idempotent-replayed', 'true');
    return presentPublicRegression(run);
  });
  bind.pipeline(api.readRegression, async ({ actor, params }) =>
    presentPublicRegression(await readPublicRegression(services, actor, params.id)),
  );
  bind.pipeline(api.listCases, async ({ actor, params, query: { unanswered, after, limit } }) => {
    const asked = { regressionId: params.id, unanswered: unanswered === 'true', after, limit };
    const page = await listPublicCases(services, actor, asked);
    const more = page.nextCursor !== null;
    return { data: page.rows.map(presentPublicCase), has_more: more, next_cursor: page.nextCursor };
  });
  bind.pipelineBytes(api.answerCases, LIMITS.batchBytes, async ({ actor, params, bytes, ctx }) => {
    const read = await readAnswers(bytes);
    await limitItems(services, ctx, { actor, items: read.length });
    const answers = read.filter((one): one is CaseAnswered => !(one instanceof Refusal));
    const outcomes = (await answerRegression(services, actor, { regressionId: params.id, answers })).values();
    return {
      results: read.map((one, index): AnswerResult => {
        if (one instanceof Refusal) return { index, error: toProblem(one, ctx) };
        const result = outcomes.next().value;
        if (!result) return { index, error: toProblem(notFound(), ctx) };
        const { caseId: case_id, outcome, status, faults } = result;
        return { index, case_id, outcome, status, ...(faults.length > 0 && { faults: [...faults] }) };
      }),
    };
  });
}

interface RunRow extends Omit<Regression, 'created_at' | 'answered_at'> {
  project_id: string;
  created_at: string | Date;
  answered_at: string | Date | null;
}

const moment = (at: string | Date): string => new Date(at).toISOString();

function presentRegression({ project_id: _, created_at, answered_at, ...run }: RunRow): Regression {
  return { ...run, created_at: moment(created_at), answered_at: answered_at === null ? null : moment(answered_at) };
}

function presentPublicRegression(run: RunRow): PublicRegression {
  const { id, project_id, title, cases, answered, still_fails, differs, fixed, created_at } = run;
  return { id, project_id, title, cases, answered, still_fails, differs, fixed, created_at: moment(created_at) };
}

interface PublicCaseRow {
  id: string;
  input: string;
  metadata: string | null;
  kind: ItemKind;
  answer_schema: string | null;
}

const presentPublicCase = (row: PublicCaseRow): PublicCase => ({
  id: row.id,
  input: rawJson(row.input),
  metadata: row.metadata === null ? null : rawJson<Record<string, never>>(row.metadata),
  ...(row.kind !== 'answer' && { kind: row.kind }),
  ...(row.answer_schema !== null && { answer_schema: rawJson(row.answer_schema) }),
});

type CaseRow = Omit<RegressionCase, 'suggestion' | 'output' | 'answer' | 'answered_at' | 'faults'> & {
  faults: string | null;
  suggestion: string;
  output: string | null;
  answer: string | null;
  answered_at: string | Date | null;
};

function presentCase(row: CaseRow): RegressionCase {
  return {
    ...row,
    suggestion: rawJson(row.suggestion),
    output: row.output === null ? null : rawJson(row.output),
    answer: row.answer === null ? null : rawJson(row.answer),
    faults: row.faults === null ? null : rawJson(row.faults),
    answered_at: row.answered_at === null ? null : moment(row.answered_at),
  };
}
