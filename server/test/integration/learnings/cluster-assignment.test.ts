// Tests that a reason gets its cluster soon after its decision, once, and at a cost that does not grow (CT4).
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/db/database.ts';
import { MOST_COMPARED, NEAREST, assignCluster, waitingReasons } from '../../../src/db/learnings/assign-cluster.ts';
import { rawQuery } from '../../../src/db/raw-query.ts';
import { keyOf } from '@countersign/shared/formats/reason-key';
import { CLOSE } from '../../../src/domain/learnings/reason-key.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { listClusters } from '../../../src/usecases/learnings/read-clusters.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { assignClustersOnce } from '../../../src/worker/assign-clusters.ts';
import { aDecision, anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
});

async function overridden(reason: string): Promise<string> {
  const { id } = await anItem(testEnv.services, fixture);
  await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'reject', reason });
  return id;
}

const clusters = async () => {
  const query = { projectId: fixture.projectId, filter: {}, after: undefined, limit: 100 };
  const { data } = await listClusters(testEnv.services, fixture.supervisor, query);
  return data.map(({ name, size }) => [name, size]);
};
const events = async () => {
  const sql = `select data -> 'reshaped' as reshaped from event where project_id = ? and data -> 'placed_from' is not null`;
  return testEnv.sql<{ reshaped: string[] }>(sql, [fixture.projectId]);
};

