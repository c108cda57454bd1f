// Tests prepared statements (decision 0009): sent by name to PostgreSQL, so that a connection parses and plans each once.
import { describe, expect, it } from 'vitest';
import { planned } from '../../../src/db/connection/planned.ts';
import { rawQuery } from '../../../src/db/raw-query.ts';
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
