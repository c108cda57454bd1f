// Tests taking over a held item, and reopening an item that routing rejected.
import { describe, expect, it } from 'vitest';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { seizeClaim } from '../../../src/usecases/claims/claim-row.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { readPublicItem } from '../../../src/usecases/items/read-item.ts';
import { releaseClaim, takeOver } from '../../../src/usecases/claims/end-claim.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { eventsOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import {
  aDecision,
  anItem,
  aPerson,
  review,
  type ProjectFixture,
  useProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv);

const take = (who: ProjectFixture['anna'], id: string) => takeOver(testEnv.services, who, id);

describe('taking over', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('I3: raises the fence, and late requests of the previous holder change nothing, %s', async (_, down) => {
    testEnv.lock.down = down;
    const { id } = await anItem(testEnv.services, fixture);
    const annasClaim = await claim(testEnv.services, fixture.anna, id);
    const grant = await take(fixture.supervisor, id);
    expect(grant.fence).toBe(annasClaim.fence + 1);
    const held = { itemId: id, fence: annasClaim.fence };
    const deciding = decide(testEnv.services, fixture.anna, { ...held, ...aDecision('approve') });
    const lost = { code: 'claim_lost', extras: { holder: { user_id: fixture.supervisor.userId, name: 'Sam' } } };
    await expect(deciding).rejects.toMatchObject(lost);
    await expect(renewClaim(testEnv.services, fixture.anna, held)).rejects.toMatchObject(lost);
    await expect(releaseClaim(testEnv.services, fixture.anna, held)).rejects.toMatchObject(lost);
    await renewClaim(testEnv.services, fixture.supervisor, { itemId: id, fence: grant.fence });
    await decide(testEnv.services, fixture.supervisor, { itemId: id, fence: grant.fence, ...aDecision('approve') });
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'approved', claim_fence: 2 });
  });

  it('appends one event, which names the previous holder', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await take(fixture.supervisor, id);
    const [, , taken] = await eventsOf(testEnv, id);
    const taken_from = { user_id: fixture.anna.userId, name: 'Anna' };
    expect(taken).toMatchObject({ type: 'item.claimed', data: { version: 3, taken_from } });
  });

  it('leaves the lock with the new holder alone', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    const { fence } = await take(fixture.owner, id);
    expect((await testEnv.services.claims.holders([id])).get(id)).toMatchObject({
      userId: fixture.owner.userId,
      fence,
    });
  });

  it('claims an item that nobody holds, and renews the own claim', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const first = await take(fixture.supervisor, id);
    const again = await take(fixture.supervisor, id);
    expect([first.fence, again.fence]).toEqual([1, 1]);
    expect(await eventTypesOf(testEnv, id)).toEqual(['item.queued', 'item.claimed']);
    expect((await eventsOf(testEnv, id)).at(-1)?.data).not.toHaveProperty('taken_from');
  });

  it('PM: is for supervisors and owners; a decided item is refused as decided; a stranger gets 404', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await expect(take(fixture.ben, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(take(await aPerson(testEnv.services), id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: fixture.anna.userId, claim_fence: 1 });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await expect(take(fixture.supervisor, id)).rejects.toMatchObject({ code: 'already_decided' });
  });

  it('PM2: checks the role again in the transaction: a former supervisor takes nothing over', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.ben, id);
    const terms = { itemId: id, projectId: fixture.projectId, leaseSeconds: 60 };
    expect(await testEnv.services.db.write((tx) => seizeClaim(tx, fixture.anna, terms))).toBeNull();
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: fixture.ben.userId, claim_fence: 1 });
  });

  it('I4: leaves the last one granted as the only holder when ten people take an item over at once', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    const claimants = [fixture.supervisor, fixture.owner];
    const grants = await Promise.all(
      Array.from({ length: 10 }, (_, n) => take(claimants[n % 2] as ProjectFixture['anna'], id)),
    );
    const row = await rowOf(testEnv, id);
    expect(row.claim_fence).toBe(Math.max(...grants.map(({ fence }) => fence)));
    const logEvents = (await eventsOf(testEnv, id)).filter(({ type }) => type === 'item.claimed');
    expect(logEvents).toHaveLength(row.claim_fence);
  });
});

describe('LC: reopening', () => {
  const again = (who: ProjectFixture['anna'], itemId: string) =>
    reopen(testEnv.services, who, { itemId, reason: 'Worth a look' });

  it('sends an item that routing rejected to the queue, where it is decided like any other', async () => {
    const { id, status } = await anItem(testEnv.services, fixture, { confidence: 0.1 });
    expect(status).toBe('rejected');
    await again(fixture.supervisor, id);
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'queued', decided_at: null, version: 2 });
    const queued = (await eventsOf(testEnv, id)).at(-1);
    expect(queued).toMatchObject({ type: 'item.queued', data: { reason: 'Worth a look', item: { status: 'queued' } } });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const { item, decision } = await readPublicItem(testEnv.services, fixture.pipeline, id);
    expect([item.status, decision?.status]).toEqual(['approved', 'approved']);
  });

  it('PM: is for supervisors and owners, and never for what a person rejected', async () => {
    const { id } = await anItem(testEnv.services, fixture, { confidence: 0.1 });
    await expect(again(fixture.anna, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(again(await aPerson(testEnv.services), id)).rejects.toMatchObject({ code: 'not_found' });
    const { id: decided } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: decided, action: 'reject' });
    await expect(again(fixture.owner, decided)).rejects.toMatchObject({ code: 'already_decided' });
    const { id: open } = await anItem(testEnv.services, fixture);
    await expect(again(fixture.owner, open)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('reopens an item once when ten people do it at once', async () => {
    const { id } = await anItem(testEnv.services, fixture, { confidence: 0.1 });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => again(fixture.owner, id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await rowOf(testEnv, id)).version).toBe(2);
  });
});
