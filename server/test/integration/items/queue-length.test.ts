// Tests a long queue: the cost of a query does not grow with the rows it skips.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Em } from '../../../src/db/orm.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { pick } from '../../../src/usecases/claims/claim-pick.ts';
import { listSimilar } from '../../../src/usecases/items/list-similar.ts';
import { readQueueRows } from '../../../src/usecases/items/list-queue.ts';
import { createProjectFixture, anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

/** How many item rows these queries visit, by the statistics of the database. */
const visited = (ask: (em: Em) => Promise<unknown>): Promise<number> =>
  testEnv.services.db.read((em) =>
    em.transactional(async (inside) => {
      // As with a million decided items beside them, when a full table scan is no option.
      for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await inside.execute(`set local enable_${way} = off`);
      // The counts of a session begin when it last reported them, which may be before this transaction.
      const before = await visitsSoFar(inside);
      await ask(inside);
      return (await visitsSoFar(inside)) - before;
    }),
  );

async function visitsSoFar(em: Em): Promise<number> {
  const [row] = await em.execute<{ n: string }[]>(
    `select coalesce(idx_tup_fetch, 0) + seq_tup_read as n from pg_stat_xact_user_tables where relname = 'item'`,
  );
  return Number(row?.n);
}

describe('LC3: behind 5 000 escalated items that are due first', () => {
  let high: ProjectFixture;

  beforeAll(async () => {
    high = await createProjectFixture(testEnv.services);
    await anItem(testEnv.services, high);
    await testEnv.sql(
      `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
         matched_flags, settings_version, version, created_at, due_at)
       select gen_random_uuid(), project_id, 'escalated', input, suggestion, confidence, '{}', 'high', rule, auto_threshold, review_threshold,
         '{}', 1, 1, created_at, due_at - n * interval '1 second'
       from item, generate_series(1, 5000) n where project_id = ?`,
      [high.projectId],
    );
    await testEnv.sql('analyze item');
  });

  it('an item for a reviewer is found without a visit to those', async () => {
    const scope = { all: [high.projectId], escalated: [], blind: new Set<string>(), userId: high.anna.userId };
    const asked = { view: 'available', sort: 'due', filter: {}, after: null, limit: 100 } as const;
    expect(
      await visited(async (em) => expect((await readQueueRows(em, scope, asked)).items).toHaveLength(1)),
    ).toBeLessThan(20);
    const roles = [{ projectId: high.projectId, role: 'reviewer' as const, skills: [], hasReserved: false }];
    const picking = { roles, free: [], lock: true, most: 1 } as const;
    expect(await visited(async (em) => expect(await pick(em, picking)).toHaveLength(1))).toBeLessThan(20);
  });

  it('a supervisor gets the first escalated item without a visit to the rest', async () => {
    const roles = [{ projectId: high.projectId, role: 'supervisor' as const, skills: [], hasReserved: false }];
    const picking = { roles, free: [], lock: true, most: 1 } as const;
    expect(await visited((em) => pick(em, picking))).toBeLessThan(1000);
  });

  it('similar items are found among the first 2,000 of each status (QU28)', async () => {
    const id = (await anItem(testEnv.services, high)).id;
    const nearest = (em: Em) =>
      listSimilar(
        { ...testEnv.services, db: { ...testEnv.services.db, read: (work) => work(em) } },
        high.supervisor,
        id,
      );
    expect(await visited(nearest)).toBeLessThan(3000);
  });
});

describe('SK4: behind 5 000 items that are reserved for others and due first', () => {
  let reserved: ProjectFixture;

  beforeAll(async () => {
    reserved = await createProjectFixture(testEnv.services);
    const { projectId, ben } = reserved;
    await changeSettings(testEnv.services, reserved.owner, {
      projectId,
      settingsVersion: 1,
      changes: { skills: [{ match: { flag: 'legal' }, people: [ben.userId], after_minutes: 60 }] },
    });
    await anItem(testEnv.services, reserved);
    await testEnv.sql(
      `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
         matched_flags, settings_version, version, created_at, due_at, reserved_for, reserved_until)
       select gen_random_uuid(), project_id, 'queued', input, suggestion, confidence, '{}', 'legal', rule, auto_threshold, review_threshold,
         '{}', 1, 1, created_at, due_at - n * interval '1 second', 'flag:legal', now() + interval '1 hour'
       from item, generate_series(1, 5000) n where project_id = ?`,
      [projectId],
    );
    await testEnv.sql('analyze item');
  });

  const pickFor = (skills: string[]) => async (em: Em) => {
    const roles = [{ projectId: reserved.projectId, role: 'reviewer' as const, skills, hasReserved: true }];
    expect(await pick(em, { roles, free: [], lock: true, most: 1 })).toHaveLength(1);
  };

  it('an item for everybody is found without a visit to those', async () => {
    expect(await visited(pickFor([]))).toBeLessThan(20);
  });

  it('their own people get the first of them without a visit to the rest', async () => {
    expect(await visited(pickFor(['flag:legal']))).toBeLessThan(1000);
  });
});
