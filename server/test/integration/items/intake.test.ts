// Tests intake batching: concurrent submissions share a commit, and a failing one does not affect the others.
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../src/db/database.ts';
import { openOrm } from '../../../src/db/orm.ts';
import { createIntake, type Submission } from '../../../src/usecases/items/intake.ts';
import { submitBatch } from '../../../src/usecases/items/submit.ts';
import { withOpenTransaction, insertKeyStatement } from '../support/blocking-transaction.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, aSubmission, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { nowhere } from '../../../../scripts/lib/processes/postgres-client.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

const DIGEST = 'a'.repeat(64);
/** Text that the database refuses while `refusingText` runs. */
const POISON = 'poison';

function anIntakeSubmission(
  of: ProjectFixture,
  overrides: Partial<Submission> & { text?: string; key?: string } = {},
): Submission {
  const { text = 'Question', key, ...rest } = overrides;
  const { idempotency: _none, ...item } = aSubmission({ input: { value: text, raw: JSON.stringify(text) } });
  return {
    projectId: of.projectId,
    actor: { kind: 'api_key', id: of.pipeline.keyId, name: of.pipeline.name },
    items: [item],
    idempotency: key === undefined ? null : { operation: 'submit', key, digest: DIGEST },
    ...rest,
  };
}

