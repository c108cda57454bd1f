// Tests prepared statements (decision 0009): sent by name to PostgreSQL, so that a connection parses and plans each once.
import { describe, expect, it } from 'vitest';
import { planned } from '../../../src/db/connection/planned.ts';
import { rawQuery } from '../../../src/db/raw-query.ts';
import { findItem } from '../../../src/usecases/access/membership.ts';
import { anItem, createProjectFixture, review } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const OFTEN = planned('select $1::int as often');
const RARELY = 'select $1::int as rarely';

describe('a statement that is marked as planned', () => {
  it('returns the same as any other', async () => {
    expect(await testEnv.services.db.read((em) => rawQuery(em, OFTEN, [3]))).toEqual([{ often: 3 }]);
    expect(await testEnv.services.db.read((em) => rawQuery(em, OFTEN, [4]))).toEqual([{ often: 4 }]);
  });

  it('is cached by its connection, and no other is', async () => {
    const kept = await testEnv.services.db.write(async ({ em }) => {
      for (const n of [1, 2, 3]) {
        await rawQuery(em, OFTEN, [n]);
        await rawQuery(em, RARELY, [n]);
      }
      return rawQuery<{ statement: string; often: boolean }>(
        em,
        'select statement, generic_plans + custom_plans >= 3 as often from pg_prepared_statements where statement in ($1, $2)',
        [OFTEN, RARELY],
      );
    });
    expect(kept).toEqual([{ statement: OFTEN, often: true }]);
  });
});

// A migration adds columns while processes of the version before go on (docs/OPERATIONS.md).
it('a process claims, reads and decides items as before when a later version adds a column to them', async () => {
  const fixture = await createProjectFixture(testEnv.services);
  const decideOne = async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const { item } = await testEnv.services.db.read((em) => findItem(em, fixture.anna.userId, id));
    return item.status;
  };
  // Often enough for every connection of the pool to have prepared its statements.
  for (let n = 0; n < 5; n += 1) expect(await decideOne()).toBe('approved');
  await testEnv.sql('alter table item add column of_a_later_version text null');
  try {
    for (let n = 0; n < 5; n += 1) expect(await decideOne()).toBe('approved');
  } finally {
    await testEnv.sql('alter table item drop column of_a_later_version');
  }
});
