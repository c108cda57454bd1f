// Tests the details of learnings: guidelines at the decision, available filters, reason variants of a cluster.
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { exportFilter } from '@countersign/shared/schemas/exports';
import { beforeEach, expect, it } from 'vitest';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { exportLearnings } from '../../../src/usecases/learnings/export-learnings.ts';
import {
  listClusters,
  listReasonVariants,
  readCluster,
  listLearningValues,
} from '../../../src/usecases/learnings/read-clusters.ts';
import { readClusterGuideline } from '../../../src/usecases/learnings/read-cluster-guideline.ts';
import { listReasonCounts } from '../../../src/usecases/learnings/list-reason-counts.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { excludeLearning, shapeCluster } from '../../../src/usecases/learnings/change-learnings.ts';
import { rawQuery } from '../../../src/db/raw-query.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { assignClustersOnce } from '../../../src/worker/assign-clusters.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
const DAY = 86_400_000;

/** How far a test has moved the service's clock. */
let offset = 0;
function pass(ms: number): void {
  testEnv.clock.pass(ms);
  offset += ms;
}

beforeEach(async () => {
  pass(-offset);
  fixture = await createProjectFixture(testEnv.services);
});

async function overridden(reason: string, given: { flags?: string[]; model?: string } = {}): Promise<string> {
  const metadata = { raw: '{}', value: { model: given.model ?? 'm-1', source: 's' } };
  const { id } = await anItem(testEnv.services, fixture, { riskFlags: given.flags ?? [], metadata });
  await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'reject', reason });
  await assignClustersOnce(testEnv.services);
  return id;
}

const page = () => ({ projectId: fixture.projectId, filter: {}, after: undefined, limit: 100 });

async function clusterOf(name: string): Promise<string> {
  const { data } = await listClusters(testEnv.services, fixture.supervisor, page());
  const found = data.find((cluster) => cluster.name === name);
  if (found === undefined) throw new Error(`There is no cluster ${name}.`);
  return found.id;
}

async function rawLines(): Promise<{ guidelines_version: number | null }[]> {
  while ((await relayOnce(testEnv.services, testEnv.signals)).again);
  const input = { projectId: fixture.projectId, filter: exportFilter.parse({}), skip: 0 };
  const { lines } = await exportLearnings(testEnv.services, fixture.supervisor, input);
  let text = '';
  for await (const some of lines) text += some;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { guidelines_version: number });
}

it('LX1: shows the guidelines at the decision, in the list and in raw lines', async () => {
  const change = (settingsVersion: number, changes: Parameters<typeof changeSettings>[2]['changes']) =>
    changeSettings(testEnv.services, fixture.owner, { projectId: fixture.projectId, settingsVersion, changes });
  await overridden('Wrong sum');
  const late = await anItem(testEnv.services, fixture);
  await change(1, { guidelines: 'Be kind.' });
  await change(2, { target_minutes: 5 });
  await review(testEnv.services, fixture.supervisor, { itemId: late.id, action: 'reject', reason: 'Too long' });
  const { data } = await listLearnings(testEnv.services, fixture.supervisor, page());
  expect(data.map(({ settings_version, guidelines_version }) => [settings_version, guidelines_version])).toEqual([
    [1, 2],
    [1, 1],
  ]);
  expect((await rawLines()).map(({ guidelines_version }) => guidelines_version)).toEqual([1, 2]);
});

