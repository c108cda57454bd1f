// Tests regression runs (RS): learnings answered again through the public API, judged, without any other effect.
import { randomUUID } from 'node:crypto';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import * as api from '@countersign/shared/routes/regressions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerRegression } from '../../../src/usecases/regressions/answer-regression.ts';
import { readPublicRegression } from '../../../src/usecases/regressions/list-regressions.ts';
import { stopProject } from '../../../src/usecases/projects/stop-project.ts';
import { regressionSteps } from './regression-fixture.ts';
import { createProjectFixture, useProjectFixture } from '../support/project-fixture.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { undo_window_seconds: 30, escalate_flags: ['legal'] });
let served: Served;

beforeAll(async () => {
  served = await serve(testEnv.services);
});
afterAll(() => served.close());

const { overridden, start, casesOf, answer, caseOf } = regressionSteps(testEnv, () => fixture);

describe('RS1: a run', () => {
  it('reports for each answer its outcome and its routing under the current settings; the last answer counts', async () => {
    const [edit, reject, open] = [
      await overridden(1, 'edit'),
      await overridden(2, 'reject'),
      await overridden(3, 'edit'),
    ];
    const { id, cases, answered } = await start({ title: 'v2' });
    expect([cases, answered]).toEqual([3, 0]);
    const [one, two] = [await caseOf(id, edit), await caseOf(id, reject)];
    const first = await answer(id, [
      { caseId: one, suggestion: '1.0', confidence: 0.99 },
      { caseId: randomUUID() },
      { caseId: two, suggestion: '7', confidence: 0.99, riskFlags: ['Legal'] },
    ]);
    expect(first).toEqual([
      { caseId: one, outcome: 'still_fails', status: 'auto_approved', faults: [] },
      null,
      { caseId: two, outcome: 'differs', status: 'escalated', faults: [] },
    ]);
    expect((await casesOf(id)).run).toMatchObject({ answered: 2, still_fails: 1, differs: 1, fixed: 0, unnoticed: 1 });
    expect(
      await answer(id, [
        { caseId: one, suggestion: '5' },
        { caseId: one, suggestion: '101' },
      ]),
    ).toMatchObject([{ outcome: 'differs' }, { outcome: 'fixed', status: 'queued' }]);
    const { run } = await casesOf(id);
    expect(run).toMatchObject({ answered: 2, still_fails: 0, fixed: 1, unnoticed: 0, answered_by_name: 'Pipeline' });
    const fixed = await casesOf(id, 'fixed');
    expect(fixed.rows).toMatchObject([
      { item_id: edit, suggestion: '1', output: '101', answer: '101', confidence: 0.8 },
    ]);
    expect((await casesOf(id, 'unanswered')).rows.map(({ item_id }) => item_id)).toEqual([open]);
  });

  it('RT7: reports that everything is queued while the project is stopped', async () => {
    await overridden(1, 'edit');
    const run = await start();
    const caseId = await caseOf(run.id, (await casesOf(run.id)).rows[0]?.item_id ?? '');
    await stopProject(testEnv.services, fixture.supervisor, { projectId: fixture.projectId, note: null });
    expect(await answer(run.id, [{ caseId, confidence: 1 }])).toMatchObject([{ status: 'queued' }]);
  });

  it('RS3: queues, decides and delivers nothing, and changes no learning', async () => {
    await overridden(1, 'edit');
    const counts = () =>
      testEnv.sql(
        `select (select count(*) from item where project_id = p.id)::int as items, (select count(*) from decision where project_id = p.id)::int as decisions,
           (select count(*) from learning where project_id = p.id)::int as learnings, (select count(*) from delivery where project_id = p.id)::int as deliveries,
           (select count(*) from event where project_id = p.id and type <> 'project.changed')::int as facts from project p where id = ?`,
        [fixture.projectId],
      );
    const before = await counts();
    const { id } = await start();
    const [only] = (await casesOf(id)).rows;
    await answer(id, [{ caseId: only?.id ?? '', suggestion: '1', confidence: 1 }]);
    expect(await counts()).toEqual(before);
  });
});

