// Tests a claim's lease on the real database: renewed, released, expired, with and without the lock store.
import { describe, expect, it } from 'vitest';
import type { Holder } from '../../../src/claims/claim-lock.ts';
import { createMemoryClaimLock } from '../../../src/claims/memory-claim-lock.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { claimBulk } from '../../../src/usecases/claims/claim-bulk.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { releaseClaim, takeOver } from '../../../src/usecases/claims/end-claim.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { aDecision, anItem, items, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { endLease, rowOf, eventTypesOf } from '../support/database-helpers.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { claim_lease_seconds: 60 });

const row = (itemId: string) => rowOf(testEnv, itemId);
const eventTypes = (itemId: string) => eventTypesOf(testEnv, itemId);

describe('the heartbeat', () => {
  it('writes to the lock store alone, and never shortens the lease', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence, expiresAt } = await claim(testEnv.services, fixture.anna, id);
    const before = await row(id);
    const renewed = await renewClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    expect(renewed.fence).toBe(fence);
    expect(renewed.expiresAt.getTime()).toBeGreaterThan(expiresAt.getTime() - 1000);
    expect(await row(id)).toEqual(before);
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it.each(['flushed', 'down'])('continues in the database when the lock store is %s', async (store) => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await testEnv.sql(`update item set claim_expires_at = now() + interval '30 seconds' where id = ?`, [id]);
    if (store === 'down') testEnv.lock.down = true;
    else await testEnv.lock.flush();
    const renewed = await renewClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    expect(renewed.expiresAt.getTime() - Date.now()).toBeGreaterThan(50_000);
    if (store === 'flushed') expect((await testEnv.lock.holders([id])).get(id)).toMatchObject({ fence });
    await expect(claim(testEnv.services, fixture.ben, id)).rejects.toMatchObject({ code: 'claim_held' });
  });

  it('I3: refuses a heartbeat with another fence, by another person or after a release', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    const lost = { code: 'claim_lost' };
    await expect(renewClaim(testEnv.services, fixture.anna, { itemId: id, fence: fence + 1 })).rejects.toMatchObject(
      lost,
    );
    await expect(renewClaim(testEnv.services, fixture.ben, { itemId: id, fence })).rejects.toMatchObject(lost);
    await releaseClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    await expect(renewClaim(testEnv.services, fixture.anna, { itemId: id, fence })).rejects.toMatchObject(lost);
  });

  it('I3: names the holder when another person has claimed the item', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
    expect((await claim(testEnv.services, fixture.ben, id)).fence).toBe(fence + 1);
    await expect(renewClaim(testEnv.services, fixture.anna, { itemId: id, fence })).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: { user_id: fixture.ben.userId, name: 'Ben' } },
    });
    expect(await renewClaim(testEnv.services, fixture.ben, { itemId: id, fence: fence + 1 })).toMatchObject({
      fence: 2,
    });
  });

  it('answers that the item is decided', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await expect(renewClaim(testEnv.services, fixture.anna, { itemId: id, fence: 1 })).rejects.toMatchObject({
      code: 'already_decided',
    });
  });
});

