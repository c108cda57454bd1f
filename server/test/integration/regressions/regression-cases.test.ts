// Tests the selection of cases of a regression run (RS2), and how cases are listed.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { excludeLearning, shapeCluster } from '../../../src/usecases/learnings/change-learnings.ts';
import { encodeSeq } from '../../../src/usecases/cursor.ts';
import { listClusters } from '../../../src/usecases/learnings/read-clusters.ts';
import { listLearnings } from '../../../src/usecases/learnings/list-learnings.ts';
import {
  listPublicCases,
  listRegressionCases,
  listRegressions,
} from '../../../src/usecases/regressions/list-regressions.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { withOpenTransaction } from '../support/blocking-transaction.ts';
import { regressionSteps } from './regression-fixture.ts';
import { anItem, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { undo_window_seconds: 30, escalate_flags: ['legal'] });

const { overridden, begin, start, casesOf, answer, caseOf } = regressionSteps(testEnv, () => fixture);

describe('RS2: the cases of a run', () => {
  it('come from a cluster or a filter, without excluded learnings, and are fixed at its start', async () => {
    const [first, second] = [await overridden(1, 'edit'), await overridden(2, 'reject')];
    const long = await overridden(3, 'reject', 'Too long');
    const page = { projectId: fixture.projectId, filter: {}, after: undefined, limit: 100 };
    const { data } = await listClusters(testEnv.services, fixture.supervisor, page);
    const cluster = data.find(({ name }) => name === 'Wrong sum')?.id;
    const itemsOf = async (run: string) => (await casesOf(run)).rows.map(({ item_id }) => item_id);
    const ofCluster = await start({ cluster });
    expect(await itemsOf(ofCluster.id)).toEqual([second, first]);
    expect(await itemsOf((await start({ filter: { action: 'reject' } })).id)).toEqual([long, second]);
    expect(await itemsOf((await start({ cluster, filter: { text: 'SUM' } }, fixture.pipeline)).id)).toHaveLength(2);
    const { data: learnings } = await listLearnings(testEnv.services, fixture.supervisor, page);
    const learningId = learnings.find(({ item_id }) => item_id === first)?.id ?? '';
    await excludeLearning(testEnv.services, fixture.supervisor, {
      projectId: fixture.projectId,
      learningId,
      excluded: true,
    });
    expect(await itemsOf((await start({ cluster })).id)).toEqual([second]);
    await overridden(4, 'edit');
    expect(await itemsOf(ofCluster.id)).toEqual([second, first]);
    const listed = (of?: string) =>
      listRegressions(testEnv.services, fixture.supervisor, { ...page, cluster: of, limit: 2 });
    expect((await listed(cluster)).rows.map(({ cases }) => cases)).toEqual([1, 2]);
    expect((await listed(cluster)).nextCursor).not.toBeNull();
    expect((await listed()).rows).toMatchObject([{ cases: 2, started_by_name: 'Sam' }]);
    await expect(start({ filter: { model: 'none' } })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(start({ cluster: randomUUID() })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('record their filter, and the run is listed with the cluster that its own was merged into', async () => {
    await overridden(1, 'edit');
    await overridden(2, 'edit', 'Too long');
    const page = { projectId: fixture.projectId, filter: {}, after: undefined, limit: 100 };
    const { data } = await listClusters(testEnv.services, fixture.supervisor, page);
    const called = (wanted: string) => data.find(({ name }) => name === wanted)?.id ?? '';
    const filter = { action: 'edit', text: 'long', since: '2020-01-01T00:00:00.000Z' } as const;
    const run = await start({ cluster: called('Too long'), filter });
    const [clusterId, into] = [called('Too long'), called('Wrong sum')];
    await shapeCluster(testEnv.services, fixture.supervisor, {
      ...{ projectId: fixture.projectId, clusterId },
      change: { action: 'merge', into },
    });
    const { rows } = await listRegressions(testEnv.services, fixture.supervisor, { ...page, cluster: into });
    expect(rows).toMatchObject([{ id: run.id, filter }]);
  });

  it('are read in pages of limited size', async () => {
    const mib = 'x'.repeat(255 * 1024);
    for (let n = 0; n < 20; n += 1) {
      const input = { value: n, raw: `"${mib}"` };
      const { id } = await anItem(testEnv.services, fixture, { input, suggestion: { raw: `"${mib}"` } });
      await review(testEnv.services, fixture.supervisor, {
        ...{ itemId: id, action: 'edit', reason: 'Too long' },
        output: { value: n, raw: `"${n}${mib}"` },
      });
    }
    const { id } = await start();
    const sizes: number[] = [];
    for (let after: string | undefined; ;) {
      const query = { projectId: fixture.projectId, regressionId: id, state: undefined, after, limit: 50 };
      const { rows, nextCursor } = await listRegressionCases(testEnv.services, fixture.supervisor, query);
      sizes.push(rows.length);
      if (nextCursor === null) break;
      after = nextCursor;
    }
    // Of half a MiB each, three fill a page (MB3).
    expect(sizes).toEqual([3, 3, 3, 3, 3, 3, 2]);
    const first = { projectId: fixture.projectId, filter: {}, after: undefined, limit: 50 };
    const { data, next_cursor } = await listLearnings(testEnv.services, fixture.supervisor, first);
    expect(data).toHaveLength(3);
    const rest = await listLearnings(testEnv.services, fixture.supervisor, { ...first, after: next_cursor ?? '' });
    expect([rest.data.length, rest.next_cursor]).toEqual([3, expect.any(String)]);
  });

  it('have no page beyond the range of numbers', async () => {
    await overridden(1, 'edit');
    const { id: regressionId } = await start();
    const after = encodeSeq(999_999_999_999_999);
    const asked = { regressionId, after, limit: 2 };
    expect((await listPublicCases(testEnv.services, fixture.pipeline, { ...asked, unanswered: false })).rows).toEqual(
      [],
    );
    const query = { ...asked, projectId: fixture.projectId, state: undefined };
    expect((await listRegressionCases(testEnv.services, fixture.supervisor, query)).rows).toEqual([]);
  });

  it('are pinned once per idempotency key, also for simultaneous requests; another run under it is refused', async () => {
    await overridden(1, 'edit');
    const asked = { requestKey: 'k', title: 'v2', filter: { action: 'edit', source: undefined } } as const;
    const twins = await Promise.all([begin(asked), begin(asked, fixture.pipeline)]);
    expect(twins.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(twins[0].run.id).toBe(twins[1].run.id);
    await overridden(2, 'edit');
    expect(await begin(asked)).toMatchObject({ replayed: true, run: { id: twins[0].run.id, cases: 1 } });
    for (const other of [{ title: 'v3' }, { filter: {} }, { title: undefined }])
      await expect(begin({ ...asked, ...other })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    const runs = await testEnv.sql<{ n: number }>(
      'select count(*)::int as n from regression_case where project_id = ? group by regression_id',
      [fixture.projectId],
    );
    expect(runs).toEqual([{ n: 1 }]);
    expect((await begin({ requestKey: null })).run.id).not.toBe((await begin({ requestKey: null })).run.id);
  });

  it('lose what is undone, with its answer', async () => {
    const [kept, undone] = [await overridden(1, 'edit'), await overridden(2, 'edit')];
    const { id } = await start();
    const caseId = await caseOf(id, undone);
    await answer(id, [{ caseId, suggestion: '2' }]);
    await undoDecision(testEnv.services, fixture.supervisor, undone);
    const { run, rows } = await casesOf(id);
    expect([run.cases, run.answered, rows.map(({ item_id }) => item_id)]).toEqual([1, 0, [kept]]);
    expect(await answer(id, [{ caseId }])).toEqual([null]);
  });

  it('are read in pages, each once, or only those without an answer', async () => {
    for (let n = 0; n < 5; n += 1) await overridden(n, 'reject');
    const { id } = await start();
    const read = async (unanswered: boolean) => {
      const inputs: string[] = [];
      let caseId = '';
      for (let after: string | undefined; ;) {
        const asked = { regressionId: id, unanswered, after, limit: 2 };
        const { rows, nextCursor } = await listPublicCases(testEnv.services, fixture.pipeline, asked);
        inputs.push(...rows.map(({ input }) => input));
        caseId = rows[0]?.id ?? caseId;
        if (nextCursor === null) return { inputs, caseId };
        after = nextCursor;
      }
    };
    const { inputs, caseId } = await read(false);
    expect(inputs).toEqual([4, 3, 2, 1, 0].map((n) => `{"n": ${n}.0}`));
    await answer(id, [{ caseId }]);
    expect((await read(true)).inputs).toHaveLength(4);
  });
});

it('are pinned without waiting for a transaction that locks the project', async () => {
  await overridden(1, 'edit');
  const held: [string, unknown[]] = ['select id from project where id = ? for no key update', [fixture.projectId]];
  await withOpenTransaction(testEnv, held, async () => expect((await start()).cases).toBe(1));
});