const waitsForLock = async () => {
  const sql = `select 1 from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
  return (await testEnv.sql(sql)).length > 0;
};

/** Inserts this many nearly equal reasons, assigned long ago, each to the same cluster. */
async function alike(count: number): Promise<void> {
  const cluster = testEnv.services.ids.uuid();
  await testEnv.sql('insert into cluster (id, project_id, created_at) values (?, ?, now())', [
    cluster,
    fixture.projectId,
  ]);
  await testEnv.sql(
    `insert into wording (id, project_id, cluster_id, reason, key, placed_by_hand, created_at)
     select gen_random_uuid(), ?, ?, 'The total of invoice ' || n || ' is wrong', 'total invoice ' || n || ' wrong', true, now()
     from generate_series(1, ?) n`,
    [fixture.projectId, cluster, count],
  );
  await testEnv.sql('vacuum analyze wording');
}

interface Plan {
  'Index Name'?: string;
  'Node Type': string;
  'Actual Rows': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

async function planOf(sql: string, values: unknown[]): Promise<{ plan: Plan; ms: number }> {
  const [row] = await testEnv.services.db.read((em) =>
    rawQuery<{ 'QUERY PLAN': [{ Plan: Plan; 'Execution Time': number }] }>(
      em,
      `explain (analyze, buffers, format json) ${sql}`,
      values,
    ),
  );
  if (row === undefined) throw new Error('There is a plan.');
  const [{ Plan: plan, 'Execution Time': ms }] = row['QUERY PLAN'];
  return { plan, ms };
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('CT4: a reason', () => {
  it('has no cluster in the decision’s transaction, and one after the next run, once, however many run', async () => {
    await overridden('Wrong sum');
    expect(await clusters()).toEqual([]);
    const other = await testEnv.another();
    await Promise.all([
      assignClustersOnce(testEnv.services),
      assignClustersOnce(other.services),
      assignClustersOnce(testEnv.services),
    ]);
    expect(await clusters()).toEqual([['Wrong sum', 1]]);
    expect(await events()).toHaveLength(1);
    await assignClustersOnce(testEnv.services);
    expect(await events()).toHaveLength(1);
    await other.close();
  });

  it('is stored without waiting for people who edit clusters', async () => {
    const { promise: shaped, resolve: release } = Promise.withResolvers<undefined>();
    const { promise: held, resolve: holds } = Promise.withResolvers<undefined>();
    const shaping = testEnv.services.db.write(async ({ em }) => {
      await em.execute(`select pg_advisory_xact_lock(hashtextextended('clusters:' || ?, 0))`, [fixture.projectId]);
      holds(undefined);
      await shaped;
    });
    await held;
    await overridden('Wrong sum');
    release(undefined);
    await shaping;
    await assignClustersOnce(testEnv.services);
    expect(await clusters()).toEqual([['Wrong sum', 1]]);
  });

  it.each([
    ['one', 200, ['Wrong sum'], [['Too long', 1]]],
    ['a whole batch of them', 1, ['Wrong sum', 'Too short'], [['Too long', 1]]],
  ])('whose assignment fails blocks no other, and is assigned by the next run: %s', async (_, batch, fail, after) => {
    for (const reason of [...fail, 'Too long']) await overridden(reason);
    const { db } = testEnv.services;
    let left = fail.length;
    const cutOff: typeof db = {
      ...db,
      write: (work) =>
        db.write(async (tx) => {
          const done = await work(tx);
          if (left === 0) return done;
          left -= 1;
          throw new Error('The process is gone.');
        }),
    };
    const run = assignClustersOnce({ ...testEnv.services, db: cutOff }, batch);
    await expect(run).rejects.toThrow('The process is gone.');
    expect(await clusters()).toEqual(after);
    await assignClustersOnce(testEnv.services);
    expect((await clusters()).sort()).toEqual([...after, ...fail.map((reason) => [reason, 1])].sort());
    expect(await events()).toHaveLength(fail.length + 1);
  });

  it('assigned at the same moment as a similar one joins the other’s cluster', async () => {
    for (const reason of ['Wrong sum', 'Wrong sum!']) await overridden(reason);
    const { db } = testEnv.services;
    const [first = '', second = ''] = await db.read((em) => waitingReasons(em, { limit: 2 }));
    const { promise: end, resolve: commit } = Promise.withResolvers<undefined>();
    const { promise: placed, resolve: isPlaced } = Promise.withResolvers<undefined>();
    const placing = db.write(async (tx) => {
      await assignCluster(testEnv.services, tx, first);
      isPlaced(undefined);
      await end;
    });
    await placed;
    let ended = false;
    const meanwhile = db.write((tx) => assignCluster(testEnv.services, tx, second)).finally(() => (ended = true));
    // It waits for the other’s transaction; without waiting, it would finish first.
    const waits = async () => ended || (await waitsForLock());
    await expect.poll(waits).toBe(true);
    commit(undefined);
    await Promise.all([placing, meanwhile]);
    expect(await clusters()).toEqual([[expect.any(String), 2]]);
  });

  it('a reason that is undone before its assignment attracts no other', async () => {
    const id = await overridden('Wrong sum!');
    await undoDecision(testEnv.services, fixture.supervisor, id);
    await assignClustersOnce(testEnv.services);
    expect(await clusters()).toEqual([]);
    await overridden('Wrong sum');
    await assignClustersOnce(testEnv.services);
    expect(await clusters()).toEqual([['Wrong sum', 1]]);
  });

  it('is compared with a limited number, found by the index, however many are similar', async () => {
    for (const count of [1200, 10_000]) {
      fixture = await createProjectFixture(testEnv.services);
      await alike(count);
      const key = keyOf('The total of invoice 77777 is wrong');
      const { plan, ms } = await planOf(NEAREST, [fixture.projectId, key, CLOSE]);
      const nodes = nodesOf(plan);
      const scan = nodes.find((node) => node['Index Name'] === 'wording_nearest');
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      process.stdout.write(
        `nearest of ${count} alike: ${scan?.['Actual Rows']} rows, ${pages} pages, ${ms.toFixed(1)} ms\n`,
      );
      expect(scan?.['Node Type']).toBe('Index Scan');
      for (const node of nodes) expect(node['Actual Rows']).toBeLessThanOrEqual(MOST_COMPARED);
      await overridden('The total of invoice 77777 is wrong');
      await assignClustersOnce(testEnv.services);
      expect(await clusters()).toEqual([[expect.any(String), 1]]);
      const [placed] = await testEnv.sql<{ mates: number }>(
        `select count(*)::int as mates from wording w join wording o on o.cluster_id = w.cluster_id
         where w.project_id = ? and w.reason like '%77777%'`,
        [fixture.projectId],
      );
      expect(placed?.mates).toBe(count + 1);
    }
  });

  it('costs its decision the same, however many are similar', async () => {
    const read: number[] = [];
    for (const count of [0, 1200]) {
      fixture = await createProjectFixture(testEnv.services);
      await alike(count);
      const { id } = await anItem(testEnv.services, fixture);
      const { fence } = await claim(testEnv.services, fixture.supervisor, id);
      const input = { itemId: id, fence, ...aDecision('reject', { reason: 'The total of 5 is wrong' }) };
      await decide({ ...testEnv.services, db: watched(read) }, fixture.supervisor, input);
    }
    expect(read).toEqual([0, 0]);
  });
});

/** Records how many reason variants each transaction read, by index or without. */
function watched(read: number[]): Database {
  const { db } = testEnv.services;
  const sql = `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables where relname = 'wording'`;
  const write: typeof db.write = (work) =>
    db.write(async (tx) => {
      const seen = async () => (await tx.em.execute<{ n: number }[]>(sql))[0]?.n ?? NaN;
      const before = await seen();
      const done = await work(tx);
      read.push((await seen()) - before);
      return done;
    });
  return { ...db, write };
}
