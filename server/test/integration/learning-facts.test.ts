// What is known of learnings beside their lines: the guidelines that stood, what they can be narrowed to, the wordings of a cluster.
import { exportFilter } from '@countersign/shared/api/exports';
import { beforeEach, expect, it } from 'vitest';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { exportLearnings } from '../../src/usecases/export-learnings.ts';
import { listClusters } from '../../src/usecases/queries/list-clusters.ts';
import { listLearnings } from '../../src/usecases/queries/list-learnings.ts';
import { listLearningValues } from '../../src/usecases/queries/list-learning-values.ts';
import { listWordings, readCluster } from '../../src/usecases/queries/read-cluster.ts';
import { shapeCluster } from '../../src/usecases/shape-cluster.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { placeOnce } from '../../src/worker/place.ts';
import { anItem, aScene, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services);
});

async function overridden(reason: string, given: { flags?: string[]; model?: string } = {}): Promise<void> {
  const metadata = { raw: '{}', value: { model: given.model ?? 'm-1', source: 's' } };
  const { id } = await anItem(world.services, scene, { riskFlags: given.flags ?? [], metadata });
  await review(world.services, scene.supervisor, { itemId: id, action: 'reject', reason });
  await placeOnce(world.services);
}

const page = () => ({ projectId: scene.projectId, filter: {}, after: undefined, limit: 100 });

async function clusterOf(name: string): Promise<string> {
  const { data } = await listClusters(world.services, scene.supervisor, page());
  const found = data.find((cluster) => cluster.name === name);
  if (found === undefined) throw new Error(`There is no cluster ${name}.`);
  return found.id;
}

async function rawLines(): Promise<{ guidelines_version: number | null }[]> {
  while ((await relayOnce(world.services, world.signals)).again);
  const input = { projectId: scene.projectId, filter: exportFilter.parse({}), skip: 0 };
  const { lines } = await exportLearnings(world.services, scene.supervisor, input);
  let text = '';
  for await (const some of lines) text += some;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { guidelines_version: number });
}

it('LX1: the guidelines that stood at the decision, in the list and in raw lines', async () => {
  const change = (settingsVersion: number, changes: Parameters<typeof changeSettings>[2]['changes']) =>
    changeSettings(world.services, scene.owner, { projectId: scene.projectId, settingsVersion, changes });
  await overridden('Wrong sum');
  const late = await anItem(world.services, scene);
  await change(1, { guidelines: 'Be kind.' });
  await change(2, { target_minutes: 5 });
  await review(world.services, scene.supervisor, { itemId: late.id, action: 'reject', reason: 'Too long' });
  const { data } = await listLearnings(world.services, scene.supervisor, page());
  expect(data.map(({ settings_version, guidelines_version }) => [settings_version, guidelines_version])).toEqual([
    [1, 2],
    [1, 1],
  ]);
  expect((await rawLines()).map(({ guidelines_version }) => guidelines_version)).toEqual([1, 2]);
});

it('flags, models and sources, the commonest first', async () => {
  await overridden('Wrong sum', { flags: ['pii', 'legal'], model: 'm-2' });
  await overridden('Too long', { flags: ['pii'], model: 'm-2' });
  await overridden('Too long');
  expect(await listLearningValues(world.services, scene.supervisor, scene.projectId)).toEqual({
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

it('CT3: every wording of a cluster, a page at a time or by words, and where a merged one went', async () => {
  const said = ['Wrong sum', 'Wrong sum', 'wrong sum!', 'WRONG SUM', 'wrong  sum', 'Too long'];
  for (const reason of said) await overridden(reason);
  const [sum, long] = [await clusterOf('Wrong sum'), await clusterOf('Too long')];
  const asked = { projectId: scene.projectId, clusterId: sum, text: undefined, after: undefined, limit: 3 };
  const first = await listWordings(world.services, scene.supervisor, asked);
  const rest = await listWordings(world.services, scene.supervisor, {
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
  const found = await listWordings(world.services, scene.supervisor, { ...asked, text: 'SUM!' });
  expect(found.data).toEqual([{ reason: 'wrong sum!', count: 1 }]);
  const where = () => readCluster(world.services, scene.supervisor, { projectId: scene.projectId, clusterId: long });
  expect(await where()).toEqual({ id: long, name: 'Too long', merged_into: null });
  const change = { action: 'merge' as const, into: sum };
  await shapeCluster(world.services, scene.supervisor, { projectId: scene.projectId, clusterId: long, change });
  expect(await where()).toEqual({ id: long, name: 'Too long', merged_into: { id: sum, name: 'Wrong sum' } });
  const other = await aScene(world.services);
  const foreign = { ...asked, projectId: other.projectId };
  await expect(listWordings(world.services, other.owner, foreign)).rejects.toMatchObject({ code: 'not_found' });
});
