// Claims on the real database: the lock says who holds an item now, the fence says whose claim counts, with or without the lock store.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReviewAction } from '@countersign/shared/words';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { decide } from '../../src/usecases/decide.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { aCrowd, aDecision, anItem, aPerson, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';
import { holding } from './holding.ts';
import { endLease, rowOf, toldOf } from './looking.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services, { claim_lease_seconds: 60 });
});

const row = (itemId: string) => rowOf(world, itemId);
const told = (itemId: string) => toldOf(world, itemId);
const decisions = (itemId: string) => world.sql('select id from decision where item_id = ?', [itemId]);

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

  it('is another one while the first is being taken, at once', async () => {
    const [first, second] = await items(world.services, scene, 2);
    await world.sql(`update item set due_at = now() where id = ?`, [first?.id]);
    const taking: [string, unknown[]] = ['select id from item where id = ? for update', [first?.id]];
    // Whoever waited for the first would wait for ever: it is let go only when the second is there.
    const grant = await holding(world, taking, () =>
      claimNext(world.services, scene.anna, { projectId: scene.projectId }),
    );
    expect(grant).toMatchObject({ item: { id: second?.id } });
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

describe('LC1, I1: a race', () => {
  /** Decides without claiming. */
  const decideAs = (who: MemberActor, { itemId, action }: { itemId: string; action: ReviewAction }) =>
    decide(world.services, who, { itemId, fence: 1, ...aDecision(action) });

  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('of one person’s 20 clicks one decides, %s', async (_, down) => {
    world.lock.down = down;
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    const clicks = Array.from({ length: 20 }, (__, index) =>
      decideAs(scene.anna, { itemId: id, action: index % 2 === 0 ? 'approve' : 'reject' }),
    );
    const results = await Promise.allSettled(clicks);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'already_decided' });
    }
    expect(await decisions(id)).toHaveLength(1);
    expect((await told(id)).filter((type) => type === 'item.finalized')).toHaveLength(1);
  });

  it('of 20 people who take and decide without a lock store, one decides', async () => {
    world.lock.down = true;
    const { id } = await anItem(world.services, scene);
    const crowd = await aCrowd(world.services, scene, 20);
    const results = await Promise.allSettled(
      crowd.map((who) => review(world.services, who, { itemId: id, action: 'approve' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await decisions(id)).toHaveLength(1);
  });

  it('the holder decides while another takes the item over the end of the lease: one of them wins, whole', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await anItem(world.services, scene);
      await claim(world.services, scene.anna, id);
      await endLease(world, id);
      const [decided, taken] = await Promise.allSettled([
        decideAs(scene.anna, { itemId: id, action: 'approve' }),
        claim(world.services, scene.ben, id),
      ]);
      expect([decided.status, taken.status].sort()).toEqual(['fulfilled', 'rejected']);
      const row = await rowOf(world, id);
      expect(row).toMatchObject(
        decided.status === 'fulfilled' ? { status: 'approved' } : { claimed_by: scene.ben.userId, claim_fence: 2 },
      );
      expect(await decisions(id)).toHaveLength(decided.status === 'fulfilled' ? 1 : 0);
    }
  });
});
