// Tests KE1, KE2 and KE4 for items that their deadlines ended: they settle like decided ones, and what was told stays.
import { describe, expect, it } from 'vitest';
import type { OnDeadline } from '@countersign/shared/enums';
import { listPublicEvents } from '../../../src/usecases/decisions/list-public-events.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { extendDeadline } from '../../../src/usecases/items/extend-deadline.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { settle, tablesContaining, useRetentionFixture } from './retention-fixture.ts';

const { testEnv, now, days, pass, submitted, publicOf, detailOf, supervisorViewOf, gone, mark } = useRetentionFixture();

/** An item whose deadline has passed, and was told. */
async function overdue(onDeadline: OnDeadline): Promise<string> {
  const { id } = await submitted({ deadline: { until: { seconds: 600 }, onDeadline, pointer: '' } });
  await testEnv.sql(`update item set deadline = now() - '1ms'::interval where id = ?`, [id]);
  await expireItemsOnce(testEnv.services);
  await settle(testEnv);
  return id;
}

const fed = async () => {
  const { rows } = await listPublicEvents(testEnv.services, now.fixture.pipeline, { after: undefined, limit: 100 });
  return rows.map(({ itemId }) => itemId);
};

describe('an item that its deadline ended', () => {
  it.each<[OnDeadline, string]>([
    ['expire', 'expired'],
    ['reject', 'rejected'],
  ])('KE2: is redacted after “%s”; that it is %s can still be read', async (onDeadline, status) => {
    await days({ retention_payload_days: 7 });
    const id = await overdue(onDeadline);
    await pass(6.9);
    expect(await publicOf(id)).toMatchObject({ status, input: { question: mark('input') } });
    await pass(0.2);
    expect(await publicOf(id)).toMatchObject({ status, input: null, decision: null });
    expect(await tablesContaining(testEnv, mark(''))).toEqual([]);
    expect(await detailOf(id)).toMatchObject({ status: 'succeeded' });
    // It never had content, so a consumer that was down still learns of it.
    expect(await fed()).toEqual([id]);
    expect((await supervisorViewOf(id)).abilities).toMatchObject({ revise: false, reopen: false, claim: false });
    const input = { itemId: id, action: 'approve' as const, output: null, reason: 'Late', note: null, revises: null };
    await expect(revise(testEnv.services, now.fixture.supervisor, input)).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it('KE4: is deleted with its events and deliveries', async () => {
    await days({ retention_item_days: 7 });
    const id = await overdue('expire');
    await pass(8);
    expect(await gone(id)).toBe(true);
    expect(await testEnv.sql('select 1 from event where item_id = ?', [id])).toEqual([]);
    expect(await testEnv.sql('select 1 from delivery where item_id = ?', [id])).toEqual([]);
    expect(await fed()).toEqual([]);
  });

  it('KE1: stays while supervisors have it, however long', async () => {
    await days({ retention_payload_days: 7, retention_item_days: 30 });
    const id = await overdue('escalate');
    await testEnv.sql('update item set deadline = deadline + make_interval(days => 401) where id = ?', [id]);
    await pass(400);
    expect(await publicOf(id)).toMatchObject({ status: 'escalated', input: { question: mark('input') } });
    await extendDeadline(testEnv.services, now.fixture.supervisor, { itemId: id, seconds: 60 });
  });
});
