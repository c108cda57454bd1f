// Tests claims on the real database: the lock says who holds an item, the fence whose claim counts.
import { describe, expect, it } from 'vitest';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import {
  addReviewers,
  aDecision,
  anItem,
  aPerson,
  items,
  review,
  useProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { withOpenTransaction } from '../support/blocking-transaction.ts';
import { endLease, rowOf, eventTypesOf } from '../support/database-helpers.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { claim_lease_seconds: 60 });

const row = (itemId: string) => rowOf(testEnv, itemId);
const eventTypes = (itemId: string) => eventTypesOf(testEnv, itemId);
const decisions = (itemId: string) => testEnv.sql('select id from decision where item_id = ?', [itemId]);

describe('claiming an item', () => {
  it('returns a fence and a lease of the configured length, and appends one event', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const grant = await claim(testEnv.services, fixture.anna, id);
    expect(grant.fence).toBe(1);
    const [{ seconds } = { seconds: 0 }] = await testEnv.sql<{ seconds: number }>(
      `select extract(epoch from claim_expires_at - now())::float as seconds from item where id = ?`,
      [id],
    );
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await row(id)).toMatchObject({ claimed_by: fixture.anna.userId, claim_fence: 1, version: 2 });
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('claiming an item that the person already holds renews it: the same fence, no event', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const first = await claim(testEnv.services, fixture.anna, id);
    const again = await claim(testEnv.services, fixture.anna, id);
    expect(again.fence).toBe(first.fence);
    expect(again.expiresAt.getTime()).toBeGreaterThanOrEqual(first.expiresAt.getTime());
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('claiming an item that another person holds is refused with its holder, %s', async (_, down) => {
    testEnv.lock.down = down;
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await expect(claim(testEnv.services, fixture.ben, id)).rejects.toMatchObject({
      code: 'claim_held',
      extras: {
        holder: { user_id: fixture.anna.userId, name: 'Anna' },
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    expect(await row(id)).toMatchObject({ claimed_by: fixture.anna.userId, claim_fence: 1 });
  });

  it('I4: when the lock store has lost its data, the database still knows the holder', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await testEnv.lock.flush();
    await expect(claim(testEnv.services, fixture.ben, id)).rejects.toMatchObject({ code: 'claim_held' });
    expect(await renewClaim(testEnv.services, fixture.anna, { itemId: id, fence: 1 })).toMatchObject({ fence: 1 });
  });

  it.each([
    ['with the lock store', 'up'],
    ['without it', 'down'],
    ['while it forgets', 'flushing'],
  ])('I4: of 50 concurrent claims of one item one succeeds, %s', async (_, store) => {
    const reviewers = await addReviewers(testEnv.services, fixture, 50);
    const { id } = await anItem(testEnv.services, fixture);
    testEnv.lock.down = store === 'down';
    const taking = reviewers.map(async (who, index) => {
      if (store === 'flushing' && index % 5 === 0) await testEnv.lock.flush();
      return claim(testEnv.services, who, id);
    });
    const results = await Promise.allSettled(taking);
    const granted = results.flatMap((result, index) =>
      result.status === 'fulfilled' ? [reviewers[index]?.userId] : [],
    );
    expect(granted).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'claim_held' });
    }
    expect(await row(id)).toMatchObject({ claimed_by: granted[0], claim_fence: 1 });
    expect(await eventTypes(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('PM: an escalated item is for supervisors; an outsider’s item and an unknown one get the same 404', async () => {
    const { id } = await anItem(testEnv.services, fixture, { riskFlags: ['legal'] });
    await expect(claim(testEnv.services, fixture.anna, id)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await claim(testEnv.services, fixture.supervisor, id)).toMatchObject({ fence: 1 });
    const outsider = await aPerson(testEnv.services);
    await expect(claim(testEnv.services, outsider, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(claim(testEnv.services, fixture.anna, testEnv.services.ids.uuid())).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('I1: a decided item is refused', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await expect(claim(testEnv.services, fixture.ben, id)).rejects.toMatchObject({ code: 'already_decided' });
  });
});

describe('the next item', () => {
  it('LC3: is an escalated one first for those who may, then by due time; held ones are skipped', async () => {
    const [first, second, third] = await items(testEnv.services, fixture, 3);
    const escalated = await anItem(testEnv.services, fixture, { riskFlags: ['legal'] });
    const due = (id: string | undefined, minutes: number) =>
      testEnv.sql(`update item set due_at = now() + make_interval(mins => ?) where id = ?`, [minutes, id]);
    await due(third?.id, 1);
    await due(first?.id, 2);
    await due(second?.id, 3);
    const next = async (who: MemberActor) =>
      (await claimNext(testEnv.services, who, { projectId: fixture.projectId }))?.item.id;
    expect(await next(fixture.anna)).toBe(third?.id);
    expect(await next(fixture.supervisor)).toBe(escalated.id);
    expect(await next(fixture.anna)).toBe(first?.id);
    expect(await next(fixture.ben)).toBe(second?.id);
    expect(await next(fixture.owner)).toBeUndefined();
  });

  it('I4: 30 people who request at once get 20 different items of 20, and ten get none', async () => {
    const reviewers = await addReviewers(testEnv.services, fixture, 30);
    const waiting = await items(testEnv.services, fixture, 20);
    const grants = await Promise.all(
      reviewers.map((who) => claimNext(testEnv.services, who, { projectId: undefined })),
    );
    const taken = grants.flatMap((grant) => (grant ? [grant.item.id] : []));
    expect(taken.sort()).toEqual(waiting.map(({ id }) => id).sort());
    for (const { id } of waiting) expect(await row(id)).toMatchObject({ claim_fence: 1 });
  });

  it('is another one while the first is being claimed, at once', async () => {
    const [first, second] = await items(testEnv.services, fixture, 2);
    await testEnv.sql(`update item set due_at = now() where id = ?`, [first?.id]);
    const taking: [string, unknown[]] = ['select id from item where id = ? for update', [first?.id]];
    // A request that waited for the first would deadlock: it is released only when the second is claimed.
    const grant = await withOpenTransaction(testEnv, taking, () =>
      claimNext(testEnv.services, fixture.anna, { projectId: fixture.projectId }),
    );
    expect(grant).toMatchObject({ item: { id: second?.id } });
  });

  it('is not one that only the lock store knows to be renewed', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    expect(await claimNext(testEnv.services, fixture.ben, { projectId: fixture.projectId })).toBeNull();
    testEnv.lock.down = true;
    expect(await claimNext(testEnv.services, fixture.ben, { projectId: fixture.projectId })).toMatchObject({
      fence: 2,
    });
  });

  it('of a project the person is not a member of returns 404', async () => {
    const outsider = await aPerson(testEnv.services);
    await expect(claimNext(testEnv.services, outsider, { projectId: fixture.projectId })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await claimNext(testEnv.services, outsider, { projectId: undefined })).toBeNull();
  });
});

describe('LC1, I1: a race', () => {
  /** Decides without claiming. */
  const decideAs = (who: MemberActor, { itemId, action }: { itemId: string; action: ReviewAction }) =>
    decide(testEnv.services, who, { itemId, fence: 1, ...aDecision(action) });

  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('of one person’s 20 clicks decides once, %s', async (_, down) => {
    testEnv.lock.down = down;
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    const clicks = Array.from({ length: 20 }, (__, index) =>
      decideAs(fixture.anna, { itemId: id, action: index % 2 === 0 ? 'approve' : 'reject' }),
    );
    const results = await Promise.allSettled(clicks);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'already_decided' });
    }
    expect(await decisions(id)).toHaveLength(1);
    expect((await eventTypes(id)).filter((type) => type === 'item.finalized')).toHaveLength(1);
  });

  it('of 20 people who claim and decide without a lock store decides once', async () => {
    testEnv.lock.down = true;
    const { id } = await anItem(testEnv.services, fixture);
    const reviewers = await addReviewers(testEnv.services, fixture, 20);
    const results = await Promise.allSettled(
      reviewers.map((who) => review(testEnv.services, who, { itemId: id, action: 'approve' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await decisions(id)).toHaveLength(1);
  });

  it('between the holder’s decision and a claim at the end of the lease has exactly one winner', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await anItem(testEnv.services, fixture);
      await claim(testEnv.services, fixture.anna, id);
      await endLease(testEnv, id);
      const [decided, taken] = await Promise.allSettled([
        decideAs(fixture.anna, { itemId: id, action: 'approve' }),
        claim(testEnv.services, fixture.ben, id),
      ]);
      expect([decided.status, taken.status].sort()).toEqual(['fulfilled', 'rejected']);
      const row = await rowOf(testEnv, id);
      expect(row).toMatchObject(
        decided.status === 'fulfilled' ? { status: 'approved' } : { claimed_by: fixture.ben.userId, claim_fence: 2 },
      );
      expect(await decisions(id)).toHaveLength(decided.status === 'fulfilled' ? 1 : 0);
    }
  });
});