it('CT1: counts learnings without a reason in the total, as the list of examples does, and in no cluster', async () => {
  const { services } = testEnv;
  const written = async () => {
    const { id } = await anItem(services, fixture, { suggestion: { raw: 'null' } });
    await review(services, fixture.supervisor, { itemId: id, action: 'edit', reason: null });
  };
  const counts = async (filter: LearningFilter = {}, limit = 100) => {
    const asked = { ...page(), filter, limit };
    const { data, total, without_reason } = await listClusters(services, fixture.supervisor, asked);
    const list = await listLearnings(services, fixture.supervisor, asked);
    expect(total).toBe(filter.excluded === 'only' ? list.excluded : list.total - list.excluded);
    return { sizes: data.map(({ size }) => size), total, without_reason };
  };
  expect(await counts()).toEqual({ sizes: [], total: 0, without_reason: 0 });
  for (let n = 0; n < 3; n += 1) await written();
  expect(await counts()).toEqual({ sizes: [], total: 3, without_reason: 3 });
  for (const reason of ['Wrong sum', 'Wrong sum', 'Too long']) await overridden(reason);
  expect(await counts()).toEqual({ sizes: [2, 1], total: 6, without_reason: 3 });
  expect(await counts({ action: 'reject' })).toEqual({ sizes: [2, 1], total: 3, without_reason: 0 });
  const { data } = await listLearnings(services, fixture.supervisor, page());
  const learningId = data.find(({ reason }) => reason === '')?.id ?? '';
  const { projectId } = fixture;
  await excludeLearning(services, fixture.supervisor, { projectId, learningId, excluded: true });
  expect(await counts()).toEqual({ sizes: [2, 1], total: 5, without_reason: 2 });
  expect(await counts({ excluded: 'only' })).toEqual({ sizes: [], total: 1, without_reason: 1 });
  const first = await listClusters(services, fixture.supervisor, { ...page(), limit: 1 });
  const rest = await listClusters(services, fixture.supervisor, {
    ...page(),
    limit: 1,
    after: first.next_cursor ?? '',
  });
  expect([first, rest].map(({ data: [cluster], total }) => [cluster?.size, total])).toEqual([
    [2, 5],
    [1, 5],
  ]);
});

it('lists flags, models and sources, the most frequent first', async () => {
  await overridden('Wrong sum', { flags: ['pii', 'legal'], model: 'm-2' });
  await overridden('Too long', { flags: ['pii'], model: 'm-2' });
  await overridden('Too long');
  expect(await listLearningValues(testEnv.services, fixture.supervisor, fixture.projectId)).toEqual({
    flags: [
      { value: 'pii', count: 2 },
      { value: 'legal', count: 1 },
    ],
    models: [
      { value: 'm-2', count: 2 },
      { value: 'm-1', count: 1 },
    ],
    sources: [{ value: 's', count: 3 }],
  });
});

it('counts how often each listed reason was given in a window, without excluded learnings', async () => {
  const { services } = testEnv;
  const asked = { projectId: fixture.projectId, from: undefined, to: undefined };
  const counts = () => listReasonCounts(services, fixture.supervisor, asked);
  await overridden('Wrong sum');
  await services.db.write(({ em }) =>
    rawQuery(em, `update learning set created_at = now() - interval '31 days' where project_id = $1`, [
      fixture.projectId,
    ]),
  );
  await changeSettings(services, fixture.owner, {
    projectId: fixture.projectId,
    settingsVersion: 1,
    changes: { reasons: ['Too long', 'Wrong sum'] },
  });
  for (const reason of ['Wrong sum', 'Wrong sum', 'wrong sum!']) await overridden(reason);
  expect(await counts()).toMatchObject({
    reasons: [
      { reason: 'Too long', count: 0 },
      { reason: 'Wrong sum', count: 2 },
    ],
    other: 1,
  });
  const { data } = await listLearnings(services, fixture.supervisor, page());
  const listed = data.find(({ reason }) => reason === 'Wrong sum')!;
  await excludeLearning(services, fixture.supervisor, {
    projectId: fixture.projectId,
    learningId: listed.id,
    excluded: true,
  });
  expect((await counts()).reasons[1]).toEqual({ reason: 'Wrong sum', count: 1 });
  const other = await createProjectFixture(services);
  await expect(listReasonCounts(services, other.owner, asked)).rejects.toMatchObject({ code: 'not_found' });
});

/** Dates a decision and its learning now: the database's clock, which dates them, does not move. */
async function dateNow(itemId: string, revision = 1): Promise<void> {
  const of = [testEnv.clock.now(), itemId, revision];
  await testEnv.sql('update decision set decided_at = ? where item_id = ? and revision = ?', of);
  await testEnv.sql('update learning set created_at = ? where item_id = ? and revision = ?', of);
}

