// Those who press next at the same moment share one transaction; each is given what is theirs, as if they had asked alone.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimNext as endpoint, MOST_CLAIMS, readQueueItem } from '@countersign/shared/api/queue';
import { claimNext } from '../../src/usecases/claim-next.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { aSubmission, openProject } from '../builders.ts';
import { people, type Person } from '../client.ts';
import { holding, waiting } from './holding.ts';
import { emptyHands, rowOf, toldOf } from './looking.ts';
import { aCrowd, aPerson, anItem, aScene, items, review, type Scene } from './scene.ts';
import { serve, type Served } from './served.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  await emptyHands(world);
  scene = await aScene(world.services);
});

/** They all press in the same turn, in this order; whose item each was given. */
const press = async (...callers: { actor: MemberActor; projectId?: string }[]): Promise<(string | null)[]> => {
  const asked = callers.map(({ actor, projectId }) => claimNext(world.services, actor, { projectId }));
  return (await Promise.all(asked)).map((taken) => taken?.item.id ?? null);
};

/** An item that somebody has escalated. */
async function anEscalated(of = scene): Promise<string> {
  const { id } = await anItem(world.services, of);
  await review(world.services, of.anna, { itemId: id, action: 'escalate' });
  return id;
}

/** Makes somebody a reviewer of another scene too. */
const alsoIn = ({ projectId }: Scene, who: MemberActor) =>
  world.sql(`insert into member (project_id, user_id, role, created_at) values (?, ?, 'reviewer', now())`, [
    projectId,
    who.userId,
  ]);

describe('several press next at once', () => {
  it('I3: each is given an item of their own, in the order in which they are due, under a fence of its own', async () => {
    const crowd = await aCrowd(world.services, scene, 12);
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await anItem(world.services, scene)).id);
    expect(await press(...crowd.map((actor) => ({ actor })))).toEqual(ids);
    for (const [n, id] of ids.entries()) {
      const { claimed_by, claim_fence, version } = await rowOf(world, id);
      expect({ claimed_by, claim_fence, version }).toEqual({
        claimed_by: crowd[n]?.userId,
        claim_fence: 1,
        version: 2,
      });
      expect(await toldOf(world, id)).toEqual(['item.queued', 'item.claimed']);
      expect((await world.lock.holders([id])).get(id)).toMatchObject({ userId: crowd[n]?.userId, fence: 1 });
    }
  });

  it('PM2: what was escalated goes to those who may decide it, whoever asked first', async () => {
    const escalated = [await anEscalated(), await anEscalated()];
    const queued = await anItem(world.services, scene);
    const { anna, ben, supervisor, owner } = scene;
    const given = await press({ actor: supervisor }, { actor: anna }, { actor: ben }, { actor: owner });
    expect(given).toEqual([escalated[0], queued.id, null, escalated[1]]);
  });

  it('T4: each is given what their projects have, and only of the one they ask for', async () => {
    const other = await aScene(world.services);
    const there = await anItem(world.services, other);
    await anItem(world.services, other);
    const here = await anItem(world.services, scene);
    await alsoIn(other, scene.anna);
    const stranger = await aPerson(world.services);
    const given = await press(
      { actor: stranger },
      { actor: other.anna },
      { actor: scene.anna, projectId: scene.projectId },
      { actor: scene.ben },
    );
    expect(given).toEqual([null, there.id, here.id, null]);
    await expect(press({ actor: scene.ben }, { actor: stranger, projectId: scene.projectId })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('AR1: an archived project is passed over for one who has another', async () => {
    const other = await aScene(world.services);
    await anItem(world.services, scene);
    const { id } = await anItem(world.services, other);
    await alsoIn(other, scene.anna);
    await world.sql('update project set archived_at = now() where id = ?', [scene.projectId]);
    expect(await press({ actor: scene.anna }, { actor: scene.ben })).toEqual([id, null]);
  });

  it('LC4: who presses twice is counted twice, and is refused beside the others who are not', async () => {
    await items(world.services, scene, 6);
    for (let held = 0; held < MOST_CLAIMS - 1; held += 1) await press({ actor: scene.anna });
    const twice = [scene.anna, scene.anna, scene.ben].map((actor) => claimNext(world.services, actor, {}));
    const [first, second, bens] = await Promise.allSettled(twice);
    expect([first, second].map((result) => result?.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([first, second].find((result) => result?.status === 'rejected')).toMatchObject({
      reason: { code: 'too_many_claims' },
    });
    expect(bens).toMatchObject({ status: 'fulfilled', value: { fence: 1 } });
  });
});

describe('while somebody is held by another transaction', () => {
  it.each([
    ['taking an item elsewhere', 'select id from app_user where id = ? for no key update'],
    ['being taken out of the pool', 'delete from member where user_id = ?'],
  ])('%s, the others are served at once, and that one afterwards by what is then so', async (why, statement) => {
    const [due] = await items(world.services, scene, 2);
    await holding(world, [statement, [scene.anna.userId]], async (commit) => {
      const annas = claimNext(world.services, scene.anna, {});
      const bens = await claimNext(world.services, scene.ben, {});
      expect(bens?.item.id).toBe(due?.id);
      await waiting(world, 1);
      await commit();
      const mayStill = why === 'taking an item elsewhere';
      expect((await annas) !== null).toBe(mayStill);
    });
  });
});

describe('while an item is just being escalated', () => {
  it('PM2: a reviewer who waits for it is not given it, and a supervisor is', async () => {
    const { id } = await anItem(world.services, scene);
    const escalation = `update item set status = 'escalated', version = version + 1 where id = ?`;
    await holding(world, [escalation, [id]], async (commit) => {
      const pressed = press({ actor: scene.anna });
      await waiting(world, 1);
      await commit();
      expect(await pressed).toEqual([null]);
    });
    expect(await press({ actor: scene.supervisor })).toEqual([id]);
  });
});

describe('over HTTP', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(world.services);
  });
  afterAll(() => served.close());

  it('the answer has the item as its new holder sees it, and is what reading it says', async () => {
    const [owner] = (await people(served.world, 1)) as [Person];
    const project = await openProject(owner);
    await project.pipeline.submit(aSubmission());
    const taken = await owner.call(endpoint, { body: {} });
    if (taken === undefined) throw new Error('One waits.');
    const { item, expires_at } = taken;
    expect(item).toMatchObject({ claim: { user_id: owner.id, expires_at }, abilities: { claim: true, decide: true } });
    expect(await owner.call(readQueueItem, { params: { id: item.id } })).toEqual({
      ...item,
      claim: { ...item.claim, expires_at: expect.any(String) as string },
    });
  });
});
