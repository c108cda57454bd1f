// Tests clusters of reasons (CT): similar reason variants join as they arrive, and the edits of supervisors persist.
import { TREND_DAYS } from '@countersign/shared/limits';
import type { Cluster } from '@countersign/shared/schemas/clusters';
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { beforeEach, describe, expect, it } from 'vitest';
import { listClusters } from '../../../src/usecases/learnings/read-clusters.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import { shapeCluster, type ShapeInput } from '../../../src/usecases/learnings/change-learnings.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { sweepOnce } from '../../../src/worker/sweep.ts';
import { assignClustersOnce } from '../../../src/worker/assign-clusters.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { anItem, createProjectFixture, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, {
  undo_window_seconds: 30,
  reasons: ['Wrong unit', 'Wrong units', 'Other'],
});

/** A reviewer overrides an item for this reason. */
async function overridden(reason: string, action: 'edit' | 'reject' = 'reject', flags: string[] = []): Promise<string> {
  const metadata = { raw: '{}', value: { model: 'm-1', source: 's' } };
  const { id } = await anItem(testEnv.services, fixture, { riskFlags: flags, metadata });
  await review(testEnv.services, fixture.supervisor, { itemId: id, action, reason });
  await assignClustersOnce(testEnv.services);
  return id;
}

const query = (filter: LearningFilter = {}) => ({ projectId: fixture.projectId, filter, after: undefined, limit: 100 });
const list = async (filter?: LearningFilter) =>
  (await listClusters(testEnv.services, fixture.supervisor, query(filter))).data;
const namesAndSizes = (clusters: Cluster[]) =>
  clusters.map(({ name, reasons }) => [name, reasons.map(({ reason, count }) => `${reason} ${count}`)]);
async function called(name: string): Promise<Cluster> {
  const found = (await list()).find((cluster) => cluster.name === name);
  if (found === undefined) throw new Error(`There is no cluster ${name}.`);
  return found;
}
const shape = async (name: string, change: ShapeInput['change'], who = fixture.supervisor) =>
  shapeCluster(testEnv.services, who, { projectId: fixture.projectId, clusterId: (await called(name)).id, change });

describe('CT1: reasons with the same meaning', () => {
  it('share one cluster, named after the most frequent', async () => {
    for (const reason of ['The sum is wrong', 'Wrong sum', 'wrong sum!', 'Wrong sum', 'Too long'])
      await overridden(reason, reason === 'Wrong sum' ? 'edit' : 'reject', reason === 'Wrong sum' ? ['pii'] : []);
    expect(namesAndSizes(await list())).toEqual([
      ['Wrong sum', ['Wrong sum 2', 'The sum is wrong 1', 'wrong sum! 1']],
      ['Too long', ['Too long 1']],
    ]);
    const [sum] = await list();
    expect(sum).toMatchObject({ size: 4, edited: 2, rejected: 2, variant_count: 3, top_flag: 'pii', top_model: 'm-1' });
    expect([sum?.trend.length, sum?.trend.at(-1)]).toEqual([TREND_DAYS, 4]);
  });

  it('are one reason however many people give it at once', async () => {
    await Promise.all(Array.from({ length: 3 }, (_, n) => overridden(n % 2 === 0 ? 'Missing step' : 'Missing steps')));
    expect((await list()).map(({ size }) => size)).toEqual([3]);
  });

  it('CT2: from the project’s own list stay separate, and one typed by hand joins the closest', async () => {
    for (const reason of ['Wrong unit!', 'wrong units!', 'Wrong units', 'Wrong unit', 'the unit is wrong'])
      await overridden(reason);
    expect(namesAndSizes(await list()).sort()).toEqual([
      ['Wrong unit!', ['Wrong unit! 1', 'Wrong unit 1', 'the unit is wrong 1']],
      ['wrong units!', ['wrong units! 1', 'Wrong units 1']],
    ]);
  });

  it('CT2: leave their cluster with an undo, and an undone reason attracts no other', async () => {
    const id = await overridden('Wrong sum!');
    await shape('Wrong sum!', { action: 'rename', name: 'Before' });
    await overridden('Too long');
    await undoDecision(testEnv.services, fixture.supervisor, id);
    expect(namesAndSizes(await list())).toEqual([['Too long', ['Too long 1']]]);
    await overridden('Wrong sum');
    expect(namesAndSizes(await list()).sort()).toEqual([
      ['Too long', ['Too long 1']],
      ['Wrong sum', ['Wrong sum 1']],
    ]);
    await overridden('Wrong sum!');
    expect((await list()).map(({ size }) => size)).toEqual([2, 1]);
  });

  it('are assigned by the sweep where an older version omitted it', async () => {
    for (const reason of ['Too long', 'Wrong sum', 'The sum is wrong']) await overridden(reason);
    await testEnv.sql('delete from wording where project_id = ?', [fixture.projectId]);
    await testEnv.sql('delete from cluster where project_id = ?', [fixture.projectId]);
    expect(await list()).toEqual([]);
    expect(await sweepOnce(testEnv.services)).toEqual({ again: false });
    await assignClustersOnce(testEnv.services);
    expect(namesAndSizes(await list())).toEqual([
      ['Wrong sum', ['Wrong sum 1', 'The sum is wrong 1']],
      ['Too long', ['Too long 1']],
    ]);
  });

  it('LX6: an assignment records from which event on an export can have missed it', async () => {
    const told = async () => {
      const sql = `select ((data ->> 'placed_from')::int - event_seq)::int as ahead from event join project p on p.id = event.project_id
        where project_id = ? and data -> 'reshaped' is not null order by position`;
      return (await testEnv.sql<{ ahead: number }>(sql, [fixture.projectId])).map(({ ahead }) => ahead);
    };
    await overridden('Too long');
    await overridden('Too long');
    expect(await told()).toEqual([1]);
    await testEnv.sql('delete from wording where project_id = ?', [fixture.projectId]);
    await testEnv.sql('update project set undo_window_seconds = 0 where id = ?', [fixture.projectId]);
    await overridden('Wrong sum');
    await relayOnce(testEnv.services, testEnv.signals);
    await testEnv.sql('delete from wording where project_id = ?', [fixture.projectId]);
    await overridden('Wrong sum');
    expect((await told()).at(-1)).toBeLessThanOrEqual(0);
  });
});

