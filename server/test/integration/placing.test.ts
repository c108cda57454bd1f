// A reason finds its cluster after the decision that gave it (CT4): promptly, once, and at a cost that does not grow with what was given before.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { MOST_COMPARED, NEAREST, placeReason, waitingReasons } from '../../src/db/place-reason.ts';
import { rawQuery } from '../../src/db/raw-query.ts';
import { CLOSE, keyOf } from '../../src/domain/wording.ts';
import { claim } from '../../src/usecases/claim.ts';
import { decide } from '../../src/usecases/decide.ts';
import { listClusters } from '../../src/usecases/queries/list-clusters.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { placeOnce } from '../../src/worker/place.ts';
import { aDecision, anItem, aScene, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services, { undo_window_seconds: 30 });
});

async function overridden(reason: string): Promise<string> {
  const { id } = await anItem(world.services, scene);
  await review(world.services, scene.supervisor, { itemId: id, action: 'reject', reason });
  return id;
}

const clusters = async () => {
  const query = { projectId: scene.projectId, filter: {}, after: undefined, limit: 100 };
  const { data } = await listClusters(world.services, scene.supervisor, query);
  return data.map(({ name, size }) => [name, size]);
};
const facts = async () => {
  const sql = `select data -> 'reshaped' as reshaped from event where project_id = ? and data -> 'placed_from' is not null`;
  return world.sql<{ reshaped: string[] }>(sql, [scene.projectId]);
};

const waitsForLock = async () => {
  const sql = `select 1 from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
  return (await world.sql(sql)).length > 0;
};

/** So many reasons that say nearly the same, placed long ago, each in the same cluster. */
async function alike(count: number): Promise<void> {
  const cluster = world.services.ids.uuid();
  await world.sql('insert into cluster (id, project_id, created_at) values (?, ?, now())', [cluster, scene.projectId]);
  await world.sql(
    `insert into wording (id, project_id, cluster_id, reason, key, placed_by_hand, created_at)
     select gen_random_uuid(), ?, ?, 'The total of invoice ' || n || ' is wrong', 'total invoice ' || n || ' wrong', true, now()
     from generate_series(1, ?) n`,
    [scene.projectId, cluster, count],
  );
  await world.sql('vacuum analyze wording');
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
  const [row] = await world.services.db.read((em) =>
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
    const other = await world.another();
    await Promise.all([placeOnce(world.services), placeOnce(other.services), placeOnce(world.services)]);
    expect(await clusters()).toEqual([['Wrong sum', 1]]);
    expect(await facts()).toHaveLength(1);
    await placeOnce(world.services);
    expect(await facts()).toHaveLength(1);
    await other.close();
  });

  it('waits for nobody who shapes clusters when it is given', async () => {
    const { promise: shaped, resolve: release } = Promise.withResolvers<undefined>();
    const { promise: held, resolve: holds } = Promise.withResolvers<undefined>();
    const shaping = world.services.db.write(async ({ em }) => {
      await em.execute(`select pg_advisory_xact_lock(hashtextextended('clusters:' || ?, 0))`, [scene.projectId]);
      holds(undefined);
      await shaped;
    });
    await held;
    await overridden('Wrong sum');
    release(undefined);
    await shaping;
    await placeOnce(world.services);
    expect(await clusters()).toEqual([['Wrong sum', 1]]);
  });

  it('whose placing breaks off keeps no other from its place, and is placed by the next run', async () => {
    for (const reason of ['Wrong sum', 'Too long']) await overridden(reason);
    const { db } = world.services;
    let broken = false;
    const cutOff: typeof db = {
      ...db,
      write: (work) =>
        db.write(async (tx) => {
          const done = await work(tx);
          if (broken) return done;
          broken = true;
          throw new Error('The process is gone.');
        }),
    };
    await expect(placeOnce({ ...world.services, db: cutOff })).rejects.toThrow('The process is gone.');
    expect(await clusters()).toEqual([['Too long', 1]]);
    await placeOnce(world.services);
    expect((await clusters()).sort()).toEqual([
      ['Too long', 1],
      ['Wrong sum', 1],
    ]);
    expect(await facts()).toHaveLength(2);
  });

  it('that is placed at the same moment as one like it finds that one’s cluster', async () => {
    for (const reason of ['Wrong sum', 'Wrong sum!']) await overridden(reason);
    const { db } = world.services;
    const [first = '', second = ''] = await db.read((em) => waitingReasons(em, 2));
    const { promise: end, resolve: commit } = Promise.withResolvers<undefined>();
    const { promise: placed, resolve: isPlaced } = Promise.withResolvers<undefined>();
    const placing = db.write(async (tx) => {
      await placeReason(world.services, tx, first);
      isPlaced(undefined);
      await end;
    });
    await placed;
    let ended = false;
    const meanwhile = db.write((tx) => placeReason(world.services, tx, second)).finally(() => (ended = true));
    // It waits for the other’s transaction; one that does not has ended before it.
    const waits = async () => ended || (await waitsForLock());
    await expect.poll(waits).toBe(true);
    commit(undefined);
    await Promise.all([placing, meanwhile]);
    expect(await clusters()).toEqual([[expect.any(String), 2]]);
  });

  it('that is undone before it is placed draws nobody', async () => {
    const id = await overridden('Wrong sum!');
    await undoDecision(world.services, scene.supervisor, id);
    await placeOnce(world.services);
    expect(await clusters()).toEqual([]);
    await overridden('Wrong sum');
    await placeOnce(world.services);
    expect(await clusters()).toEqual([['Wrong sum', 1]]);
  });

  it('is compared with so many at most, found by the index, however many are like it', async () => {
    for (const count of [1200, 10_000]) {
      scene = await aScene(world.services);
      await alike(count);
      const key = keyOf('The total of invoice 77777 is wrong');
      const { plan, ms } = await planOf(NEAREST, [scene.projectId, key, CLOSE]);
      const nodes = nodesOf(plan);
      const scan = nodes.find((node) => node['Index Name'] === 'wording_nearest');
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      process.stdout.write(
        `nearest of ${count} alike: ${scan?.['Actual Rows']} rows, ${pages} pages, ${ms.toFixed(1)} ms\n`,
      );
      expect(scan?.['Node Type']).toBe('Index Scan');
      for (const node of nodes) expect(node['Actual Rows']).toBeLessThanOrEqual(MOST_COMPARED);
      await overridden('The total of invoice 77777 is wrong');
      await placeOnce(world.services);
      expect(await clusters()).toEqual([[expect.any(String), 1]]);
      const [placed] = await world.sql<{ mates: number }>(
        `select count(*)::int as mates from wording w join wording o on o.cluster_id = w.cluster_id
         where w.project_id = ? and w.reason like '%77777%'`,
        [scene.projectId],
      );
      expect(placed?.mates).toBe(count + 1);
    }
  });

  it('costs its decision the same, however many are like it', async () => {
    const read: number[] = [];
    for (const count of [0, 1200]) {
      scene = await aScene(world.services);
      await alike(count);
      const { id } = await anItem(world.services, scene);
      const { fence } = await claim(world.services, scene.supervisor, id);
      const input = { itemId: id, fence, ...aDecision('reject', { reason: 'The total of 5 is wrong' }) };
      await decide({ ...world.services, db: watched(read) }, scene.supervisor, input);
    }
    expect(read).toEqual([0, 0]);
  });
});

/** Notes of each transaction how many wordings it read, by index or without. */
function watched(read: number[]): Database {
  const { db } = world.services;
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
