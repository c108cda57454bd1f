// LC5: a supervisor takes several items of one project together: all of them, or nothing has happened and the first obstacle is named.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  claimSeveral as endpoint,
  decideItem,
  MOST_CLAIMS,
  MOST_TOGETHER,
  readQueueItem,
} from '@countersign/shared/api/queue';
import type { Holder } from '../../src/claims/claim-lock.ts';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { claimSeveral } from '../../src/usecases/claim-several.ts';
import { archiveProject } from '../../src/usecases/lifecycle.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { aSubmission, join, openProject } from '../builders.ts';
import { people, type Person } from '../client.ts';
import { eventsOf, rowOf, toldOf } from './looking.ts';
import { aPerson, anItem, aScene, items, review, type Scene } from './scene.ts';
import { serve, type Served } from './served.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services, { claim_lease_seconds: 60 });
});

const take = (who: MemberActor, itemIds: string[], projectId = scene.projectId) =>
  claimSeveral(world.services, who, { projectId, itemIds });

const someItems = async (count: number, of = scene) => (await items(world.services, of, count)).map(({ id }) => id);

/** Everything about these items that a claim could have changed. */
async function asTheyAre(ids: string[]): Promise<unknown[]> {
  const locks = world.lock.down ? new Map<string, Holder>() : await world.lock.holders(ids);
  return Promise.all(ids.map(async (id) => [await rowOf(world, id), await toldOf(world, id), locks.get(id)?.userId]));
}

/** Refused like this, and nothing has changed. */
async function expectRefused(who: MemberActor, itemIds: string[], refusal: object): Promise<void> {
  const before = await asTheyAre(itemIds);
  await expect(take(who, itemIds)).rejects.toMatchObject(refusal);
  expect(await asTheyAre(itemIds)).toEqual(before);
}

const at = (place: number, code: string) => ({
  code,
  extras: { errors: [{ pointer: `#/item_ids/${place}`, code, detail: expect.any(String) as string }] },
});

describe('LC5: several items', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('are taken together, in the order asked, each with a fence, a lease and one fact, %s', async (_, down) => {
    world.lock.down = down;
    const ids = (await someItems(5)).toReversed();
    const escalated = (await anItem(world.services, scene, { riskFlags: ['legal'] })).id;
    const asked = [...ids.slice(0, 2), escalated, ...ids.slice(2)];
    const taken = await take(scene.supervisor, asked);
    expect(taken.map(({ item }) => item.id)).toEqual(asked);
    const locks = down ? null : await world.lock.holders(asked);
    for (const { item, fence, expiresAt } of taken) {
      expect([fence, item.claimedBy]).toEqual([1, scene.supervisor.userId]);
      expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(50_000);
      expect(await rowOf(world, item.id)).toMatchObject({ claimed_by: scene.supervisor.userId, version: 2 });
      const events = await eventsOf(world, item.id);
      expect(events.filter(({ type }) => type === 'item.claimed')).toHaveLength(1);
      expect(events.at(-1)?.data).toMatchObject({ version: 2, expires_at: expiresAt.toISOString() });
      if (locks) expect(locks.get(item.id)).toMatchObject({ userId: scene.supervisor.userId, fence: 1 });
    }
  });

  it('may be a hundred, and are not held back by LC4, but count for it', async () => {
    const ids = await someItems(MOST_TOGETHER);
    expect(await take(scene.owner, ids)).toHaveLength(MOST_TOGETHER);
    const { id } = await anItem(world.services, scene);
    await expect(claim(world.services, scene.owner, id)).rejects.toMatchObject({ code: 'too_many_claims' });
    await expect(claimNext(world.services, scene.owner, {})).rejects.toMatchObject({ code: 'too_many_claims' });
    expect(await take(scene.owner, [id])).toMatchObject([{ fence: 1 }]);
    for (const itemId of [...ids.slice(MOST_CLAIMS - 1), id])
      await releaseClaim(world.services, scene.owner, { itemId, fence: 1 });
    expect(await claim(world.services, scene.owner, id)).toMatchObject({ fence: 2 });
  });

  it('that one holds already are renewed: the same fence, nothing told', async () => {
    const ids = await someItems(3);
    await claim(world.services, scene.supervisor, ids[1] ?? '');
    const taken = await take(scene.supervisor, ids);
    expect(taken.map(({ fence }) => fence)).toEqual([1, 1, 1]);
    expect(await take(scene.supervisor, ids)).toMatchObject(taken.map(({ fence }) => ({ fence })));
    for (const id of ids) expect(await toldOf(world, id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('that one keeps up in the lock store alone are renewed as well', async () => {
    const ids = await someItems(2);
    await take(scene.supervisor, ids);
    await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [ids[0]]);
    expect((await take(scene.supervisor, ids)).map(({ fence }) => fence)).toEqual([1, 1]);
    expect(await rowOf(world, ids[0] ?? '')).toMatchObject({ claim_fence: 1, version: 2 });
  });

  it('by two supervisors at once, in whatever order, end with one of them, whole (I4)', async () => {
    for (let round = 0; round < 6; round += 1) {
      const ids = await someItems(8);
      const results = await Promise.allSettled([
        take(scene.supervisor, ids),
        take(scene.owner, ids.toReversed()),
        ...ids.map((id) =>
          round % 2 === 0 ? Promise.reject(new Error('nobody')) : claim(world.services, scene.anna, id),
        ),
      ]);
      const whole = results.slice(0, 2).filter(({ status }) => status === 'fulfilled');
      const rows = await Promise.all(ids.map((id) => rowOf(world, id)));
      const holders = new Set(rows.map(({ claimed_by }) => claimed_by));
      if (round % 2 === 0) expect([whole.length, holders.size]).toEqual([1, 1]);
      else if (whole.length === 0) expect(holders.has(scene.supervisor.userId)).toBe(false);
      else expect(holders.size).toBe(1);
    }
  });
});

describe('LC5: one that cannot be had', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('because somebody else holds it: nothing is changed, and they are named, %s', async (_, down) => {
    world.lock.down = down;
    const ids = await someItems(5);
    const { expiresAt } = await claim(world.services, scene.anna, ids[3] ?? '');
    const refusal = at(3, 'claim_held');
    const holder = { user_id: scene.anna.userId, name: 'Anna' };
    await expectRefused(scene.supervisor, ids, { ...refusal, extras: { ...refusal.extras, holder } });
    const named = await take(scene.supervisor, ids).catch((error: { extras: { expires_at: string } }) => error.extras);
    const until = Date.parse((named as { expires_at: string }).expires_at);
    expect(Math.abs(until - expiresAt.getTime())).toBeLessThan(20_000);
  });

  it('because its lease was renewed in the lock store, though in the database it is over', async () => {
    const ids = await someItems(2);
    await claim(world.services, scene.anna, ids[1] ?? '');
    await world.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [ids[1]]);
    await expectRefused(scene.supervisor, ids, at(1, 'claim_held'));
    await world.lock.flush();
    expect((await take(scene.supervisor, ids)).map(({ fence }) => fence)).toEqual([1, 2]);
  });

  it('because it is decided, of another project, or of none: the first is named', async () => {
    const ids = await someItems(4);
    const foreign = (await someItems(1, await aScene(world.services)))[0] ?? '';
    await review(world.services, scene.anna, { itemId: ids[2] ?? '', action: 'approve' });
    await claim(world.services, scene.anna, ids[3] ?? '');
    await expectRefused(scene.supervisor, ids, at(2, 'already_decided'));
    await expectRefused(scene.supervisor, ids.toReversed(), at(0, 'claim_held'));
    const [first = '', second = ''] = ids;
    const strangers = [foreign, world.services.ids.uuid()].map((id) =>
      take(scene.supervisor, [first, second, id]).then(
        () => 'taken',
        (error: unknown) => JSON.stringify(error),
      ),
    );
    const [theirs, nobodys] = await Promise.all(strangers);
    expect(theirs).toBe(nobodys);
    await expectRefused(scene.supervisor, [first, foreign], at(1, 'not_found'));
  });

  it('because it is named twice', async () => {
    const [one = '', two = ''] = await someItems(2);
    await expectRefused(scene.supervisor, [one, two, one], {
      code: 'validation_failed',
      extras: { errors: [{ pointer: '#/item_ids/2', code: 'invalid' }] },
    });
  });
});