it('CT6, RV7: counts a revision with the decision of a person that it follows, and none of an automatic one', async () => {
  const { services } = testEnv;
  const { projectId, supervisor, owner } = fixture;
  await overridden('Wrong sum');
  const asked = { projectId, clusterId: await clusterOf('Wrong sum') };
  const approved = await anItem(services, fixture);
  await review(services, fixture.anna, { itemId: approved.id, action: 'approve' });
  const automatic = await anItem(services, fixture, { confidence: 1 });
  pass(60_000);
  await changeSettings(services, owner, { projectId, settingsVersion: 1, changes: { guidelines: '- Wrong sum' } });
  pass(DAY);
  for (const { id: itemId } of [approved, automatic]) {
    const reason = 'Wrong sum';
    await revise(services, supervisor, {
      itemId,
      revises: undefined,
      action: 'reject',
      output: null,
      reason,
      note: null,
    });
    await dateNow(itemId, 2);
  }
  const { before, after } = await readClusterGuideline(services, supervisor, asked);
  expect([before, after]).toMatchObject([
    { learnings: 2, decided: 2 },
    { learnings: 0, decided: 0, interval: null },
  ]);
});

it('CT6: reads the rate of a cluster before and after the guidelines named it', async () => {
  const { services } = testEnv;
  const { projectId, supervisor, owner } = fixture;
  const approve = async () => {
    const { id } = await anItem(services, fixture);
    await review(services, supervisor, { itemId: id, action: 'approve' });
  };
  for (const reason of ['Wrong sum', 'wrong sum!', 'Too long']) await overridden(reason);
  await approve();
  const asked = { projectId, clusterId: await clusterOf('Wrong sum') };
  const none = { guideline: null, before: null, after: null };
  expect(await readClusterGuideline(services, supervisor, asked)).toEqual(none);
  const line = '- Wrong sum: add up the rows.';
  pass(60_000);
  const named = { guidelines: `Be kind.\n\n${line}` };
  await changeSettings(services, owner, { projectId, settingsVersion: 1, changes: named });
  await changeSettings(services, owner, { projectId, settingsVersion: 2, changes: { target_minutes: 7 } });
  pass(DAY);
  await dateNow(await overridden('Wrong sum'));
  for (let n = 0; n < 3; n += 1) await approve();
  const { guideline, before, after } = await readClusterGuideline(services, supervisor, asked);
  expect(guideline).toMatchObject({ version: 2, line });
  expect(before).toMatchObject({ learnings: 2, decided: 4 });
  expect(after).toMatchObject({ learnings: 1, decided: 4 });
  expect(after?.interval?.high).toBeGreaterThan(0.25);
  const other = await createProjectFixture(services);
  await expect(readClusterGuideline(services, other.owner, asked)).rejects.toMatchObject({ code: 'not_found' });
  await expect(readClusterGuideline(services, fixture.anna, asked)).rejects.toMatchObject({ code: 'forbidden' });
});

it('CT3: lists every reason variant of a cluster, by page or by search, and the target of a merged one', async () => {
  const reasonsGiven = ['Wrong sum', 'Wrong sum', 'wrong sum!', 'WRONG SUM', 'wrong  sum', 'Too long'];
  for (const reason of reasonsGiven) await overridden(reason);
  const [sum, long] = [await clusterOf('Wrong sum'), await clusterOf('Too long')];
  const asked = { projectId: fixture.projectId, clusterId: sum, text: undefined, after: undefined, limit: 3 };
  const first = await listReasonVariants(testEnv.services, fixture.supervisor, asked);
  const rest = await listReasonVariants(testEnv.services, fixture.supervisor, {
    ...asked,
    after: first.next_cursor ?? undefined,
  });
  expect([first.data[0], first.data.length, rest.data.length, rest.next_cursor]).toEqual([
    { reason: 'Wrong sum', count: 2 },
    3,
    1,
    null,
  ]);
  expect(new Set([...first.data, ...rest.data].map(({ reason }) => reason)).size).toBe(4);
  const found = await listReasonVariants(testEnv.services, fixture.supervisor, { ...asked, text: 'SUM!' });
  expect(found.data).toEqual([{ reason: 'wrong sum!', count: 1 }]);
  const where = () =>
    readCluster(testEnv.services, fixture.supervisor, { projectId: fixture.projectId, clusterId: long });
  expect(await where()).toEqual({ id: long, name: 'Too long', merged_into: null });
  const change = { action: 'merge' as const, into: sum };
  await shapeCluster(testEnv.services, fixture.supervisor, { projectId: fixture.projectId, clusterId: long, change });
  expect(await where()).toEqual({ id: long, name: 'Too long', merged_into: { id: sum, name: 'Wrong sum' } });
  const other = await createProjectFixture(testEnv.services);
  const foreign = { ...asked, projectId: other.projectId };
  await expect(listReasonVariants(testEnv.services, other.owner, foreign)).rejects.toMatchObject({ code: 'not_found' });
});
