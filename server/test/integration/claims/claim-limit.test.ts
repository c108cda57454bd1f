// Tests LC4: one person holds at most three items over all projects and processes, with any number of requests.
import { describe, expect, it } from 'vitest';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { releaseClaim, takeOver } from '../../../src/usecases/claims/end-claim.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { endLease, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import { aDecision, anItem, createProjectFixture, items, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { claim_lease_seconds: 60 });

const FULL = {
  code: 'too_many_claims',
  detail: 'You have claimed 3 items. Decide or release one first.',
};

/** A person at the claim limit: the items they hold, in the order of their claims. */
async function fill(who = fixture.anna, of = fixture): Promise<{ itemId: string; fence: number }[]> {
  const waiting = await items(testEnv.services, of, MAX_CLAIMS);
  const held: { itemId: string; fence: number }[] = [];
  for (const { id } of waiting) held.push({ itemId: id, fence: (await claim(testEnv.services, who, id)).fence });
  return held;
}

const first = <T>(list: readonly T[]): T => {
  if (list[0] === undefined) throw new Error('There is none.');
  return list[0];
};

/** The live claims of the person, by the database. */
const holds = async (who = fixture.anna) => {
  const [{ n } = { n: 0 }] = await testEnv.sql<{ n: number }>(
    'select count(*)::int as n from item where claimed_by = ? and claim_expires_at > now()',
    [who.userId],
  );
  return n;
};

describe('LC4: a fourth item', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('is refused to a claim, to claim next and to a take-over, and remains unchanged, %s', async (_, down) => {
    testEnv.lock.down = down;
    await fill(fixture.supervisor);
    const { id } = await anItem(testEnv.services, fixture);
    await expect(claim(testEnv.services, fixture.supervisor, id)).rejects.toMatchObject(FULL);
    await expect(takeOver(testEnv.services, fixture.supervisor, id)).rejects.toMatchObject(FULL);
    for (const projectId of [fixture.projectId, undefined])
      await expect(claimNext(testEnv.services, fixture.supervisor, { projectId })).rejects.toMatchObject(FULL);
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_fence: 0, version: 1 });
    expect(await eventTypesOf(testEnv, id)).toEqual(['item.queued']);
    if (!down) expect((await testEnv.lock.holders([id])).size).toBe(0);
    // The refusal leaves no lock that would block others.
    expect(await claim(testEnv.services, fixture.anna, id)).toMatchObject({ fence: 1 });
  });

  it('leaves the claims of others untouched', async () => {
    await fill(fixture.supervisor);
    const { id } = await anItem(testEnv.services, fixture);
    const annasClaim = await claim(testEnv.services, fixture.anna, id);
    await expect(takeOver(testEnv.services, fixture.supervisor, id)).rejects.toMatchObject(FULL);
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: fixture.anna.userId, claim_fence: annasClaim.fence });
    expect(await renewClaim(testEnv.services, fixture.anna, { itemId: id, fence: annasClaim.fence })).toMatchObject({
      fence: 1,
    });
  });

  it('is refused by claim next also when no item waits: waiting for more would not help', async () => {
    await fill();
    await expect(claimNext(testEnv.services, fixture.anna, {})).rejects.toMatchObject(FULL);
  });

  it('a fourth item that another person holds is refused with its holder', async () => {
    await fill();
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.ben, id);
    await expect(claim(testEnv.services, fixture.anna, id)).rejects.toMatchObject({
      code: 'claim_held',
      extras: { holder: { user_id: fixture.ben.userId } },
    });
  });

  it('is counted over all projects', async () => {
    const other = await createProjectFixture(testEnv.services);
    await testEnv.sql(`insert into member (project_id, user_id, role, created_at) values (?, ?, 'reviewer', now())`, [
      other.projectId,
      fixture.anna.userId,
    ]);
    await fill();
    const { id } = await anItem(testEnv.services, other);
    await expect(claim(testEnv.services, fixture.anna, id)).rejects.toMatchObject(FULL);
    await expect(claimNext(testEnv.services, fixture.anna, { projectId: other.projectId })).rejects.toMatchObject(FULL);
    expect(await claim(testEnv.services, fixture.ben, (await anItem(testEnv.services, fixture)).id)).toMatchObject({
      fence: 1,
    });
  });
});

