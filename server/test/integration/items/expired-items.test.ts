// The list of items that their deadline ended: the latest first, page by page, and never an audit (DL1, AU2).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { listProjects } from '@countersign/shared/routes/projects';
import { listExpiredItems, reviseItem } from '@countersign/shared/routes/queue';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { aSubmission, join, openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { setDeadlineClock } from '../support/deadline-clock.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterEach(() => setDeadlineClock(inside, 0));
afterAll(() => served.close());

it('DL1: lists what deadlines ended, the latest first, as many as the summary counts, and no audit', async () => {
  const owner = await person(served.testEnv);
  const anna = await person(served.testEnv);
  const project = await openProject(owner, { settings: { audit_rate: 1 } });
  await join(project, anna);
  const submit = async (fields: Parameters<typeof aSubmission>[0]) =>
    (await project.pipeline.submit(aSubmission({ deadline_seconds: 600, ...fields }))).id;
  const params = { id: project.id };
  const page = (query: { after?: string; limit?: number } = {}) => anna.call(listExpiredItems, { params, query });
  expect(await page()).toEqual({ data: [], next_cursor: null });

  const first = await submit({ title: 'The first' });
  await submit({ deadline_seconds: undefined });
  const escalated = await submit({ on_deadline: 'escalate' });
  await setDeadlineClock(inside, 601);
  await expireItemsOnce(inside.services);
  const second = await submit({ deadline_seconds: 10, on_deadline: 'reject' });
  await submit({ deadline_seconds: 10, confidence: 1 });
  await setDeadlineClock(inside, 612);
  await expireItemsOnce(inside.services);

  const { data, next_cursor } = await page({ limit: 1 });
  expect([data.map(({ id, status }) => [id, status]), typeof next_cursor]).toEqual([[[second, 'rejected']], 'string']);
  const rest = await page({ limit: 1, after: next_cursor ?? '' });
  expect(rest).toMatchObject({ data: [{ id: first, status: 'expired', title: 'The first' }], next_cursor: null });
  const { data: projects } = await owner.call(listProjects);
  expect(projects.find(({ id }) => id === project.id)?.summary.expired_today).toBe(2);

  await setDeadlineClock(inside, 1300);
  await expireItemsOnce(inside.services);
  expect((await page()).data.map(({ id }) => id)).toEqual([escalated, second, first]);
  const body = { action: 'approve' as const, reason: 'Fine' };
  await owner.attempt(reviseItem, { params: { id: second }, body });
  expect((await page()).data).toHaveLength(3);
});
