// LC4: one person holds at most three items, over all projects and processes, however they ask and however many ask at once.
import { beforeEach, describe, expect, it } from 'vitest';
import { MOST_CLAIMS } from '@countersign/shared/api/queue';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { decide } from '../../src/usecases/decide.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import { takeOver } from '../../src/usecases/take-over.ts';
import { lapseOnce } from '../../src/worker/lapse-claims.ts';
import { endLease, rowOf, toldOf } from './looking.ts';
import { aDecision, anItem, aScene, items, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services, { claim_lease_seconds: 60 });
});

const FULL = {
  code: 'too_many_claims',
  detail: 'You hold 3 items. Decide one or give one back first.',
};

/** Somebody's hands filled: what they hold, in the order they took it. */
async function fill(who = scene.anna, of = scene): Promise<{ itemId: string; fence: number }[]> {
  const waiting = await items(world.services, of, MOST_CLAIMS);
  const held: { itemId: string; fence: number }[] = [];
  for (const { id } of waiting) held.push({ itemId: id, fence: (await claim(world.services, who, id)).fence });
  return held;
}

const first = <T>(list: readonly T[]): T => {
  if (list[0] === undefined) throw new Error('There is none.');
  return list[0];
};

/** What the person holds live, by the database. */
const holds = async (who = scene.anna) => {
  const [{ n } = { n: 0 }] = await world.sql<{ n: number }>(
    'select count(*)::int as n from item where claimed_by = ? and claim_expires_at > now()',
    [who.userId],
  );
  return n;
};

describe('LC4: a fourth item', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('is refused to a claim, to the next one and to a take-over, and stays as it was, %s', async (_, down) => {
    world.lock.down = down;
    await fill(scene.supervisor);
    const { id } = await anItem(world.services, scene);
    await expect(claim(world.services, scene.supervisor, id)).rejects.toMatchObject(FULL);
    await expect(takeOver(world.services, scene.supervisor, id)).rejects.toMatchObject(FULL);
    for (const projectId of [scene.projectId, undefined])
      await expect(claimNext(world.services, scene.supervisor, { projectId })).rejects.toMatchObject(FULL);
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: null, claim_fence: 0, version: 1 });
    expect(await toldOf(world, id)).toEqual(['item.queued']);
    if (!down) expect((await world.lock.holders([id])).size).toBe(0);
    // Nobody else stands before a door that the refusal shut.
    expect(await claim(world.services, scene.anna, id)).toMatchObject({ fence: 1 });
  });

  it('is not taken out of anybody’s hands', async () => {
    await fill(scene.supervisor);
    const { id } = await anItem(world.services, scene);
    const hers = await claim(world.services, scene.anna, id);
    await expect(takeOver(world.services, scene.supervisor, id)).rejects.toMatchObject(FULL);
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: scene.anna.userId, claim_fence: hers.fence });
    expect(await renewClaim(world.services, scene.anna, { itemId: id, fence: hers.fence })).toMatchObject({ fence: 1 });
  });

  it('is refused as the next one too where none waits: it would help nobody to look for more', async () => {
    await fill();
    await expect(claimNext(world.services, scene.anna, {})).rejects.toMatchObject(FULL);
  });

  it('that somebody else holds is refused with who holds it', async () => {
    await fill();
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.ben, id);
    await expect(claim(world.services, scene.anna, id)).rejects.toMatchObject({
      code: 'claim_held',
      extras: { holder: { user_id: scene.ben.userId } },
    });
  });

  it('is counted over all projects', async () => {
    const other = await aScene(world.services);
    await world.sql(`insert into member (project_id, user_id, role, created_at) values (?, ?, 'reviewer', now())`, [
      other.projectId,
      scene.anna.userId,
    ]);
    await fill();
    const { id } = await anItem(world.services, other);
    await expect(claim(world.services, scene.anna, id)).rejects.toMatchObject(FULL);
    await expect(claimNext(world.services, scene.anna, { projectId: other.projectId })).rejects.toMatchObject(FULL);
    expect(await claim(world.services, scene.ben, (await anItem(world.services, scene)).id)).toMatchObject({
      fence: 1,
    });
  });
});