describe('LC4: there is room again', () => {
  it.each<[string, (held: { itemId: string; fence: number }) => Promise<unknown>]>([
    ['one is released', (held) => releaseClaim(testEnv.services, fixture.anna, held)],
    ['one is decided', (held) => decide(testEnv.services, fixture.anna, { ...held, ...aDecision('approve') })],
    ['one is taken over', ({ itemId }) => takeOver(testEnv.services, fixture.supervisor, itemId)],
    ['a lease has ended, though nothing has noticed yet', ({ itemId }) => endLease(testEnv, itemId)],
    [
      'one has expired',
      async ({ itemId }) => {
        await endLease(testEnv, itemId);
        await expireClaimsOnce(testEnv.services);
      },
    ],
  ])('as soon as %s', async (_, letGo) => {
    const held = await fill();
    const { id } = await anItem(testEnv.services, fixture);
    await letGo(first(held));
    expect(await claim(testEnv.services, fixture.anna, id)).toMatchObject({ fence: 1 });
    await expect(
      claim(testEnv.services, fixture.anna, (await anItem(testEnv.services, fixture)).id),
    ).rejects.toMatchObject(FULL);
  });

  it('claim next returns an item too once there is room again', async () => {
    const held = await fill();
    const { id } = await anItem(testEnv.services, fixture);
    await endLease(testEnv, first(held).itemId);
    expect(await claimNext(testEnv.services, fixture.anna, {})).not.toBeNull();
    expect(await holds()).toBe(MAX_CLAIMS);
    expect([id, first(held).itemId]).toContain(
      (
        await testEnv.sql<{ id: string }>(
          'select id from item where claimed_by = ? order by claim_expires_at desc limit 1',
          [fixture.anna.userId],
        )
      )[0]?.id,
    );
  });
});

describe('LC4: a held item', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('can always be renewed, by heartbeat, claim and take-over, %s', async (_, down) => {
    testEnv.lock.down = down;
    const held = await fill(fixture.supervisor);
    for (const one of held) {
      await renewClaim(testEnv.services, fixture.supervisor, one);
      expect(await claim(testEnv.services, fixture.supervisor, one.itemId)).toMatchObject({ fence: one.fence });
      expect(await takeOver(testEnv.services, fixture.supervisor, one.itemId)).toMatchObject({ fence: one.fence });
    }
    expect(await holds(fixture.supervisor)).toBe(MAX_CLAIMS);
  });

  it('counts while the lock store has it renewed, though its lease in the database is over', async () => {
    const held = await fill();
    for (const { itemId } of held)
      await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [itemId]);
    const { id } = await anItem(testEnv.services, fixture);
    await expect(claim(testEnv.services, fixture.anna, id)).rejects.toMatchObject(FULL);
    await expireClaimsOnce(testEnv.services);
    expect(await holds()).toBe(MAX_CLAIMS);
  });

  it('whose lease ended unnoticed is not renewed beside three others', async () => {
    const [late] = await fill();
    if (late === undefined) throw new Error('There is one.');
    await endLease(testEnv, late.itemId);
    await claim(testEnv.services, fixture.anna, (await anItem(testEnv.services, fixture)).id);
    await expect(renewClaim(testEnv.services, fixture.anna, late)).rejects.toMatchObject({ code: 'claim_lost' });
    expect(await holds()).toBe(MAX_CLAIMS);
    // The late decision counts anyway: no other person claimed the item.
    await decide(testEnv.services, fixture.anna, { ...late, ...aDecision('approve') });
  });
});

describe('LC4: at once', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('of 24 claims of one person, in two processes, three are granted, %s', async (_, down) => {
    const waiting = await items(testEnv.services, fixture, 24);
    const other = await testEnv.another();
    for (const process of [testEnv, other]) process.lock.down = down;
    const ask = waiting.map(({ id }, n) => {
      const { services } = n % 2 === 0 ? testEnv : other;
      return n % 3 === 0 ? claimNext(services, fixture.anna, {}) : claim(services, fixture.anna, id);
    });
    const results = await Promise.allSettled(ask);
    await other.close();
    const granted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value?.item.id] : []));
    expect(new Set(granted).size).toBe(MAX_CLAIMS);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'too_many_claims' });
    expect(await holds()).toBe(MAX_CLAIMS);
  });
});
