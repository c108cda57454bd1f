// Many deadlines at one moment: they pass in bounded batches that block nobody, and are found by their index (DL4).
import { beforeEach, describe, expect, it } from 'vitest';
import { DUE, passDeadlines } from '../../../src/db/deadlines/pass-deadlines.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { releaseClaim } from '../../../src/usecases/claims/end-claim.ts';
import { createIntake } from '../../../src/usecases/items/intake.ts';
import { extendDeadline } from '../../../src/usecases/items/extend-deadline.ts';
import { withdrawItem } from '../../../src/usecases/items/withdraw-item.ts';
import { BATCH, expireItemsOnce, NEXT_DEADLINE } from '../../../src/worker/expire-items.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { anItem, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { nodesOf, planOf, rowsVisited } from '../support/query-plan.ts';
import { useServices } from '../support/test-services.ts';

const STORM = 5 * BATCH;

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => {
  await testEnv.sql('update item set deadline = null');
  fixture = await createProjectFixture(testEnv.services, { webhook_url: 'https://hooks.example.com/' });
});

const withDeadline = (services: Services = testEnv.services) =>
  anItem(services, fixture, { deadline: { until: { seconds: 600 }, pointer: '' } });

/** The same services, but a statement that waits five seconds for a lock fails. */
function impatient({ db, ...rest }: Services): Services {
  const write: typeof db.write = (work) =>
    db.write(async (tx) => {
      await tx.em.execute(`set local lock_timeout = '5s'`);
      return work(tx);
    });
  const own = { ...rest, db: { ...db, write } };
  return { ...own, intake: createIntake(own) };
}

/** Submits this many items with deadlines, and lets all of them be due. */
async function storm(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => withDeadline()));
  await testEnv.sql(`update item set deadline = deadline - '601s'::interval where project_id = ?`, [fixture.projectId]);
}

const countOf = async (condition: string) => {
  const [row] = await testEnv.sql<{ n: number }>(
    `select count(*)::int as n from item where project_id = ? and ${condition}`,
    [fixture.projectId],
  );
  return row?.n;
};

describe('a thousand deadlines at once', () => {
  it('pass in batches, each told once', async () => {
    await storm(STORM);
    for (let moved = BATCH; moved <= STORM; moved += BATCH) {
      expect(await expireItemsOnce(testEnv.services)).toEqual({ again: true });
      expect(await countOf(`status = 'expired'`)).toBe(moved);
    }
    expect(await expireItemsOnce(testEnv.services)).toEqual({ at: null });
    await expectNoFaults(testEnv);
    const [told] = await testEnv.sql<{ n: number; items: number }>(
      `select count(*)::int as n, count(distinct item_id)::int as items from delivery where project_id = ?`,
      [fixture.projectId],
    );
    expect(told).toEqual({ n: STORM, items: STORM });
  });

  it('block no submission, no claim, no withdrawal and no other worker while a batch is open', async () => {
    await storm(2 * BATCH);
    const other = await withDeadline();
    const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const open = testEnv.services.db.write(async (tx) => {
      expect((await passDeadlines(tx, { limit: BATCH })).count).toBe(BATCH);
      entered.resolve();
      await left.promise;
    });
    await entered.promise;
    try {
      const services = impatient(testEnv.services);
      const submitted = await withDeadline(services);
      const { fence } = await claim(services, fixture.anna, submitted.id);
      await releaseClaim(services, fixture.anna, { itemId: submitted.id, fence });
      await extendDeadline(services, fixture.supervisor, { itemId: other.id, seconds: 60 });
      await withdrawItem(services, fixture.pipeline, { itemId: other.id, reason: null });
      expect(await expireItemsOnce(services)).toEqual({ again: true });
      // What is due now is locked: it is looked for again.
      expect(await expireItemsOnce(services)).toEqual({ at: expect.any(Date) as Date });
      expect(await countOf(`status = 'expired'`)).toBe(BATCH);
    } finally {
      left.resolve();
    }
    await open;
    expect(await countOf(`status = 'expired'`)).toBe(2 * BATCH);
    await expectNoFaults(testEnv);
  });
});

describe('what is due', () => {
  /** Copies one item, which waits, with other statuses and deadlines; `n` counts from 1. */
  const insert = (count: number, { status, deadline }: { status: string; deadline: string }) =>
    testEnv.sql(
      `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
         matched_flags, settings_version, version, created_at, due_at, deadline, on_deadline, deadline_span)
       select gen_random_uuid(), project_id, '${status}', input, suggestion, confidence, '{}', preview, rule, auto_threshold, review_threshold,
         '{}', 1, 1, created_at, due_at, ${deadline}, 'expire', 600
       from (select * from item where project_id = ? limit 1) i, generate_series(1, ?) n`,
      [fixture.projectId, count],
    );

  it('is found by its index, among many items that wait or have ended', async () => {
    await withDeadline();
    const due = 50;
    await insert(due, { status: 'queued', deadline: `now() - n * interval '1 ms'` });
    await insert(20_000, { status: 'queued', deadline: `now() + n * interval '1 minute'` });
    await insert(20_000, { status: 'queued', deadline: 'null' });
    await insert(20_000, { status: 'expired', deadline: `now() - n * interval '1 minute'` });
    await testEnv.sql('vacuum analyze item');
    for (const [sql, values] of [
      [`${DUE} skip locked`, [BATCH, null, 0]],
      [NEXT_DEADLINE, []],
    ] as const) {
      const nodes = nodesOf(await planOf(testEnv, sql, [...values]));
      expect(nodes.map((node) => node['Index Name']).filter(Boolean)).toEqual(['item_deadline']);
      for (const node of nodes) expect(rowsVisited(node), JSON.stringify(node)).toBeLessThanOrEqual(due);
    }
    await testEnv.sql('delete from item where project_id = ?', [fixture.projectId]);
  });
});