describe('a release', () => {
  it('frees the item at once, appends one event, and the next fence is higher', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await releaseClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    await releaseClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    expect((await claim(testEnv.services, fixture.ben, id)).fence).toBe(fence + 1);
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed', 'claim.released', 'item.claimed']);
  });

  it('does nothing to an item that another person holds now', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
    await claim(testEnv.services, fixture.ben, id);
    await expect(releaseClaim(testEnv.services, fixture.anna, { itemId: id, fence })).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: { user_id: fixture.ben.userId } },
    });
    expect(await row(id)).toMatchObject({ claimed_by: fixture.ben.userId });
    expect((await testEnv.lock.holders([id])).get(id)).toMatchObject({ userId: fixture.ben.userId });
  });

  it('I3: raises the fence at the next claim, and nothing else does', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const fences: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const who = turn % 2 === 0 ? fixture.anna : fixture.ben;
      if (turn === 3) testEnv.lock.down = true;
      const { fence } = await claim(testEnv.services, who, id);
      fences.push(fence);
      if (turn % 3 === 0) await endLease(testEnv, id);
      else await releaseClaim(testEnv.services, who, { itemId: id, fence });
      testEnv.lock.down = false;
    }
    expect(fences).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('an ended lease', () => {
  const sweep = () => expireClaimsOnce(testEnv.services);

  it.each([-1, 1])(
    'is extended by what is left of the lock when the clock of its process is %i h off',
    async (hours) => {
      const clock = { now: () => new Date(Date.now() + hours * 3_600_000) };
      const services = { ...testEnv.services, clock, claims: createMemoryClaimLock(clock) };
      const { id } = await anItem(testEnv.services, fixture);
      const { fence } = await claim(services, fixture.anna, id);
      await testEnv.sql(`update item set claim_expires_at = now() - interval '1 s' where id = ?`, [id]);
      await renewClaim(services, fixture.anna, { itemId: id, fence });
      await expireClaimsOnce(services);
      const left = `claim_expires_at - now() between interval '1 s' and interval '60 s' as left`;
      expect(await testEnv.sql(`select ${left} from item where id = ?`, [id])).toEqual([{ left: true }]);
    },
  );

  it('expires once, however many workers check at once, and frees the item', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed', 'claim.expired']);
    expect(await row(id)).toMatchObject({ claim_expires_at: null, claim_fence: 1 });
    expect((await claim(testEnv.services, fixture.ben, id)).fence).toBe(2);
  });

  it('continues when the lock store says that it was renewed', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await renewClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    await sweep();
    const [{ live } = { live: false }] = await testEnv.sql<{ live: boolean }>(
      'select claim_expires_at > now() as live from item where id = ?',
      [id],
    );
    expect(live).toBe(true);
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('expires by the database’s own record without the lock store', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    testEnv.lock.down = true;
    await sweep();
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed', 'claim.expired']);
  });

  it('LC1: still lets its holder decide until another person claims the item', async () => {
    const [late, later] = await items(testEnv.services, fixture, 2);
    for (const item of [late, later]) {
      await claim(testEnv.services, fixture.anna, item?.id ?? '');
      await endLease(testEnv, item?.id ?? '');
    }
    await sweep();
    const decideAs = (itemId: string) =>
      decide(testEnv.services, fixture.anna, { itemId, fence: 1, ...aDecision('approve') });
    expect(await decideAs(late?.id ?? '')).toMatchObject({ status: 'approved' });
    await claim(testEnv.services, fixture.ben, later?.id ?? '');
    await expect(decideAs(later?.id ?? '')).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: { user_id: fixture.ben.userId } },
    });
  });

  it('continues when its holder renews it during the sweep', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
    await expireWhile(() => renewClaim(testEnv.services, fixture.anna, { itemId: id, fence }));
    expect(await row(id)).toMatchObject({ claimed_by: fixture.anna.userId, claim_fence: 1 });
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('does not expire when another person claims the item during the sweep', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
    await expireWhile(() => claim(testEnv.services, fixture.ben, id));
    expect(await row(id)).toMatchObject({ claimed_by: fixture.ben.userId, claim_fence: 2 });
    expect((await row(id)).claim_expires_at).not.toBeNull();
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed', 'item.claimed']);
  });

  /** Runs a sweep that finds the lock store empty, with `meanwhile` run before it continues. */
  async function expireWhile(meanwhile: () => Promise<unknown>): Promise<void> {
    const holders = async () => {
      await meanwhile();
      return new Map<string, Holder>();
    };
    await expireClaimsOnce({ ...testEnv.services, claims: { ...testEnv.lock, holders } });
  }

  it('a running lease continues', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await sweep();
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });
});

describe('LC6: a claim that expired in the database during an outage of the lock store', () => {
  /** A claim of Anna's with a heartbeat: its lock still runs for a while, and `during` happens before the store is back. */
  async function expiredInOutage(during: (itemId: string) => Promise<unknown> = async () => undefined) {
    const { id } = await anItem(testEnv.services, fixture);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    await renewClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    testEnv.lock.down = true;
    await expireClaimsOnce(testEnv.services);
    await during(id);
    testEnv.lock.down = false;
    expect((await testEnv.lock.holders([id])).get(id)).toMatchObject({ userId: fixture.anna.userId, fence });
    return { itemId: id, fence };
  }
  const claimOf = (actor: MemberActor, itemId: string) => claim(testEnv.services, actor, itemId);

  const WAYS: [string, (actor: MemberActor, itemId: string) => Promise<unknown>][] = [
    ['a claim by its ID', claimOf],
    ['a request for the next item', (actor) => claimNext(testEnv.services, actor, { projectId: fixture.projectId })],
    [
      'a bulk claim',
      (actor, id) => claimBulk(testEnv.services, actor, { projectId: fixture.projectId, itemIds: [id] }),
    ],
    ['a take-over', (actor, id) => takeOver(testEnv.services, actor, id)],
  ];
  it.each(WAYS)('leaves the item free for %s', async (_, claimIt) => {
    const held = await expiredInOutage();
    await expect(renewClaim(testEnv.services, fixture.anna, held)).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: null },
    });
    await claimIt(fixture.supervisor, held.itemId);
    const { userId } = fixture.supervisor;
    expect(await row(held.itemId)).toMatchObject({ claimed_by: userId, claim_fence: 2 });
    expect((await testEnv.lock.holders([held.itemId])).get(held.itemId)).toMatchObject({ userId, fence: 2 });
  });

  it('does not name its holder once the database has granted the item to somebody else', async () => {
    const { itemId } = await expiredInOutage((id) => claimOf(fixture.ben, id));
    await expect(claimOf(fixture.supervisor, itemId)).rejects.toMatchObject({
      code: 'claim_held',
      extras: { holder: { user_id: fixture.ben.userId } },
    });
  });

  it('does not keep the lease of a later claim alive', async () => {
    const { itemId } = await expiredInOutage(async (id) => {
      await claimOf(fixture.ben, id);
      await endLease(testEnv, id);
    });
    expect(await claimNext(testEnv.services, fixture.supervisor, {})).toMatchObject({ item: { id: itemId }, fence: 3 });
  });
});
