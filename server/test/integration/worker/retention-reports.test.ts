// Tests KE2 and KE4 beside MR: a mistake is reported or answered while retention redacts or deletes the item.
import { describe, expect, it } from 'vitest';
import { answerMistake, listMistakes, readMistake, reportMistake } from '../../../src/usecases/decisions/mistakes.ts';
import { useRetentionFixture, faultsOf } from './retention-fixture.ts';
import { waitForBlocked, withOpenTransaction } from '../support/blocking-transaction.ts';

const { testEnv, now, days, pass, decidedAndSent, gone, mark } = useRetentionFixture();

const report = (itemId: string) => reportMistake(testEnv.services, now.fixture.anna, { itemId, note: mark('report') });
const answer = (itemId: string, overturned: boolean) =>
  answerMistake(testEnv.services, now.fixture.supervisor, { itemId, overturned });
const reports = (itemId: string) =>
  testEnv.sql('select note, overturned from mistake_report where item_id = ?', [itemId]);
const changes = async (action: string) =>
  (
    await testEnv.sql('select 1 from project_change where project_id = ? and action = ?', [
      now.fixture.projectId,
      action,
    ])
  ).length;

/** Retention has deleted or redacted everything of the item but its events, and has not committed. */
const whileDeleted = (itemId: string, work: () => Promise<unknown>): Promise<PromiseSettledResult<unknown>> =>
  withOpenTransaction(testEnv, ['select 1 from event where item_id = ? for update', [itemId]], async (release) => {
    const deleting = pass(40);
    await waitForBlocked(testEnv, 1);
    const working = Promise.allSettled([work()]);
    await waitForBlocked(testEnv, 2);
    await release();
    await deleting;
    const [outcome] = await working;
    return outcome;
  });

/** The report or its answer is stored, but not the line of the change log about it, so that it has not committed. */
const whileStored = (work: () => Promise<unknown>, then: () => Promise<unknown>): Promise<void> =>
  withOpenTransaction(testEnv, ['lock table project_change in share row exclusive mode', []], async (release) => {
    const working = work();
    await waitForBlocked(testEnv, 1);
    const after = then();
    await waitForBlocked(testEnv, 2);
    await release();
    await Promise.all([working, after]);
  });

describe('KE4: an item that is deleted meanwhile', () => {
  it('is not found by a report of a mistake in it', async () => {
    await days({ retention_item_days: 30 });
    const id = await decidedAndSent();
    expect(await whileDeleted(id, () => report(id))).toMatchObject({ reason: { code: 'not_found' } });
    expect([await gone(id), await reports(id), await changes('mistake.reported')]).toEqual([true, [], 0]);
  });

  it.each([true, false])('is not found by an answer (overturned: %s), which leaves no trace', async (overturned) => {
    await days({ retention_item_days: 30 });
    const id = await decidedAndSent();
    await report(id);
    expect(await whileDeleted(id, () => answer(id, overturned))).toMatchObject({ reason: { code: 'not_found' } });
    const traces = (await changes('mistake.overturned')) + (await changes('mistake.upheld'));
    expect([await gone(id), await reports(id), traces]).toEqual([true, [], 0]);
  });

  it('is deleted with the report that came first', async () => {
    await days({ retention_item_days: 30 });
    const id = await decidedAndSent();
    await whileStored(
      () => report(id),
      () => pass(40),
    );
    expect([await gone(id), await reports(id), await faultsOf(testEnv)]).toEqual([true, [], []]);
    expect(
      (await listMistakes(testEnv.services, now.fixture.supervisor, { state: 'open', after: undefined, limit: 9 }))
        .rows,
    ).toEqual([]);
  });
});

describe('KE2: an item that is redacted meanwhile', () => {
  it('loses the note of the report that came first', async () => {
    await days({ retention_payload_days: 30 });
    const id = await decidedAndSent();
    await whileStored(
      () => report(id),
      () => pass(40),
    );
    expect([await gone(id), await reports(id)]).toEqual([false, [{ note: null, overturned: null }]]);
  });

  it('takes no report of a mistake in it, which would store text about what was deleted', async () => {
    await days({ retention_payload_days: 30 });
    const id = await decidedAndSent();
    expect(await whileDeleted(id, () => report(id))).toMatchObject({
      reason: { code: 'validation_failed', detail: expect.stringMatching(/retention policy/) as string },
    });
    expect([await gone(id), await reports(id), await changes('mistake.reported')]).toEqual([false, [], 0]);
    expect((await readMistake(testEnv.services, now.fixture.anna, id)).mayReport).toBe(false);
  });

  it('takes no other note of the report that came first', async () => {
    await days({ retention_payload_days: 30 });
    const id = await decidedAndSent();
    await report(id);
    await pass(40);
    await expect(report(id)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await reports(id)).toEqual([{ note: null, overturned: null }]);
  });

  it('keeps the answer to its report', async () => {
    await days({ retention_payload_days: 30 });
    const id = await decidedAndSent();
    await report(id);
    await whileStored(
      () => answer(id, true),
      () => pass(40),
    );
    expect(await reports(id)).toEqual([{ note: null, overturned: true }]);
  });
});