describe('LC4: there is room again', () => {
  it.each<[string, (held: { itemId: string; fence: number }) => Promise<unknown>]>([
    ['one is given back', (held) => releaseClaim(world.services, scene.anna, held)],
    ['one is decided', (held) => decide(world.services, scene.anna, { ...held, ...aDecision('approve') })],
    ['one is taken over', ({ itemId }) => takeOver(world.services, scene.supervisor, itemId)],
    ['a lease is over, though nobody has noticed yet', ({ itemId }) => endLease(world, itemId)],
    [
      'one has lapsed',
      async ({ itemId }) => {
        await endLease(world, itemId);
        await lapseOnce(world.services);
      },
    ],
  ])('as soon as %s', async (_, letGo) => {
    const held = await fill();
    const { id } = await anItem(world.services, scene);
    await letGo(first(held));
    expect(await claim(world.services, scene.anna, id)).toMatchObject({ fence: 1 });
    await expect(claim(world.services, scene.anna, (await anItem(world.services, scene)).id)).rejects.toMatchObject(
      FULL,
    );
  });

  it('and the next one is given too', async () => {
    const held = await fill();
    const { id } = await anItem(world.services, scene);
    await endLease(world, first(held).itemId);
    expect(await claimNext(world.services, scene.anna, {})).not.toBeNull();
    expect(await holds()).toBe(MOST_CLAIMS);
    expect([id, first(held).itemId]).toContain(
      (
        await world.sql<{ id: string }>(
          'select id from item where claimed_by = ? order by claim_expires_at desc limit 1',
          [scene.anna.userId],
        )
      )[0]?.id,
    );
  });
});

describe('LC4: what one holds', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('is renewed whenever one asks, by heartbeat, claim and take-over, %s', async (_, down) => {
    world.lock.down = down;
    const held = await fill(scene.supervisor);
    for (const one of held) {
      await renewClaim(world.services, scene.supervisor, one);
      expect(await claim(world.services, scene.supervisor, one.itemId)).toMatchObject({ fence: one.fence });
      expect(await takeOver(world.services, scene.supervisor, one.itemId)).toMatchObject({ fence: one.fence });
    }
    expect(await holds(scene.supervisor)).toBe(MOST_CLAIMS);
  });

  it('counts while the lock store knows it renewed, though its lease in the database is over', async () => {
    const held = await fill();
    for (const { itemId } of held)
      await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [itemId]);
    const { id } = await anItem(world.services, scene);
    await expect(claim(world.services, scene.anna, id)).rejects.toMatchObject(FULL);
    await lapseOnce(world.services);
    expect(await holds()).toBe(MOST_CLAIMS);
  });

  it('and whose lease ended unnoticed is not renewed beside three others', async () => {
    const [late] = await fill();
    if (late === undefined) throw new Error('There is one.');
    await endLease(world, late.itemId);
    await claim(world.services, scene.anna, (await anItem(world.services, scene)).id);
    await expect(renewClaim(world.services, scene.anna, late)).rejects.toMatchObject({ code: 'claim_lost' });
    expect(await holds()).toBe(MOST_CLAIMS);
    // The late decision counts all the same: nobody else took the item.
    await decide(world.services, scene.anna, { ...late, ...aDecision('approve') });
  });
});

describe('LC4: at once', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('of 24 claims of one person, in two processes, three are granted, %s', async (_, down) => {
    const waiting = await items(world.services, scene, 24);
    const other = await world.another();
    for (const process of [world, other]) process.lock.down = down;
    const ask = waiting.map(({ id }, n) => {
      const { services } = n % 2 === 0 ? world : other;
      return n % 3 === 0 ? claimNext(services, scene.anna, {}) : claim(services, scene.anna, id);
    });
    const results = await Promise.allSettled(ask);
    await other.close();
    const granted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value?.item.id] : []));
    expect(new Set(granted).size).toBe(MOST_CLAIMS);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'too_many_claims' });
    expect(await holds()).toBe(MOST_CLAIMS);
  });
});