/** An intake whose transactions are counted. */
function countingIntake() {
  const { services } = testEnv;
  let transactions = 0;
  const { write } = services.db;
  const db = { ...services.db, write: ((work) => ((transactions += 1), write(work))) as typeof write };
  const intake = createIntake({ ...services, db });
  return { submit: intake.submit, transactions: () => transactions };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const idsOf = async (place: ProjectFixture) =>
  (await testEnv.sql<{ id: string }>('select id from item where project_id = ?', [place.projectId])).map(
    ({ id }) => id,
  );
const eventsOf = async (place: ProjectFixture) =>
  (await eventLogOf(testEnv, place.projectId)).filter(({ item_id }) => item_id !== null);
const outcomesOf = async (submissions: ReturnType<typeof testEnv.services.intake.submit>[]) =>
  (await Promise.allSettled(submissions)).map((one) =>
    one.status === 'fulfilled' ? 'stored' : ((one.reason as { code?: string }).code ?? 'failed'),
  );

/** While `work` runs, the database refuses every item with that text. */
async function refusingText(work: () => Promise<void>): Promise<void> {
  await testEnv.sql(`alter table item add constraint poisoned check (preview <> '${POISON}')`);
  try {
    await work();
  } finally {
    await testEnv.sql('alter table item drop constraint poisoned');
  }
}

describe('200 submissions at once', () => {
  it('use few transactions, and every one is stored once', async () => {
    const place = await createProjectFixture(testEnv.services);
    const { submit, transactions } = countingIntake();
    const stored = await Promise.all(
      numbers(200).map((n) => submit(anIntakeSubmission(place, { text: `Question ${n}` }))),
    );
    const ids = stored.flatMap(({ results }) => results.map(({ item }) => item.id));
    expect(new Set(ids).size).toBe(200);
    expect((await idsOf(place)).sort()).toEqual(ids.sort());
    expect(transactions()).toBeLessThanOrEqual(4);
  });

  it('use more transactions when each has hundreds of items: the size of a commit is limited', async () => {
    const place = await createProjectFixture(testEnv.services);
    const { submit, transactions } = countingIntake();
    const submission = anIntakeSubmission(place);
    const items = numbers(500).flatMap(() => submission.items);
    await Promise.all(numbers(20).map(() => submit({ ...submission, items })));
    expect(await idsOf(place)).toHaveLength(10_000);
    // Ten thousand rows are more than twice the limit of one group.
    expect(transactions()).toBeGreaterThanOrEqual(3);
  });

  it('I6: append one event each, in the order of arrival', async () => {
    const place = await createProjectFixture(testEnv.services);
    const stored = await Promise.all(numbers(200).map(() => testEnv.services.intake.submit(anIntakeSubmission(place))));
    const ids = stored.flatMap(({ results }) => results.map(({ item }) => item.id));
    const events = await eventsOf(place);
    expect(events.map(({ type, item_id }) => [type, item_id])).toEqual(ids.map((id) => ['item.queued', id]));
    expect(ids.toSorted()).toEqual(ids);
  });

  it('I2: get no response before the commit', async () => {
    const place = await createProjectFixture(testEnv.services);
    const { write } = testEnv.services.db;
    const asked = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    const slow: typeof write = async (work) => {
      asked.resolve(undefined);
      await released.promise;
      return write(work);
    };
    const intake = createIntake({ ...testEnv.services, db: { ...testEnv.services.db, write: slow } });
    let answered = 0;
    const submissions = numbers(10).map(() => intake.submit(anIntakeSubmission(place)).then(() => (answered += 1)));
    await asked.promise;
    await anItem(testEnv.services, fixture);
    expect(answered).toBe(0);
    expect(await idsOf(place)).toEqual([]);
    released.resolve(undefined);
    await Promise.all(submissions);
    expect(await idsOf(place)).toHaveLength(10);
  });
});

describe('one failing submission in a batch', () => {
  it('a submission in a batch that the database refuses fails alone', async () => {
    const place = await createProjectFixture(testEnv.services);
    await refusingText(async () => {
      const texts = numbers(20).map((n) => (n === 7 ? POISON : `Question ${n}`));
      const outcomes = await outcomesOf(
        texts.map((text) => testEnv.services.intake.submit(anIntakeSubmission(place, { text }))),
      );
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(19);
      expect(outcomes[7]).toBe('23514');
    });
    expect(await idsOf(place)).toHaveLength(19);
    expect(await eventsOf(place)).toHaveLength(19);
  });

  it('a submission in a batch that is itself a batch fails as a whole, and frees its key (I2)', async () => {
    const place = await createProjectFixture(testEnv.services);
    const { input: _, ...rest } = aSubmission();
    const itemOf = (text: string) => ({ ...rest, input: { value: text, raw: JSON.stringify(text) } });
    const idempotency = { key: 'night', bodySha256: DIGEST };
    const send = (texts: string[]) =>
      submitBatch(testEnv.services, place.pipeline, { items: texts.map(itemOf), idempotency });
    await refusingText(async () => {
      await expect(send(['a', POISON, 'c'])).rejects.toThrow();
      expect(await idsOf(place)).toEqual([]);
    });
    expect(await send(['a', POISON, 'c'])).toMatchObject({ replayed: false });
    expect(await send(['a', POISON, 'c'])).toMatchObject({ replayed: true });
    expect(await idsOf(place)).toHaveLength(3);
  });

  it('of an archived project is refused alone', async () => {
    const [place, archived] = [
      await createProjectFixture(testEnv.services),
      await createProjectFixture(testEnv.services),
    ];
    await testEnv.sql('update project set archived_at = now() where id = ?', [archived.projectId]);
    const batchOfSubmissions = numbers(9).map((n) =>
      anIntakeSubmission(n % 3 === 1 ? archived : place, { key: `k${n}` }),
    );
    const outcomes = await outcomesOf(
      batchOfSubmissions.map((submission) => testEnv.services.intake.submit(submission)),
    );
    expect(outcomes).toEqual(numbers(9).map((n) => (n % 3 === 1 ? 'forbidden' : 'stored')));
    expect([await idsOf(place), await idsOf(archived)].map((ids) => ids.length)).toEqual([6, 0]);
    expect(await testEnv.sql('select 1 from idempotency_key where project_id = ?', [archived.projectId])).toEqual([]);
  });

  it('whose key is in flight elsewhere delays no other', async () => {
    const place = await createProjectFixture(testEnv.services);
    const { id } = await anItem(testEnv.services, place);
    const rival = { projectId: place.projectId, operation: 'submit', key: 'busy' };
    const first = insertKeyStatement(rival, { itemId: id, bodySha256: DIGEST });
    await withOpenTransaction(testEnv, first, async (commit) => {
      let isAnswered = false;
      const { submit } = testEnv.services.intake;
      const waiting = submit(anIntakeSubmission(place, { key: 'busy' })).finally(() => (isAnswered = true));
      const otherSubmissions = await Promise.all(
        numbers(20).map((n) => submit(anIntakeSubmission(place, { key: `free ${n}` }))),
      );
      expect(otherSubmissions.every(({ replayed }) => !replayed)).toBe(true);
      expect(isAnswered).toBe(false);
      await commit();
      expect(await waiting).toMatchObject({ replayed: true, results: [{ item: { id } }] });
    });
    expect(await idsOf(place)).toHaveLength(21);
  });
});

describe('duplicates in one group', () => {
  it('I2: create one item; another body is refused', async () => {
    const place = await createProjectFixture(testEnv.services);
    const { submit, transactions } = countingIntake();
    const other = { operation: 'submit' as const, key: 'twin', digest: 'b'.repeat(64) };
    const stored = submit(anIntakeSubmission(place, { key: 'twin' }));
    const twins = [
      submit(anIntakeSubmission(place, { key: 'twin' })),
      submit(anIntakeSubmission(place, { idempotency: other })),
    ];
    expect(await outcomesOf(twins)).toEqual(['stored', 'idempotency_key_reused']);
    expect(transactions()).toBe(1);
    expect(await twins[0]).toEqual({ ...(await stored), replayed: true });
    expect(await idsOf(place)).toHaveLength(1);
  });

  it('do not match across projects or operations', async () => {
    const [place, other] = [await createProjectFixture(testEnv.services), await createProjectFixture(testEnv.services)];
    const batch = { operation: 'batch' as const, key: 'same', digest: DIGEST };
    const batchOfSubmissions = [
      anIntakeSubmission(place, { key: 'same' }),
      anIntakeSubmission(other, { key: 'same' }),
      anIntakeSubmission(place, { idempotency: batch }),
    ];
    const stored = await Promise.all(
      batchOfSubmissions.map((submission) => testEnv.services.intake.submit(submission)),
    );
    expect(stored.map(({ replayed }) => replayed)).toEqual([false, false, false]);
    expect([await idsOf(place), await idsOf(other)].map((ids) => ids.length)).toEqual([2, 1]);
  });
});

describe('an unreachable database', () => {
  it('refuses the whole group at once, each submission by name', async () => {
    const orm = await openOrm({ connection: nowhere(), poolSize: 2 });
    const intake = createIntake({ ...testEnv.services, db: createDatabase(orm, testEnv.services) });
    const outcomes = await outcomesOf(numbers(50).map(() => intake.submit(anIntakeSubmission(fixture))));
    expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
    await orm.close();
  });
});