describe('PM: who takes several', () => {
  it('is a supervisor or an owner; a reviewer is refused, to a stranger there is nothing, and nothing is taken', async () => {
    const ids = await someItems(2);
    await expectRefused(scene.anna, ids, { code: 'forbidden' });
    await expectRefused(await aPerson(world.services), ids, { code: 'not_found' });
  });

  it('AR1: takes nothing from an archived project', async () => {
    const ids = await someItems(2);
    await archiveProject(world.services, scene.owner, scene.projectId);
    await expectRefused(scene.supervisor, ids, { code: 'forbidden' });
  });
});

describe('LC5: over HTTP', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(world.services);
  });
  afterAll(() => served.close());

  it('the answer has the line of every item as its new holder sees it, ready to be decided, and no content', async () => {
    const [owner, supervisor] = (await people(served.world, 2)) as [Person, Person];
    const project = await openProject(owner);
    await join(project, supervisor, 'supervisor');
    const ids: string[] = [];
    const large = { input: { text: 'x'.repeat(100_000) } };
    for (let n = 0; n < 4; n += 1) ids.push((await project.pipeline.submit(aSubmission(large))).id);
    const body = { project_id: project.id, item_ids: ids };
    const { data } = await supervisor.call(endpoint, { body });
    expect(data.map(({ item }) => item.id)).toEqual(ids);
    expect(JSON.stringify(data).length).toBeLessThan(4 * 1000);
    for (const { item, fence, expires_at } of data) {
      const claimed = { user_id: supervisor.id, expires_at };
      expect(item).toMatchObject({ claim: claimed, status: 'queued', version: 2 });
      const whole = await supervisor.call(readQueueItem, { params: { id: item.id } });
      expect(whole).toMatchObject({
        ...item,
        claim: { user_id: supervisor.id },
        abilities: { claim: true, decide: true },
      });
      await supervisor.call(decideItem, { params: { id: item.id }, body: { fence, action: 'approve' } });
    }
    await supervisor.refused('validation_failed', endpoint, { body: { ...body, item_ids: [] } });
    const refusal = await supervisor.refused('already_decided', endpoint, { body });
    expect(refusal.errors).toMatchObject([{ pointer: '#/item_ids/0', code: 'already_decided' }]);
  });
});