describe('permissions', () => {
  it('PM: supervisors start and read runs, reviewers may not; another project gets 404', async () => {
    await overridden(1, 'edit');
    const { id } = await start();
    const other = await createProjectFixture(testEnv.services);
    await expect(start({}, fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(start({}, other.owner)).rejects.toMatchObject({ code: 'not_found' });
    await expect(casesOf(id, undefined, fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(readPublicRegression(testEnv.services, other.pipeline, id)).rejects.toMatchObject({
      code: 'not_found',
    });
    const foreign = { regressionId: id, answers: [] };
    await expect(answerRegression(testEnv.services, other.pipeline, foreign)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('AR1: an archived project accepts neither runs nor answers', async () => {
    await overridden(1, 'edit');
    const { id } = await start();
    await testEnv.sql('update project set archived_at = now() where id = ?', [fixture.projectId]);
    for (const refused of [() => start(), () => start({}, fixture.pipeline), () => answer(id, [])])
      await expect(refused()).rejects.toMatchObject({ code: 'forbidden' });
    expect((await readPublicRegression(testEnv.services, fixture.pipeline, id)).cases).toBe(1);
  });
});

describe('over HTTP', () => {
  const send = async (method: 'GET' | 'POST', path: string, body?: string, more: Record<string, string> = {}) => {
    const type = body !== undefined && { 'content-type': 'application/json' };
    const sent = { 'x-api-key': fixture.apiKey, ...type, ...more };
    const { status, text, headers } = await ask(served, { method, path, body, headers: sent });
    return { status, text, headers, value: JSON.parse(text) as Record<string, never> };
  };

  it('RL1: counts the cases that a run pins; RS2: marks a repeat as one', async () => {
    for (let n = 0; n < 5; n += 1) await overridden(n, 'edit');
    const left = ({ headers }: Awaited<ReturnType<typeof send>>) =>
      Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const begun = await send('POST', api.startRegression.path, '{}', { 'idempotency-key': '"k-1"' });
    const before = left(begun);
    expect(begun.headers.get('idempotent-replayed')).toBeNull();
    const { quota } = testEnv.services.limiter.policies.default;
    expect(quota - before).toBeGreaterThanOrEqual(4);
    const again = await send('POST', api.startRegression.path, '{}', { 'idempotency-key': 'k-1' });
    expect([again.status, again.headers.get('idempotent-replayed'), again.value.id]).toEqual([
      201,
      'true',
      begun.value.id,
    ]);
    const reused = await send('POST', api.startRegression.path, '{"title":"x"}', { 'idempotency-key': 'k-1' });
    expect([reused.status, reused.value.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await send('POST', api.startRegression.path, '{}', { 'idempotency-key': 'é' })).status).toBe(400);
  });

  it('RS3: starts, reads, answers, returns a result per answer, and reports the progress', async () => {
    await overridden(1, 'edit');
    await overridden(2, 'reject');
    const begun = await send('POST', api.startRegression.path, '{"action":"edit","title":"v2"}');
    expect([begun.status, begun.value]).toEqual([201, expect.objectContaining({ cases: 1, title: 'v2' })]);
    const at = (path: string) => path.replace(':id', begun.value.id ?? '');
    const page = await send('GET', at(api.listCases.path));
    expect(page.text).toContain('"input":{"n": 1.0}');
    expect(page.text).not.toContain('101');
    const id = endpointOf(api.listCases).reply?.parse(page.value).data[0]?.id;
    const body = `{"items":[{"case_id":"${id}","suggestion": 101.0,"confidence":0.9},{"case_id":"${id}"},{"case_id":"${randomUUID()}","suggestion":1,"confidence":1}]}`;
    const { status, value } = await send('POST', at(api.answerCases.path), body);
    expect([status, value.results]).toEqual([
      200,
      [
        { index: 0, case_id: id, outcome: 'fixed', status: 'queued' },
        { index: 1, error: expect.objectContaining({ code: 'validation_failed' }) as object },
        { index: 2, error: expect.objectContaining({ code: 'not_found' }) as object },
      ],
    ]);
    expect((await send('GET', at(api.readRegression.path))).value).toMatchObject({ answered: 1, fixed: 1 });
    expect((await casesOf(begun.value.id ?? '')).rows[0]?.answer).toBe('101.0');
  });

  it.each([
    ['more than a request holds', JSON.stringify({ items: Array(501).fill({}) }), 422],
    ['none', '{"items":[]}', 422],
    ['a misspelt member', '{"item":[{}]}', 422],
    ['no JSON', '{"items":[', 400],
  ])('a regression request is refused for %s', async (_, body, status) => {
    await overridden(1, 'edit');
    const { id } = await start();
    expect((await send('POST', api.answerCases.path.replace(':id', id), body)).status).toBe(status);
  });
});
