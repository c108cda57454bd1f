// Tests what a claim finds when it had to wait: for the person, whose role changes meanwhile, or for the item.
import { describe, expect, it, vi } from 'vitest';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { releaseClaim } from '../../../src/usecases/claims/end-claim.ts';
import { waitForBlocked, withOpenTransaction } from '../support/blocking-transaction.ts';
import { rowOf } from '../support/database-helpers.ts';
import { anItem, items, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { claim_lease_seconds: 60 });
const LOCK_PERSON = 'select 1 from app_user where id = ? for no key update';
const LOCK_ITEM = 'select 1 from item where id = ? for update';
const BLOCK = 'update app_user set blocked_at = now() where id = ?';
const REMOVE = 'delete from member where user_id = ?';
const PROMOTE = `update member set role = 'supervisor' where user_id = ?`;
const ESCALATE = `update item set status = 'escalated' where id = ?`;

/** Runs a claim of Anna's that waits for this lock, and `meanwhile` before the lock is released. */
async function claimWhileLocked(itemId: string, lock: [string, string[]], meanwhile: () => Promise<unknown>) {
  return withOpenTransaction(testEnv, lock, async (commit) => {
    const claiming = claim(testEnv.services, fixture.anna, itemId);
    claiming.catch(() => undefined);
    await waitForBlocked(testEnv, 1);
    await meanwhile();
    await commit();
    return claiming;
  });
}

describe('a claim that waits for another transaction of the person', () => {
  const person = (): [string, string[]] => [LOCK_PERSON, [fixture.anna.userId]];
  const change = (text: string) => testEnv.sql(text, [fixture.anna.userId]);

  it('PM2: finds no item when the person was removed meanwhile', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await expect(claimWhileLocked(id, person(), () => change(REMOVE))).rejects.toMatchObject({ code: 'not_found' });
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_fence: 0 });
  });

  it('is granted by the role that the person was given meanwhile', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const meanwhile = async () => {
      await change(REMOVE);
      const member = [fixture.projectId, fixture.anna.userId];
      await testEnv.sql(
        `insert into member (project_id, user_id, role, created_at) values (?, ?, 'reviewer', now())`,
        member,
      );
    };
    expect(await claimWhileLocked(id, person(), meanwhile)).toMatchObject({ fence: 1 });
  });

  it('is granted an item that was escalated meanwhile when the person became a supervisor', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const meanwhile = async () => {
      await change(PROMOTE);
      await testEnv.sql(ESCALATE, [id]);
    };
    expect(await claimWhileLocked(id, person(), meanwhile)).toMatchObject({ fence: 1 });
  });

  it('A20: is refused when that transaction blocks the person', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const block: [string, string[]] = [BLOCK, [fixture.anna.userId]];
    await expect(claimWhileLocked(id, block, async () => undefined)).rejects.toMatchObject({ code: 'blocked' });
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_fence: 0 });
  });
});

describe('a request for the next item, while other transactions have all of them locked', () => {
  const CLAIM = `update item set claimed_by = ?, claim_expires_at = now() + interval '1 hour' where id = ?`;
  const LOCK_AT_ONCE = 'select 1 from item where id = ? for update nowait';
  const WAITERS = `select 1 from item i join pg_locks l on l.transactionid::text = i.xmax::text and not l.granted where i.id = ?`;

  it('LC3: waits for one after the other, holds no item meanwhile, and gets the first that is free', async () => {
    const first = await anItem(testEnv.services, fixture);
    const second = await anItem(testEnv.services, fixture);
    const claimed: [string, string[]] = [CLAIM, [fixture.ben.userId, first.id]];
    await withOpenTransaction(testEnv, claimed, async (commitFirst) =>
      withOpenTransaction(testEnv, [LOCK_ITEM, [second.id]], async (commitSecond) => {
        const claiming = claimNext(testEnv.services, fixture.anna, {});
        claiming.catch(() => undefined);
        await waitForBlocked(testEnv, 1);
        await commitFirst();
        // It waits for the second one by now. One that it held could be what the other transaction wants next.
        await vi.waitFor(async () => expect(await testEnv.sql(WAITERS, [second.id])).toHaveLength(1));
        await testEnv.sql(LOCK_AT_ONCE, [first.id]);
        await commitSecond();
        expect(await claiming).toMatchObject({ item: { id: second.id }, fence: 1 });
      }),
    );
  });

  it('waits for a transaction that only refers to the item', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const refers: [string, string[]] = ['select 1 from item where id = ? for key share', [id]];
    await withOpenTransaction(testEnv, refers, async (commit) => {
      const claiming = claimNext(testEnv.services, fixture.anna, {});
      expect(await Promise.race([claiming, waitForBlocked(testEnv, 1)])).toBeUndefined();
      await commit();
      expect(await claiming).toMatchObject({ item: { id }, fence: 1 });
    });
  });

  it('gets one that arrived during its last wait', async () => {
    const claimed = (id: string): [string, string[]] => [CLAIM, [fixture.ben.userId, id]];
    const first = await anItem(testEnv.services, fixture);
    await withOpenTransaction(testEnv, claimed(first.id), async (commitFirst) => {
      const claiming = claimNext(testEnv.services, fixture.anna, {});
      claiming.catch(() => undefined);
      await waitForBlocked(testEnv, 1);
      const second = await anItem(testEnv.services, fixture);
      await withOpenTransaction(testEnv, claimed(second.id), async (commitSecond) => {
        await commitFirst();
        await vi.waitFor(async () => expect(await testEnv.sql(WAITERS, [second.id])).toHaveLength(1));
        const { id } = await anItem(testEnv.services, fixture);
        await commitSecond();
        expect(await claiming).toMatchObject({ item: { id }, fence: 1 });
      });
    });
  });

  it('finds none once others have claimed them all', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await withOpenTransaction(testEnv, [CLAIM, [fixture.ben.userId, id]], async (commit) => {
      const claiming = claimNext(testEnv.services, fixture.anna, {});
      await waitForBlocked(testEnv, 1);
      await commit();
      expect(await claiming).toBeNull();
    });
  });
});

describe('LC4: a fourth claim that waits for the item', () => {
  it('is granted when one of the three was released meanwhile', async () => {
    const waiting = await items(testEnv.services, fixture, MAX_CLAIMS);
    const held: { itemId: string; fence: number }[] = [];
    for (const { id } of waiting)
      held.push({ itemId: id, fence: (await claim(testEnv.services, fixture.anna, id)).fence });
    const { id } = await anItem(testEnv.services, fixture);
    const release = () => Promise.all(held.slice(0, 1).map((one) => releaseClaim(testEnv.services, fixture.anna, one)));
    expect(await claimWhileLocked(id, [LOCK_ITEM, [id]], release)).toMatchObject({ fence: 1 });
  });
});
