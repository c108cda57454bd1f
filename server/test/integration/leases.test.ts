// A claim's life on the real database: renewed, given back, lapsed; with the lock store, without it, and while it forgets.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Holder } from '../../src/claims/claim-lock.ts';
import { claim } from '../../src/usecases/claim.ts';
import { decide } from '../../src/usecases/decide.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import { lapseOnce } from '../../src/worker/lapse-claims.ts';
import { aDecision, anItem, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';
import { endLease, rowOf, toldOf } from './looking.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services, { claim_lease_seconds: 60 });
});

const row = (itemId: string) => rowOf(world, itemId);
const told = (itemId: string) => toldOf(world, itemId);

describe('the heartbeat', () => {
  it('touches the lock store alone, and never ends earlier than before', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence, expiresAt } = await claim(world.services, scene.anna, id);
    const before = await row(id);
    const renewed = await renewClaim(world.services, scene.anna, { itemId: id, fence });
    expect(renewed.fence).toBe(fence);
    expect(renewed.expiresAt.getTime()).toBeGreaterThan(expiresAt.getTime() - 1000);
    expect(await row(id)).toEqual(before);
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it.each(['flushed', 'down'])('goes on in the database when the lock store is %s', async (store) => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    await world.sql(`update item set claim_expires_at = now() + interval '30 seconds' where id = ?`, [id]);
    if (store === 'down') world.lock.down = true;
    else await world.lock.flush();
    const renewed = await renewClaim(world.services, scene.anna, { itemId: id, fence });
    expect(renewed.expiresAt.getTime() - Date.now()).toBeGreaterThan(50_000);
    if (store === 'flushed') expect((await world.lock.holders([id])).get(id)).toMatchObject({ fence });
    await expect(claim(world.services, scene.ben, id)).rejects.toMatchObject({ code: 'claim_held' });
  });

  it('I3: with another fence, by another person or after giving it back it is lost', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    const lost = { code: 'claim_lost' };
    await expect(renewClaim(world.services, scene.anna, { itemId: id, fence: fence + 1 })).rejects.toMatchObject(lost);
    await expect(renewClaim(world.services, scene.ben, { itemId: id, fence })).rejects.toMatchObject(lost);
    await releaseClaim(world.services, scene.anna, { itemId: id, fence });
    await expect(renewClaim(world.services, scene.anna, { itemId: id, fence })).rejects.toMatchObject(lost);
  });

  it('I3: after someone else took the item it names them', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    await endLease(world, id);
    expect((await claim(world.services, scene.ben, id)).fence).toBe(fence + 1);
    await expect(renewClaim(world.services, scene.anna, { itemId: id, fence })).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: { user_id: scene.ben.userId, name: 'Ben' } },
    });
    expect(await renewClaim(world.services, scene.ben, { itemId: id, fence: fence + 1 })).toMatchObject({ fence: 2 });
  });

  it('of a decided item says so', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await expect(renewClaim(world.services, scene.anna, { itemId: id, fence: 1 })).rejects.toMatchObject({
      code: 'already_decided',
    });
  });
});

describe('giving it back', () => {
  it('frees it at once, is told once, and the next fence is higher', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    await releaseClaim(world.services, scene.anna, { itemId: id, fence });
    await releaseClaim(world.services, scene.anna, { itemId: id, fence });
    expect((await claim(world.services, scene.ben, id)).fence).toBe(fence + 1);
    expect(await told(id)).toEqual(['item.queued', 'item.claimed', 'claim.released', 'item.claimed']);
  });

  it('what someone else holds now stays theirs', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    await endLease(world, id);
    await claim(world.services, scene.ben, id);
    await expect(releaseClaim(world.services, scene.anna, { itemId: id, fence })).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: { user_id: scene.ben.userId } },
    });
    expect(await row(id)).toMatchObject({ claimed_by: scene.ben.userId });
    expect((await world.lock.holders([id])).get(id)).toMatchObject({ userId: scene.ben.userId });
  });

  it('I3: the fence rises with every change of hands, and never else', async () => {
    const { id } = await anItem(world.services, scene);
    const fences: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const who = turn % 2 === 0 ? scene.anna : scene.ben;
      if (turn === 3) world.lock.down = true;
      const { fence } = await claim(world.services, who, id);
      fences.push(fence);
      if (turn % 3 === 0) await endLease(world, id);
      else await releaseClaim(world.services, who, { itemId: id, fence });
      world.lock.down = false;
    }
    expect(fences).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('a lease that has ended', () => {
  const sweep = () => lapseOnce(world.services);

  it('lapses once, however many look at once, and frees the item', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await endLease(world, id);
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(await told(id)).toEqual(['item.queued', 'item.claimed', 'claim.lapsed']);
    expect(await row(id)).toMatchObject({ claim_expires_at: null, claim_fence: 1 });
    expect((await claim(world.services, scene.ben, id)).fence).toBe(2);
  });

  it('was renewed, says the lock store: then it goes on', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    await renewClaim(world.services, scene.anna, { itemId: id, fence });
    await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    await sweep();
    const [{ live } = { live: false }] = await world.sql<{ live: boolean }>(
      'select claim_expires_at > now() as live from item where id = ?',
      [id],
    );
    expect(live).toBe(true);
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('without the lock store the database’s own record counts', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    world.lock.down = true;
    await sweep();
    expect(await told(id)).toEqual(['item.queued', 'item.claimed', 'claim.lapsed']);
  });

  it('LC1: its holder may still decide while nobody else took the item, not after', async () => {
    const [late, later] = await items(world.services, scene, 2);
    for (const item of [late, later]) {
      await claim(world.services, scene.anna, item?.id ?? '');
      await endLease(world, item?.id ?? '');
    }
    await sweep();
    const decideAs = (itemId: string) =>
      decide(world.services, scene.anna, { itemId, fence: 1, ...aDecision('approve') });
    expect(await decideAs(late?.id ?? '')).toMatchObject({ status: 'approved' });
    await claim(world.services, scene.ben, later?.id ?? '');
    await expect(decideAs(later?.id ?? '')).rejects.toMatchObject({
      code: 'claim_lost',
      extras: { holder: { user_id: scene.ben.userId } },
    });
  });

  it('is left alone when its holder renews it while the sweep is looking', async () => {
    const { id } = await anItem(world.services, scene);
    const { fence } = await claim(world.services, scene.anna, id);
    await endLease(world, id);
    await lapseWhile(() => renewClaim(world.services, scene.anna, { itemId: id, fence }));
    expect(await row(id)).toMatchObject({ claimed_by: scene.anna.userId, claim_fence: 1 });
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('is left to whoever takes the item while the sweep is looking', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await endLease(world, id);
    await lapseWhile(() => claim(world.services, scene.ben, id));
    expect(await row(id)).toMatchObject({ claimed_by: scene.ben.userId, claim_fence: 2 });
    expect((await row(id)).claim_expires_at).not.toBeNull();
    expect(await told(id)).toEqual(['item.queued', 'item.claimed', 'item.claimed']);
  });

  /** A sweep that finds the lock store empty, and `meanwhile` has happened when it comes back from there. */
  async function lapseWhile(meanwhile: () => Promise<unknown>): Promise<void> {
    const holders = async () => {
      await meanwhile();
      return new Map<string, Holder>();
    };
    await lapseOnce({ ...world.services, claims: { ...world.lock, holders } });
  }

  it('is left alone while it runs', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await sweep();
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });
});
