// The list of answers: what was suggested and what was decided for the newest items, for those who change the schema.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listAnswers } from '@countersign/shared/routes/projects';
import { claimItem, decideItem, reviseItem } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, review, setUndoWindow, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterAll(() => served.close());

const newProject = async (): Promise<OpenProject> => openProject(await person(served.testEnv));
const answersOf = ({ owner, id }: OpenProject, query: { after?: string; limit?: number } = {}) =>
  owner.call(listAnswers, { params: { id }, query });

it('ST5: has the suggestion of each item and the output of its final decision, newest first', async () => {
  const project = await newProject();
  const submit = async (item: object) => (await project.pipeline.submit(aSubmission(item))).id;
  const automatic = await submit({ suggestion: { amount: 5 }, confidence: 1 });
  const edited = await submit({ suggestion: { amount: '5' }, title: 'Refund A-1' });
  const { fence } = await project.owner.call(claimItem, { params: { id: edited } });
  const body = { fence, action: 'edit' as const, output: { amount: 7 }, reason: 'Wrong fact' };
  await project.owner.call(decideItem, { params: { id: edited }, body });
  const rejected = await submit({});
  await review(project.owner, rejected, 'reject');
  const call = { name: 'refund', arguments: { amount: 5 } };
  const waiting = await submit({ kind: 'tool_call', suggestion: call });
  const unwritten = await submit({ suggestion: null });

  const { data, next_cursor } = await answersOf(project);
  expect(data.map(({ id }) => id)).toEqual([unwritten, waiting, rejected, edited, automatic]);
  expect(data.map(({ kind, status, suggestion, output }) => ({ kind, status, suggestion, output }))).toEqual([
    { kind: 'answer', status: 'queued', suggestion: null, output: undefined },
    { kind: 'tool_call', status: 'queued', suggestion: call, output: undefined },
    { kind: 'answer', status: 'rejected', suggestion: data[2]?.suggestion, output: undefined },
    { kind: 'answer', status: 'approved', suggestion: { amount: '5' }, output: { amount: 7 } },
    { kind: 'answer', status: 'auto_approved', suggestion: { amount: 5 }, output: { amount: 5 } },
  ]);
  expect(data[3]?.title).toBe('Refund A-1');
  expect(next_cursor).toBeNull();
});

it('LC2: omits an output that can still be undone', async () => {
  const project = await newProject();
  await setUndoWindow(project, 30);
  const { id } = await project.pipeline.submit(aSubmission());
  await review(project.owner, id);
  expect((await answersOf(project)).data[0]).not.toHaveProperty('output');
});

it('RV1: has the newest output of a decision that was revised, and its item once', async () => {
  const project = await newProject();
  await setUndoWindow(project, 0);
  const { id } = await project.pipeline.submit(aSubmission({ suggestion: 'Yes' }));
  await review(project.owner, id);
  const body = { action: 'edit' as const, output: 'No', reason: 'Wrong fact' };
  await project.owner.call(reviseItem, { params: { id }, body });
  expect((await answersOf(project)).data).toMatchObject([{ id, suggestion: 'Yes', output: 'No' }]);
});

it('AU3: shows an audit that waits like any item that waits', async () => {
  const project = await openProject(await person(served.testEnv), { settings: { audit_rate: 1 } });
  const { id } = await project.pipeline.submit(aSubmission({ confidence: 1 }));
  expect((await answersOf(project)).data[0]).not.toHaveProperty('output');
  await setUndoWindow(project, 30);
  await review(project.owner, id);
  expect((await answersOf(project)).data[0]).not.toHaveProperty('output');
});

it('KE2: omits redacted items', async () => {
  const project = await newProject();
  const { id } = await project.pipeline.submit(aSubmission());
  await inside.sql('update item set emptied_at = now() where id = ?', [id]);
  expect((await answersOf(project)).data).toEqual([]);
});

it('MB3: ends a page of large items early, and misses and repeats none', async () => {
  const project = await newProject();
  const sent: string[] = [];
  for (let n = 0; n < 12; n += 1)
    sent.push((await project.pipeline.submit(aSubmission({ suggestion: 'x'.repeat(200_000) }))).id);
  const seen: string[] = [];
  let pages = 0;
  for (let after: string | undefined; ; pages += 1) {
    const page = await answersOf(project, after === undefined ? {} : { after });
    expect(JSON.stringify(page).length).toBeLessThan(1.7 * 1024 * 1024);
    seen.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) break;
    after = page.next_cursor;
  }
  expect(seen).toEqual(sent.reverse());
  expect(pages).toBeGreaterThan(0);
});

it('PM: is for owners, and finds no foreign project', async () => {
  const project = await newProject();
  const params = { id: project.id };
  const supervisor = await person(served.testEnv);
  await join(project, supervisor, 'supervisor');
  await supervisor.refused('forbidden', listAnswers, { params });
  await (await person(served.testEnv)).refused('not_found', listAnswers, { params });
});
