// Reopening what routing rejected: until its deadline, and once (LC, DL3).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reopenItem } from '@countersign/shared/routes/queue';
import { aSubmission, openProject } from '../../builders.ts';
import { codeOf, person } from '../../client.ts';
import { waitForBlocked, withOpenTransaction } from '../support/blocking-transaction.ts';
import { setDeadlineClock } from '../support/deadline-clock.ts';
import { serve, type Served } from '../support/http-server.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterEach(() => setDeadlineClock(inside, 0));
afterAll(async () => {
  await served.close();
  await expectNoFaults(inside);
});

describe('LC: an item that routing rejected', () => {
  it('is reopened until its deadline; of two people who do it at once, the second hears that it waits', async () => {
    const rejecting = await openProject(await person(served.testEnv), { settings: { below_review: 'reject' } });
    const make = async () =>
      (await rejecting.pipeline.submit(aSubmission({ confidence: 0, deadline_seconds: 600 }))).id;
    const [twice, over] = [await make(), await make()];
    const reopen = (id: string) => rejecting.owner.attempt(reopenItem, { params: { id }, body: undefined });
    const [first, second] = await withOpenTransaction(
      inside,
      ['select 1 from item where id = ? for update', [twice]],
      async (commit) => {
        const both = Promise.all([reopen(twice), reopen(twice)]);
        await waitForBlocked(inside, 2);
        await commit();
        return both;
      },
    );
    expect([codeOf(first), codeOf(second)].sort()).toEqual(['ok', 'validation_failed']);
    await setDeadlineClock(inside, 601);
    expect(codeOf(await reopen(over))).toBe('expired');
  });
});
