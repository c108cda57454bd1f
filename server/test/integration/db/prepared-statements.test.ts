// Tests that statements are prepared (decision 0009): a connection parses and plans each once.
import { describe, expect, it } from 'vitest';
import { planned, plannedBySize, planNameOf } from '../../../src/db/connection/planned.ts';
import { rawQuery } from '../../../src/db/raw-query.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
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

describe('a statement that is planned by the size of its tables', () => {
  const sized = plannedBySize('select $1::int as sized');

  it('is planned each time while the size is not known, and once between two doublings', async () => {
    expect(planNameOf(sized(0))).toBeUndefined();
    const names = [1, 2, 3, 4, 5, 8, 9, 1_000_000, 1_048_576].map((rows) => planNameOf(sized(rows)));
    const [one, two, three, four, five, eight, nine, million, most] = names;
    expect([three === four, five === eight, million === most]).toEqual([true, true, true]);
    expect(new Set([one, two, four, eight, nine, most]).size).toBe(6);
    const ask = (rows: number) => testEnv.services.db.read((em) => rawQuery(em, sized(rows), [rows]));
    expect([await ask(0), await ask(5), await ask(9)]).toEqual([[{ sized: 0 }], [{ sized: 5 }], [{ sized: 9 }]]);
  });

  it('is the one that sequences events, once the relay knows how many there are', async () => {
    const fixture = await createProjectFixture(testEnv.services);
    for (let n = 0; n < 3; n += 1) {
      await anItem(testEnv.services, fixture);
      await relayOnce(testEnv.services, testEnv.signals);
    }
    // The pool hands out the connection that was used last.
    const texts = await testEnv.sql<{ statement: string }>(
      `select statement from pg_prepared_statements where statement like '%with unsequenced as%'`,
    );
    expect(texts.length).toBeGreaterThan(0);
    for (const { statement } of texts) expect(statement).toMatch(/-- up to \d+ rows$/);
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
