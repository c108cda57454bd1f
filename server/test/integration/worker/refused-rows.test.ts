// Tests that a row that the database refuses delays no other row of the worker's jobs.
import { afterEach, describe, expect, it } from 'vitest';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { endLease } from '../support/database-helpers.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { anItem, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { undo_window_seconds: 600 });
afterEach(async () => {
  await allow();
  await expectNoFaults(testEnv);
});

/** From now on the database refuses every change of these rows. */
async function refuse(table: 'item' | 'decision', column: string, ...ids: readonly string[]): Promise<void> {
  await testEnv.sql(
    `create function refuse_row() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
  );
  await testEnv.sql(
    `create trigger refused before update on ${table} for each row when (old.${column} in (${ids.map((id) => `'${id}'`).join()})) execute function refuse_row()`,
  );
}
const allow = () => testEnv.sql('drop function if exists refuse_row() cascade');

/** Items in the order in which the job takes them; the second one is refused. */
async function five(): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { id } = await anItem(testEnv.services, fixture, { deadline: { until: { seconds: 600 }, pointer: '' } });
    ids.push(id);
  }
  return ids;
}

const second = (ids: readonly string[]): string => {
  const [, id] = ids;
  if (id === undefined) throw new Error('There are five.');
  return id;
};

/** The items for which this holds, in their order. */
async function those(condition: string, ids: readonly string[]): Promise<string[]> {
  const rows = await testEnv.sql<{ id: string }>(
    `select i.id from item i left join decision d on d.item_id = i.id where i.project_id = ? and ${condition}`,
    [fixture.projectId],
  );
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => found.has(id));
}

const JOBS = [
  {
    name: 'DL4: deadlines that pass',
    run: expireItemsOnce,
    refused: ['item', 'id'] as const,
    becomeDue: (id: string) => testEnv.sql(`update item set deadline = deadline - '601s'::interval where id = ?`, [id]),
    done: `i.status = 'expired'`,
  },
  {
    name: 'LC2: decisions that become final',
    run: finalizeOnce,
    refused: ['decision', 'item_id'] as const,
    becomeDue: async (id: string) => {
      await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
      await testEnv.sql(`update decision set undo_until = now() - '1s'::interval where item_id = ?`, [id]);
    },
    done: 'd.final_at is not null',
  },
  {
    name: 'LC1: claims that expire',
    run: expireClaimsOnce,
    refused: ['item', 'id'] as const,
    becomeDue: async (id: string) => {
      await claim(testEnv.services, fixture.anna, id);
      await endLease(testEnv, id);
    },
    done: 'i.claim_expires_at is null',
  },
];

describe.each(JOBS)('$name', ({ run, refused: [table, column], becomeDue, done }) => {
  it('reach all rows but the one that the database refuses, and that one once it no longer does', async () => {
    const ids = await five();
    for (const id of ids) await becomeDue(id);
    await refuse(table, column, second(ids));
    const others = ids.filter((id) => id !== second(ids));
    // The loop logs it, rests, and runs again.
    for (let round = 0; round < 2; round += 1) {
      await expect(run(testEnv.services)).rejects.toThrow('refused');
      expect(await those(done, ids)).toEqual(others);
    }
    await allow();
    await run(testEnv.services);
    expect(await those(done, ids)).toEqual(ids);
  });
});

it('LC1: a whole batch of refused claims does not stop the claims after them', async () => {
  const ids = await five();
  for (const id of ids) {
    await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
  }
  await refuse('item', 'id', ...ids.slice(0, 3));
  await expect(expireClaimsOnce(testEnv.services, 2)).rejects.toThrow('refused');
  expect(await those('i.claim_expires_at is null', ids)).toEqual(ids.slice(3));
  await allow();
  await expireClaimsOnce(testEnv.services);
});
