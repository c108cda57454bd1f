// Tests excluded learnings (LX5) and exports of a cluster (LX6): the same cut-off gives the same bytes, or why not.
import { type ExportFilter, exportFilter } from '@countersign/shared/schemas/exports';
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { excludeLearning, shapeCluster } from '../../../src/usecases/learnings/change-learnings.ts';
import { exportLearnings } from '../../../src/usecases/learnings/export-learnings.ts';
import { listChanges } from '../../../src/usecases/projects/list-changes.ts';
import { listClusters } from '../../../src/usecases/learnings/read-clusters.ts';
import { listExports, previewExport } from '../../../src/usecases/learnings/list-exports.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { sweepOnce } from '../../../src/worker/sweep.ts';
import { assignClustersOnce } from '../../../src/worker/assign-clusters.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

const relay = async () => {
  while ((await relayOnce(testEnv.services, testEnv.signals)).again);
};

async function overridden(reason: string, riskFlags: string[] = []): Promise<string> {
  const { id } = await anItem(testEnv.services, fixture, { riskFlags });
  await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'reject', reason });
  await assignClustersOnce(testEnv.services);
  return id;
}

const page = (filter: LearningFilter = {}) => ({ projectId: fixture.projectId, filter, after: undefined, limit: 100 });
const learnings = (filter: LearningFilter = {}) => listLearnings(testEnv.services, fixture.supervisor, page(filter));
const clusters = async (filter: LearningFilter = {}) =>
  (await listClusters(testEnv.services, fixture.supervisor, page(filter))).data;

async function mark(itemId: string, excluded: boolean, who = fixture.supervisor) {
  const { data } = await learnings();
  const learningId = data.find(({ item_id }) => item_id === itemId)?.id ?? itemId;
  return excludeLearning(testEnv.services, who, { projectId: fixture.projectId, learningId, excluded });
}

async function exported(asked: Partial<ExportFilter> & { skip?: number } = {}) {
  const { skip = 0, ...filter } = asked;
  const input = { projectId: fixture.projectId, filter: exportFilter.parse(filter), skip };
  const { through, lines } = await exportLearnings(testEnv.services, fixture.supervisor, input);
  let text = '';
  for await (const some of lines) text += some;
  return { through, text, lines: text.split('\n').slice(0, -1) };
}
const itemsOf = (lines: string[]) => lines.map((line) => (JSON.parse(line) as { item_id: string }).item_id);
async function clusterOf(reason: string): Promise<string> {
  const found = (await clusters()).find(({ reasons }) => reasons.some((one) => one.reason === reason));
  if (found === undefined) throw new Error(`No cluster has ${reason}.`);
  return found.id;
}

