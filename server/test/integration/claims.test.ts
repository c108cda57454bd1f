// Claims on the real database: the lock says who holds an item now, the fence says whose claim counts, with or without the lock store.
import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { decide } from '../../src/usecases/decide.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { lapseOnce } from '../../src/worker/lapse-claims.ts';
import { aCrowd, aDecision, anItem, aPerson, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';
import { eventsOf, rowOf } from './looking.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services, { claim_lease_seconds: 60 });
});

/** The lease ends now, in the database and in the lock. */
async function endLease(itemId: string): Promise<void> {
  await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [itemId]);
  if (!world.lock.down) await world.lock.lapse(itemId);
}

const row = (itemId: string) => rowOf(world, itemId);
const told = async (itemId: string) => (await eventsOf(world, itemId)).map(({ type }) => type);

describe('taking an item', () => {
  it('gives a fence, a lease as long as the project says, and one fact', async () => {
    const { id } = await anItem(world.services, scene);
    const grant = await claim(world.services, scene.anna, id);
    expect(grant.fence).toBe(1);
    const [{ seconds } = { seconds: 0 }] = await world.sql<{ seconds: number }>(
      `select extract(epoch from claim_expires_at - now())::float as seconds from item where id = ?`,
      [id],
    );
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await row(id)).toMatchObject({ claimed_by: scene.anna.userId, claim_fence: 1, version: 2 });
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('that one holds already renews it: the same fence, nothing told', async () => {
    const { id } = await anItem(world.services, scene);
    const first = await claim(world.services, scene.anna, id);
    const again = await claim(world.services, scene.anna, id);
    expect(again.fence).toBe(first.fence);
    expect(again.expiresAt.getTime()).toBeGreaterThanOrEqual(first.expiresAt.getTime());
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('that someone else holds is refused and names them, %s', async (_, down) => {
    world.lock.down = down;
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await expect(claim(world.services, scene.ben, id)).rejects.toMatchObject({
      code: 'claim_held',
      extras: {
        holder: { user_id: scene.anna.userId, name: 'Anna' },
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    expect(await row(id)).toMatchObject({ claimed_by: scene.anna.userId, claim_fence: 1 });
  });

  it('I4: when the lock store has forgotten, the database still knows whose it is', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await world.lock.flush();
    await expect(claim(world.services, scene.ben, id)).rejects.toMatchObject({ code: 'claim_held' });
    expect(await renewClaim(world.services, scene.anna, { itemId: id, fence: 1 })).toMatchObject({ fence: 1 });
  });

  it.each([
    ['with the lock store', 'up'],
    ['without it', 'down'],
    ['while it forgets', 'flushing'],
  ])('I4: of 50 who take one item at once one gets it, %s', async (_, store) => {
    const crowd = await aCrowd(world.services, scene, 50);
    const { id } = await anItem(world.services, scene);
    world.lock.down = store === 'down';
    const taking = crowd.map(async (who, index) => {
      if (store === 'flushing' && index % 5 === 0) await world.lock.flush();
      return claim(world.services, who, id);
    });
    const results = await Promise.allSettled(taking);
    const granted = results.flatMap((result, index) => (result.status === 'fulfilled' ? [crowd[index]?.userId] : []));
    expect(granted).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'claim_held' });
    }
    expect(await row(id)).toMatchObject({ claimed_by: granted[0], claim_fence: 1 });
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('PM: an escalated item is for supervisors; an outsider’s item and one that never was are the same 404', async () => {
    const { id } = await anItem(world.services, scene, { riskFlags: ['legal'] });
    await expect(claim(world.services, scene.anna, id)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await claim(world.services, scene.supervisor, id)).toMatchObject({ fence: 1 });
    const outsider = await aPerson(world.services);
    await expect(claim(world.services, outsider, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(claim(world.services, scene.anna, world.services.ids.uuid())).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('I1: a decided one cannot be taken', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await expect(claim(world.services, scene.ben, id)).rejects.toMatchObject({ code: 'already_decided' });
  });
});

describe('the next item', () => {
  it('LC3: escalated ones first for those who may, then by due time; what is held is passed over', async () => {
    const [first, second, third] = await items(world.services, scene, 3);
    const escalated = await anItem(world.services, scene, { riskFlags: ['legal'] });
    const due = (id: string | undefined, minutes: number) =>
      world.sql(`update item set due_at = now() + make_interval(mins => ?) where id = ?`, [minutes, id]);
    await due(third?.id, 1);
    await due(first?.id, 2);
    await due(second?.id, 3);
    const next = async (who: MemberActor) =>
      (await claimNext(world.services, who, { projectId: scene.projectId }))?.item.id;
    expect(await next(scene.anna)).toBe(third?.id);
    expect(await next(scene.supervisor)).toBe(escalated.id);
    expect(await next(scene.anna)).toBe(first?.id);
    expect(await next(scene.ben)).toBe(second?.id);
    expect(await next(scene.owner)).toBeUndefined();
  });

  it('I4: 30 people who press at once for 20 items get 20 different ones, and ten get none', async () => {
    const crowd = await aCrowd(world.services, scene, 30);
    const waiting = await items(world.services, scene, 20);
    const grants = await Promise.all(crowd.map((who) => claimNext(world.services, who, { projectId: undefined })));
    const taken = grants.flatMap((grant) => (grant ? [grant.item.id] : []));
    expect(taken.sort()).toEqual(waiting.map(({ id }) => id).sort());
    for (const { id } of waiting) expect(await row(id)).toMatchObject({ claim_fence: 1 });
  });

  it('is not one that the lock store knows to be renewed, though the database has not heard yet', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [id]);
    expect(await claimNext(world.services, scene.ben, { projectId: scene.projectId })).toBeNull();
    world.lock.down = true;
    expect(await claimNext(world.services, scene.ben, { projectId: scene.projectId })).toMatchObject({ fence: 2 });
  });

  it('of a project one is no member of does not exist', async () => {
    const outsider = await aPerson(world.services);
    await expect(claimNext(world.services, outsider, { projectId: scene.projectId })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await claimNext(world.services, outsider, { projectId: undefined })).toBeNull();
  });
});

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
    await world.sql(`update item set claim_expires_at = now() + interval '1 second' where id = ?`, [id]);
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
    await endLease(id);
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
    await endLease(id);
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
      if (turn % 3 === 0) await endLease(id);
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
    await endLease(id);
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
      await endLease(item?.id ?? '');
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

  it('is left alone while it runs', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await sweep();
    expect(await told(id)).toEqual(['item.queued', 'item.claimed']);
  });
});