describe('CT3: supervisors', () => {
  beforeEach(async () => {
    for (const reason of ['Wrong sum', 'Wrong sum', 'the sum is wrong', 'Too long']) await overridden(reason);
  });

  it('rename: the name stays when reasons join later, and is removed on request', async () => {
    await shape('Wrong sum', { action: 'rename', name: 'Arithmetic' });
    for (let n = 0; n < 3; n += 1) await overridden('Sum wrong');
    expect(await called('Arithmetic')).toMatchObject({ named: true, size: 6 });
    await shape('Arithmetic', { action: 'rename', name: null });
    expect(await called('Sum wrong')).toMatchObject({ named: false, size: 6 });
  });

  it('merge: later reasons join the target too; unmerged, the cluster is as before, with the reasons that joined it', async () => {
    await shape('Too long', { action: 'rename', name: 'Length' });
    const { id } = await called('Length');
    await shape('Length', { action: 'merge', into: (await called('Wrong sum')).id });
    await overridden('too long!');
    const [merged, ...rest] = await list();
    expect([rest, merged?.size, merged?.merged]).toEqual([[], 5, [{ id, name: 'Length' }]]);
    await shapeCluster(testEnv.services, fixture.supervisor, {
      projectId: fixture.projectId,
      clusterId: id,
      change: { action: 'restore' },
    });
    expect(namesAndSizes(await list())).toEqual([
      ['Wrong sum', ['Wrong sum 2', 'the sum is wrong 1']],
      ['Length', ['Too long 1', 'too long! 1']],
    ]);
  });

  it('split: the moved variants stay there, and similar ones join them', async () => {
    const { id } = await shape('Wrong sum', { action: 'split', reasons: ['the sum is wrong'], name: 'Sentences' });
    for (const reason of ['The sum is wrong!', 'Wrong sum!']) await overridden(reason);
    expect(await called('Sentences')).toMatchObject({ id, size: 2, variant_count: 2 });
    expect(await called('Wrong sum')).toMatchObject({
      size: 3,
      abilities: { rename: true, merge: true, split: true },
    });
  });

  it.each<[string, ShapeInput['change'], string]>([
    ['merged into itself', { action: 'merge', into: 'self' }, '#/into'],
    ['merged into an unknown one', { action: 'merge', into: '01a205df-3922-76fc-918b-43a865a61840' }, '#/into'],
    ['split by a reason of another one', { action: 'split', reasons: ['Too long'] }, '#/reasons'],
    ['split by all its reasons', { action: 'split', reasons: ['Wrong sum', 'the sum is wrong'] }, '#/reasons'],
    ['unmerged when it is not merged', { action: 'restore' }, '#/action'],
  ])('get the reason why a cluster cannot be %s, and nothing changes', async (_, change, pointer) => {
    const before = await list();
    const { id } = await called('Wrong sum');
    const asked = change.action === 'merge' && change.into === 'self' ? { ...change, into: id } : change;
    const refused = { code: 'validation_failed', extras: { errors: [{ pointer }] } };
    await expect(shape('Wrong sum', asked)).rejects.toMatchObject(refused);
    expect(await list()).toEqual(before);
  });

  it('cannot merge a merged cluster, nor merge into one, and two concurrent merges make no cycle', async () => {
    const [sum, long] = [await called('Wrong sum'), await called('Too long')];
    const merge = (from: Cluster, to: Cluster) =>
      shapeCluster(testEnv.services, fixture.supervisor, {
        projectId: fixture.projectId,
        clusterId: from.id,
        change: { action: 'merge', into: to.id },
      });
    const both = await Promise.allSettled([merge(sum, long), merge(long, sum)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await list()).map(({ size }) => size)).toEqual([4]);
  });

  it('PM: may edit clusters, reviewers may not, and nobody in an archived project (AR1); the change log says who did', async () => {
    await expect(shape('Wrong sum', { action: 'rename', name: 'Mine' }, fixture.anna)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await shape('Wrong sum', { action: 'rename', name: 'Arithmetic' });
    await shape('Arithmetic', { action: 'rename', name: 'Arithmetic' });
    const log = `select action, subject, before, after from project_change where project_id = ? and action like 'cluster.%'`;
    expect(await testEnv.sql(log, [fixture.projectId])).toMatchObject([
      {
        action: 'cluster.renamed',
        subject: 'Arithmetic',
        before: { name: 'Wrong sum' },
        after: { name: 'Arithmetic' },
      },
    ]);
    await testEnv.sql('update project set archived_at = now() where id = ?', [fixture.projectId]);
    await expect(shape('Arithmetic', { action: 'rename', name: 'x' })).rejects.toMatchObject({ code: 'forbidden' });
    expect((await called('Arithmetic')).abilities).toEqual({ rename: false, merge: false, split: false });
  });
});

describe('a filter', () => {
  it('counts alike in clusters and list, and a cluster’s own learnings are those it counts', async () => {
    await overridden('Wrong sum', 'edit', ['pii']);
    await overridden('the sum is wrong');
    await overridden('Too long', 'reject', ['pii']);
    const learnings = (filter: LearningFilter, cluster?: string) =>
      listLearnings(testEnv.services, fixture.supervisor, { ...query(filter), cluster });
    const filters: [LearningFilter, number][] = [
      [{}, 3],
      [{ action: 'edit' }, 1],
      [{ flag: 'pii' }, 2],
      [{ model: 'm-1', source: 's' }, 3],
      [{ model: 'other' }, 0],
      [{ text: 'SUM IS' }, 1],
      [{ text: '%' }, 0],
      [{ since: '2100-01-01T00:00:00Z' }, 0],
      [{ flag: 'pii', text: 'long' }, 1],
    ];
    for (const [filter, count] of filters) {
      const { data, total } = await listClusters(testEnv.services, fixture.supervisor, query(filter));
      expect([data.reduce((sum, { size }) => sum + size, 0), total], JSON.stringify(filter)).toEqual([count, count]);
      expect((await learnings(filter)).total, JSON.stringify(filter)).toBe(count);
      for (const { id, size } of data) expect((await learnings(filter, id)).total).toBe(size);
    }
  });

  it('pages its clusters, each once, with its most frequent reasons', async () => {
    for (const reason of ['Wrong sum', 'Too long', 'Misread question', 'Broken link', 'Broken link'])
      await overridden(reason);
    const names: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await listClusters(testEnv.services, fixture.supervisor, { ...query(), after, limit: 2 });
      names.push(...page.data.map(({ name }) => name));
      if (page.next_cursor === null) break;
      after = page.next_cursor;
    }
    expect([names[0], [...names].sort()]).toEqual([
      'Broken link',
      ['Broken link', 'Misread question', 'Too long', 'Wrong sum'],
    ]);
    const invalidQuery = { ...query(), after: 'x' };
    await expect(listClusters(testEnv.services, fixture.supervisor, invalidQuery)).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
  });

  it('finds no cluster of another project', async () => {
    await overridden('Wrong sum');
    const { id } = await called('Wrong sum');
    const other = await createProjectFixture(testEnv.services);
    const asked = { projectId: other.projectId, filter: {}, cluster: id, after: undefined, limit: 5 };
    await expect(listLearnings(testEnv.services, other.owner, asked)).rejects.toMatchObject({ code: 'not_found' });
  });
});