describe('LX5: an excluded learning', () => {
  it('is in no export from then on, and stays in an export up to an earlier cut-off, to the byte', async () => {
    const [first, second] = [await overridden('Wrong sum'), await overridden('Wrong sum')];
    await relay();
    const before = await exported();
    await mark(first, true);
    await relay();
    const without = await exported();
    expect(itemsOf(without.lines)).toEqual([second]);
    expect((await exported({ through: before.through })).text).toBe(before.text);
    await mark(first, false);
    await relay();
    expect((await exported()).text).toBe(before.text);
    expect((await exported({ through: without.through })).text).toBe(without.text);
  });

  it('a resumed export has no line missing or repeated, with any changes in between', async () => {
    const made: string[] = [];
    for (let n = 0; n < 8; n += 1) made.push(await overridden('Wrong sum'));
    await relay();
    await fc.assert(
      fc.asyncProperty(fc.subarray(made), fc.subarray(made), fc.nat(9), async (some, others, skip) => {
        for (const id of made) await mark(id, some.includes(id));
        await relay();
        const whole = await exported();
        expect(itemsOf(whole.lines)).toEqual(made.filter((id) => !some.includes(id)));
        for (const id of made) await mark(id, others.includes(id));
        await relay();
        const rest = await exported({ through: whole.through, skip });
        expect([...whole.lines.slice(0, skip), ...rest.lines]).toEqual(whole.lines);
      }),
      { numRuns: 8 },
    );
  });

  it('counts only among the excluded, and can be filtered for', async () => {
    const id = await overridden('Wrong sum', ['pii']);
    await overridden('Wrong sum');
    const alone = await overridden('Too long');
    await mark(id, true);
    await mark(alone, true);
    const shown = (await clusters()).map(({ name, size, excluded, top_flag, trend }) => [
      ...[name, size, excluded, top_flag, trend.at(-1)],
    ]);
    expect(shown).toEqual([
      ['Wrong sum', 1, 1, null, 1],
      ['Too long', 0, 1, null, 0],
    ]);
    expect(await learnings()).toMatchObject({ total: 3, excluded: 2 });
    expect((await learnings({ excluded: 'only' })).data.map(({ item_id, excluded }) => [item_id, excluded])).toEqual([
      [alone, true],
      [id, true],
    ]);
    expect((await learnings({ excluded: 'none' })).total).toBe(1);
    expect((await clusters({ excluded: 'only' })).map(({ size }) => size)).toEqual([1, 1]);
  });

  it('PM: is excluded by supervisors, once, in the change log, not in an archived project, and removed by an undo', async () => {
    await testEnv.sql('update project set undo_window_seconds = 30 where id = ?', [fixture.projectId]);
    const id = await overridden('Wrong sum');
    await expect(mark(id, true, fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    const other = await createProjectFixture(testEnv.services);
    await expect(mark(id, true, other.owner)).rejects.toMatchObject({ code: 'not_found' });
    await expect(mark(fixture.projectId, true)).rejects.toMatchObject({ code: 'not_found' });
    await mark(id, true);
    await mark(id, true);
    const asked = { projectId: fixture.projectId, after: undefined, limit: 10, action: undefined };
    const log = await listChanges(testEnv.services, fixture.owner, { ...asked, kind: 'learning' });
    expect(log.rows).toMatchObject([{ action: 'learning.excluded', subject: 'Wrong sum' }]);
    await undoDecision(testEnv.services, fixture.supervisor, id);
    expect(await learnings()).toMatchObject({ total: 0, excluded: 0 });
    const again = await overridden('Wrong sum');
    await testEnv.sql('update project set archived_at = now() where id = ?', [fixture.projectId]);
    await expect(mark(again, true)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await learnings()).data[0]?.abilities).toEqual({ exclude: false });
  });
});

describe('LX6: an export of a cluster', () => {
  it('has the learnings of its reasons, and of the clusters merged into it', async () => {
    const [sum, , unit] = [await overridden('Wrong sum'), await overridden('Too long'), await overridden('Bad unit')];
    await relay();
    const into = await clusterOf('Wrong sum');
    const change = { action: 'merge' as const, into };
    const moved = await clusterOf('Bad unit');
    await shapeCluster(testEnv.services, fixture.supervisor, {
      projectId: fixture.projectId,
      clusterId: moved,
      change,
    });
    await relay();
    const { through, lines } = await exported({ cluster: into });
    expect(itemsOf(lines)).toEqual([sum, unit]);
    expect(itemsOf((await exported({ cluster: moved })).lines)).toEqual([unit]);
    const input = { projectId: fixture.projectId, filter: exportFilter.parse({ cluster: into, through }) };
    expect(await previewExport(testEnv.services, fixture.supervisor, input)).toMatchObject({ lines: 2 });
    const page = { projectId: fixture.projectId, after: undefined, limit: 20 };
    expect((await listExports(testEnv.services, fixture.supervisor, page)).rows).toMatchObject([
      { cluster_name: 'Bad unit', lines: 1 },
      { cluster_name: 'Wrong sum', lines: 2 },
    ]);
  });

  it('continues after new learnings and renames, and is refused after a merge or split', async () => {
    for (const reason of ['Wrong sum', 'Wrong sum!', 'the sum is wrong', 'Too long']) await overridden(reason);
    await relay();
    const [sum, long] = [await clusterOf('Wrong sum'), await clusterOf('Too long')];
    const shape = (clusterId: string, change: Parameters<typeof shapeCluster>[2]['change']) =>
      shapeCluster(testEnv.services, fixture.supervisor, { projectId: fixture.projectId, clusterId, change });
    const [first, other] = [await exported({ cluster: sum }), await exported({ cluster: long })];
    await shape(sum, { action: 'rename', name: 'Arithmetic' });
    await overridden('The sum is wrong!');
    await relay();
    expect((await exported({ cluster: sum, through: first.through })).text).toBe(first.text);
    await shape(sum, { action: 'split', reasons: ['the sum is wrong'] });
    const refused = { code: 'validation_failed', extras: { errors: [{ pointer: '#/query/through' }] } };
    // At once, and after the relay has assigned the event's sequence number.
    for (const settled of [false, true]) {
      if (settled) await relay();
      await expect(exported({ cluster: sum, through: first.through })).rejects.toMatchObject(refused);
    }
    expect((await exported({ cluster: long, through: other.through })).text).toBe(other.text);
    const secondExport = await exported({ cluster: sum });
    expect(secondExport.lines).toHaveLength(3);
    await shape(long, { action: 'merge', into: sum });
    await relay();
    await expect(exported({ cluster: sum, through: secondExport.through })).rejects.toMatchObject(refused);
    expect((await exported({ cluster: long, through: other.through })).text).toBe(other.text);
    const merged = await exported({ cluster: sum });
    await shape(long, { action: 'restore' });
    await relay();
    await expect(exported({ cluster: sum, through: merged.through })).rejects.toMatchObject(refused);
  });

  it('is refused also where an old reason was assigned to it only since', async () => {
    await overridden('Wrong sum');
    await overridden('Wrong sum!');
    await testEnv.sql(`delete from wording where project_id = ? and reason = 'Wrong sum!'`, [fixture.projectId]);
    await relay();
    const cluster = await clusterOf('Wrong sum');
    const { through } = await exported({ cluster });
    await sweepOnce(testEnv.services);
    await assignClustersOnce(testEnv.services);
    await relay();
    await expect(exported({ cluster, through })).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await exported({ cluster })).lines).toHaveLength(2);
  });

  it('finds no cluster of another project', async () => {
    await overridden('Wrong sum');
    const cluster = await clusterOf('Wrong sum');
    fixture = await createProjectFixture(testEnv.services);
    await expect(exported({ cluster })).rejects.toMatchObject({ code: 'not_found' });
  });
});
