// The expected wait on answers to submissions: from the decisions of the last hour and the present queue (EW1, EW2).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { submitBatch, submitItem } from '@countersign/shared/routes/public';
import { reviseItem } from '@countersign/shared/routes/queue';
import { createExpectedWaits, FRESH_MS, USABLE_MS } from '../../../src/usecases/items/expected-waits.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { aBody, aSender, hexOf, post } from '../webhooks/inbound-sender.ts';

const HEADER = 'x-expected-wait-seconds';
const inside = useServices();
let served: Served;
let anna: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  anna = await person(served.testEnv);
});
afterAll(() => served.close());

async function aProject(audit_rate = 0): Promise<OpenProject> {
  const project = await openProject(await person(served.testEnv), { settings: { audit_rate } });
  await join(project, anna);
  return project;
}

/** Items with these confidences that a person decided just now, this many seconds after their arrival. */
async function decidedOf({ pipeline }: OpenProject, confidences: readonly number[], seconds: number): Promise<void> {
  for (const confidence of confidences) {
    const { id } = await pipeline.submit(aSubmission({ confidence }));
    await review(anna, id);
    await inside.sql(`update item set created_at = created_at - ? * interval '1 s' where id = ?`, [seconds, id]);
  }
}
const decided = (project: OpenProject, count: number, seconds: number) =>
  decidedOf(project, Array<number>(count).fill(0.8), seconds);

const submit = async (project: OpenProject, confidence = 0.8, headers: Record<string, string> = {}) => {
  const body = { ...aSubmission({ confidence }), project_id: project.id };
  return (await project.pipeline.attempt(submitItem, { body }, { headers })).headers.get(HEADER);
};
const waits = () => createExpectedWaits(inside.services, { patienceMs: 10_000 });

it('EW1: is absent before five decisions, and then near the median wait of a quiet queue', async () => {
  const project = await aProject();
  await decided(project, 4, 300);
  expect(await waits().of(project.id)).toBeNull();
  await decided(project, 1, 300);
  const seconds = await waits().of(project.id);
  expect(seconds).toBeGreaterThanOrEqual(300);
  expect(seconds).toBeLessThan(400);
});

it('AN35: counts audits among what was decided, as among what waits', async () => {
  const project = await aProject(1);
  await decidedOf(project, [0.8, 0.8, 1, 1, 1], 300);
  const seconds = await waits().of(project.id);
  expect(seconds).toBeGreaterThanOrEqual(300);
  expect(seconds).toBeLessThan(400);
  for (let n = 0; n < 4; n += 1) await project.pipeline.submit(aSubmission({ confidence: 1 }));
  expect((await waits().of(project.id)) ?? 0).toBeGreaterThan(3 * (seconds ?? 0));
});

it('RV7: is not longer because old decisions are revised: a revision ends no wait', async () => {
  const project = await aProject();
  await decided(project, 4, 300);
  await inside.sql(`update decision set undo_until = null, final_at = decided_at where project_id = ?`, [project.id]);
  await inside.sql(`update item set public_status = null where project_id = ?`, [project.id]);
  const items = await inside.sql<{ id: string }>('select id from item where project_id = ?', [project.id]);
  for (const { id } of items)
    await project.owner.call(reviseItem, { params: { id }, body: { action: 'reject', reason: 'Policy' } });
  expect(await waits().of(project.id)).toBeNull();
});

it('EW1: is longer with more waiting items, and forgets what is more than an hour old', async () => {
  const project = await aProject();
  await decided(project, 5, 300);
  const before = (await waits().of(project.id)) ?? 0;
  for (let n = 0; n < 4; n += 1) await project.pipeline.submit(aSubmission());
  expect((await waits().of(project.id)) ?? 0).toBeGreaterThan(3 * before);
  inside.clock.pass(3_600_000);
  expect(await waits().of(project.id)).toBeNull();
  inside.clock.pass(-3_600_000);
});

it('EW2: a figure is read again after five seconds, and what is older than a minute is not used', async () => {
  const project = await aProject();
  await decided(project, 5, 300);
  const known = waits();
  const first = (await known.of(project.id)) ?? 0;
  for (let n = 0; n < 4; n += 1) await project.pipeline.submit(aSubmission());
  inside.clock.pass(FRESH_MS - 1);
  expect(await known.of(project.id)).toBe(first);
  // The one that finds it old does not wait for the newer one.
  inside.clock.pass(1);
  expect(await known.of(project.id)).toBe(first);
  inside.clock.pass(USABLE_MS);
  expect((await known.of(project.id)) ?? 0).toBeGreaterThan(first);
  inside.clock.pass(-FRESH_MS - USABLE_MS);
});

it('EW2: a figure is read again when the clock was set back', async () => {
  const project = await aProject();
  await decided(project, 5, 300);
  const known = waits();
  const first = (await known.of(project.id)) ?? 0;
  for (let n = 0; n < 4; n += 1) await project.pipeline.submit(aSubmission());
  inside.clock.pass(-3_600_000);
  expect((await known.of(project.id)) ?? 0).toBeGreaterThan(first);
  inside.clock.pass(3_600_000);
});

it('EW1: is on every answer to a submission that waits for people, and on no other', async () => {
  const project = await aProject();
  await decided(project, 5, 300);
  inside.clock.pass(USABLE_MS);
  expect(Number(await submit(project))).toBeGreaterThanOrEqual(300);
  expect(Number(await submit(project, 0.8, { prefer: 'wait=0' }))).toBeGreaterThanOrEqual(300);
  expect(await submit(project, 0.99)).toBeNull();
  const items = [0.99, 0.8].map((confidence) => ({ ...aSubmission({ confidence }), project_id: project.id }));
  const batch = async (some: typeof items) =>
    (await project.pipeline.attempt(submitBatch, { body: { items: some } })).headers.get(HEADER);
  expect(Number(await batch(items))).toBeGreaterThanOrEqual(300);
  expect(await batch(items.slice(0, 1))).toBeNull();
  const { path, secret } = await aSender(project);
  const body = aBody();
  const { headers } = await post(served, path, { body, headers: hexOf(secret, body) });
  expect(Number(headers.get(HEADER))).toBeGreaterThanOrEqual(300);
});

it('EW1: is absent once the item was decided during the wait', async () => {
  const project = await aProject();
  await decided(project, 5, 300);
  inside.clock.pass(USABLE_MS);
  const answered = submit(project, 0.8, { prefer: 'wait=30' });
  const waiting = async () => {
    const [item] = await inside.sql<{ id: string }>(`select id from item where project_id = ? and status = 'queued'`, [
      project.id,
    ]);
    return item?.id ?? '';
  };
  await expect.poll(waiting).not.toBe('');
  await review(anna, await waiting());
  await inside.services.waiters.runOnce();
  expect(await answered).toBeNull();
});

it('EW2: a database that fails leaves it out', async () => {
  const db = { ...inside.services.db, read: () => Promise.reject(new Error('gone')) };
  expect(await createExpectedWaits({ db, clock: inside.clock }).of(crypto.randomUUID())).toBeNull();
});

it('EW2: a submission does not wait for a database that does not answer', async () => {
  const db = { ...inside.services.db, read: () => new Promise<never>(() => undefined) };
  expect(await createExpectedWaits({ db, clock: inside.clock }, { patienceMs: 1 }).of(crypto.randomUUID())).toBeNull();
});
