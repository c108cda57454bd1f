// Tests regression cases of typed items: they carry kind and schema, and answers that break them fail (RS1).
import { endpointOf } from '@countersign/shared/contract/endpoints';
import * as api from '@countersign/shared/routes/regressions';
import type { Json } from '@countersign/shared/json/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject, review, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const SCHEMA = { type: 'object', properties: { amount: { type: 'number' } } };
const callOf = (amount: Json, name = 'refund') => ({ name, arguments: { amount } });

async function public_<R>(route: { method: string; path: string }, body?: object, id = ''): Promise<R> {
  const headers = { 'x-api-key': project.pipeline.apiKey, 'content-type': 'application/json' };
  const path = route.path.replace(':id', id);
  const { status, text } = await ask(served, {
    method: route.method,
    path,
    headers,
    body: body && JSON.stringify(body),
  });
  if (status >= 400) throw new Error(text);
  return JSON.parse(text) as R;
}

describe('RS1: a case of a tool call', () => {
  it('carries kind and schema, and an answer that satisfies neither still fails', async () => {
    const fields = { kind: 'tool_call', suggestion: callOf(9), answer_schema: SCHEMA, title: 'Refund A-1' } as const;
    const { id: itemId } = await project.pipeline.submit({ input: 'Refund?', confidence: 0.8, ...fields });
    await review(project.owner, itemId, 'reject');
    const { id } = await public_<{ id: string }>(api.startRegression, {});
    const { data } = await public_<{ data: { id: string }[] }>(api.listCases, undefined, id);
    expect(data).toMatchObject([{ kind: 'tool_call', answer_schema: SCHEMA }]);
    const case_id = data[0]?.id;
    const answered = async (suggestion: unknown) => {
      const body = { items: [{ case_id, suggestion, confidence: 0.99 }] };
      const { results } = endpointOf(api.answerCases).reply?.parse(await public_(api.answerCases, body, id)) ?? {
        results: [],
      };
      const [one] = results;
      if (one === undefined || 'error' in one) throw new Error(JSON.stringify(one));
      return [one.outcome, one.status, ...(one.faults ?? []).map(({ pointer, keyword }) => `${pointer} ${keyword}`)];
    };
    expect(await answered(callOf('all'))).toEqual(['still_fails', 'queued', '/arguments/amount type']);
    const params = { id: project.id, regression_id: id };
    expect((await project.owner.call(api.listRegressionCases, { params })).data).toMatchObject([
      { title: 'Refund A-1', outcome: 'still_fails', faults: [{ pointer: '/arguments/amount' }] },
    ]);
    expect(await answered('refund')).toEqual(['still_fails', 'queued', ' type']);
    expect(await answered(null)).toEqual(['still_fails', 'queued', ' type']);
    expect(await answered(callOf(3))).toEqual(['differs', 'auto_approved']);
    expect((await project.owner.call(api.listRegressionCases, { params })).data).toMatchObject([{ faults: null }]);
  });
});
