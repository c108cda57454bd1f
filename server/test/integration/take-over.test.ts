// A supervisor takes an item out of somebody's hands, or sends one back to people that routing had rejected.
import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../src/usecases/claim.ts';
import { seizeClaim } from '../../src/usecases/claim-row.ts';
import { decide } from '../../src/usecases/decide.ts';
import { readPublicItem } from '../../src/usecases/queries/read-item.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import { reopen } from '../../src/usecases/reopen.ts';
import { takeOver } from '../../src/usecases/take-over.ts';
import { eventsOf, rowOf, toldOf } from './looking.ts';
import { aDecision, anItem, aPerson, aScene, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services);
});

const take = (who: Scene['anna'], id: string) => takeOver(world.services, who, id);

describe('taking over', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('I3: raises the fence, and whatever the other still sends changes nothing, %s', async (_, down) => {
    world.lock.down = down;
    const { id } = await anItem(world.services, scene);
    const hers = await claim(world.services, scene.anna, id);
    const grant = await take(scene.supervisor, id);
    expect(grant.fence).toBe(hers.fence + 1);
    const held = { itemId: id, fence: hers.fence };
    const deciding = decide(world.services, scene.anna, { ...held, ...aDecision('approve') });
    const lost = { code: 'claim_lost', extras: { holder: { user_id: scene.supervisor.userId, name: 'Sam' } } };
    await expect(deciding).rejects.toMatchObject(lost);
    await expect(renewClaim(world.services, scene.anna, held)).rejects.toMatchObject(lost);
    await expect(releaseClaim(world.services, scene.anna, held)).rejects.toMatchObject(lost);
    await renewClaim(world.services, scene.supervisor, { itemId: id, fence: grant.fence });
    await decide(world.services, scene.supervisor, { itemId: id, fence: grant.fence, ...aDecision('approve') });
    expect(await rowOf(world, id)).toMatchObject({ status: 'approved', claim_fence: 2 });
  });

  it('tells everybody in one fact, which names who had it', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await take(scene.supervisor, id);
    const [, , taken] = await eventsOf(world, id);
    const taken_from = { user_id: scene.anna.userId, name: 'Anna' };
    expect(taken).toMatchObject({ type: 'item.claimed', data: { version: 3, taken_from } });
  });

  it('leaves the lock with the new holder alone', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    const { fence } = await take(scene.owner, id);
    expect((await world.services.claims.holders([id])).get(id)).toMatchObject({ userId: scene.owner.userId, fence });
  });

  it('of what nobody holds is a claim, of one’s own a renewal', async () => {
    const { id } = await anItem(world.services, scene);
    const first = await take(scene.supervisor, id);
    const again = await take(scene.supervisor, id);
    expect([first.fence, again.fence]).toEqual([1, 1]);
    expect(await toldOf(world, id)).toEqual(['item.queued', 'item.claimed']);
    expect((await eventsOf(world, id)).at(-1)?.data).not.toHaveProperty('taken_from');
  });

  it('PM: is for supervisors and owners; a decided item is decided; a stranger finds nothing', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await expect(take(scene.ben, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(take(await aPerson(world.services), id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: scene.anna.userId, claim_fence: 1 });
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await expect(take(scene.supervisor, id)).rejects.toMatchObject({ code: 'already_decided' });
  });

  it('PM2: is asked again where it counts: who is a supervisor no more takes nothing out of anybody’s hands', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.ben, id);
    const terms = { itemId: id, projectId: scene.projectId, leaseSeconds: 60 };
    expect(await world.services.db.write((tx) => seizeClaim(tx, scene.anna, terms))).toBeNull();
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: scene.ben.userId, claim_fence: 1 });
  });

  it('I4: of ten who take it from each other at once, the last one granted holds it alone', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    const takers = [scene.supervisor, scene.owner];
    const grants = await Promise.all(Array.from({ length: 10 }, (_, n) => take(takers[n % 2] as Scene['anna'], id)));
    const row = await rowOf(world, id);
    expect(row.claim_fence).toBe(Math.max(...grants.map(({ fence }) => fence)));
    const told = (await eventsOf(world, id)).filter(({ type }) => type === 'item.claimed');
    expect(told).toHaveLength(row.claim_fence);
  });
});

describe('LC: reopening', () => {
  const again = (who: Scene['anna'], itemId: string) => reopen(world.services, who, { itemId, reason: 'Worth a look' });

  it('sends what routing rejected to the queue, where it is decided like any other', async () => {
    const { id, status } = await anItem(world.services, scene, { confidence: 0.1 });
    expect(status).toBe('rejected');
    await again(scene.supervisor, id);
    expect(await rowOf(world, id)).toMatchObject({ status: 'queued', decided_at: null, version: 2 });
    const queued = (await eventsOf(world, id)).at(-1);
    expect(queued).toMatchObject({ type: 'item.queued', data: { reason: 'Worth a look', item: { status: 'queued' } } });
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    const { item, decision } = await readPublicItem(world.services, scene.pipeline, id);
    expect([item.status, decision?.status]).toEqual(['approved', 'approved']);
  });

  it('PM: is for supervisors and owners, and for what a person rejected for nobody', async () => {
    const { id } = await anItem(world.services, scene, { confidence: 0.1 });
    await expect(again(scene.anna, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(again(await aPerson(world.services), id)).rejects.toMatchObject({ code: 'not_found' });
    const { id: decided } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: decided, action: 'reject' });
    await expect(again(scene.owner, decided)).rejects.toMatchObject({ code: 'already_decided' });
    const { id: open } = await anItem(world.services, scene);
    await expect(again(scene.owner, open)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('by ten at once happens once', async () => {
    const { id } = await anItem(world.services, scene, { confidence: 0.1 });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => again(scene.owner, id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await rowOf(world, id)).version).toBe(2);
  });
});
