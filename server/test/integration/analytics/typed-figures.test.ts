// Figures of typed items: invalid suggestions by model, and written answers, which override nothing (AN4, AN31).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { listLearnings } from '@countersign/shared/routes/learnings';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, review, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const figures = () => project.owner.call(readAnalytics, { params: { id: project.id } });
const submitted = async (fields: object) => (await project.pipeline.submit(aSubmission(fields))).id;

describe('the analytics of typed items', () => {
  it('AN31: say by model how many suggestions did not satisfy their schema', async () => {
    const typed = { answer_schema: { type: 'string' } };
    for (const suggestion of ['a', 'b', 7]) await submitted({ ...typed, suggestion, metadata: { model: 'm-1' } });
    await submitted({ ...typed, suggestion: 7 });
    await submitted({ ...typed, suggestion: null });
    await submitted({ suggestion: 7, metadata: { model: 'm-2' } });
    const { invalid } = await figures();
    expect(invalid).toMatchObject([
      { key: 'm-1', judged: 3, invalid: 1 },
      { key: null, judged: 1, invalid: 1 },
    ]);
    expect(invalid[0]?.interval?.low).toBeGreaterThan(0);
  });

  it('AN4, LC8: count a response as an override, and a written answer as none', async () => {
    const allowed_actions = ['edit', 'reject', 'respond'] as const;
    await review(project.owner, await submitted({ allowed_actions: [...allowed_actions] }), 'respond');
    const id = await submitted({ suggestion: null });
    const params = { id };
    const { fence } = await project.owner.call(claimItem, { params });
    await project.owner.call(decideItem, { params, body: { fence, action: 'edit', output: 'Written.' } });
    const { by_action, overridden } = await figures();
    expect([by_action.respond, by_action.edit, overridden]).toEqual([1, 1, 1]);
    const { data } = await project.owner.call(listLearnings, { params: { id: project.id }, query: {} });
    expect(data).toMatchObject([
      { action: 'edit', output: 'Written.', reason: '', response: null },
      { action: 'respond', output: null, reason: '', response: 'Ask the customer first.' },
    ]);
  });
});
