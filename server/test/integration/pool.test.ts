// Changes of the reviewer pool: roles, names, leaving; what a member held is given back with the role, what they decided stays.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/words';
import { changeMember, removeMember } from '../../src/usecases/change-member.ts';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { decide } from '../../src/usecases/decide.ts';
import { readPool } from '../../src/usecases/queries/list-pool.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { lapseOnce } from '../../src/worker/lapse-claims.ts';
import { holding, waiting } from './holding.ts';
import { endLease, eventsOf, ledgerOf, rowOf, toldOf } from './looking.ts';
import { aDecision, anItem, aPerson, aScene, letIn, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  world.lock.down = false;
  scene = await aScene(world.services);
});

const seat = (who: MemberActor) => ({ projectId: scene.projectId, userId: who.userId });
const setRole = (by: MemberActor, who: MemberActor, role: Role) =>
  changeMember(world.services, by, { ...seat(who), role, name: undefined });
const setName = (by: MemberActor, who: MemberActor, name: string) =>
  changeMember(world.services, by, { ...seat(who), role: undefined, name });
/** An owner lets the wallet in as a reviewer. */
const add = (who: MemberActor, at = scene) => letIn(world.services, at, { who });
const remove = (by: MemberActor, who: MemberActor) => removeMember(world.services, by, seat(who));
const pool = async () => {
  const { members } = await readPool(world.services, scene.owner, scene.projectId);
  return Object.fromEntries(members.map(({ user, role, holding: held }) => [user.name ?? user.id, [role, held]]));
};
const membersTold = async () =>
  (await ledgerOf(world, scene.projectId)).filter(({ data }) => String(data.changed).includes('members')).length;

describe('PM: who changes the pool', () => {
  it('an owner changes roles and takes people out, each told once', async () => {
    const before = await membersTold();
    expect(await setRole(scene.owner, scene.anna, 'supervisor')).toMatchObject({ role: 'supervisor' });
    await setRole(scene.owner, scene.anna, 'supervisor');
    await remove(scene.owner, scene.ben);
    expect(await pool()).toEqual({ Olga: ['owner', 0], Sam: ['supervisor', 0], Anna: ['supervisor', 0] });
    expect(await membersTold()).toBe(before + 2);
    await expect(remove(scene.owner, scene.ben)).rejects.toMatchObject({ code: 'not_found' });
    await expect(setRole(scene.owner, scene.ben, 'owner')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('nobody else does, not even for themself; a stranger is told nothing', async () => {
    for (const who of [scene.supervisor, scene.anna]) {
      await expect(setRole(who, who, 'owner')).rejects.toMatchObject({ code: 'forbidden' });
      await expect(setRole(who, scene.ben, 'reviewer')).rejects.toMatchObject({ code: 'forbidden' });
      await expect(remove(who, scene.ben)).rejects.toMatchObject({ code: 'forbidden' });
    }
    const stranger = await aPerson(world.services);
    await expect(remove(stranger, scene.ben)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(stranger, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(setRole(stranger, stranger, 'owner')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('everybody may leave', async () => {
    await remove(scene.anna, scene.anna);
    await remove(scene.supervisor, scene.supervisor);
    expect(Object.keys(await pool())).toEqual(['Olga', 'Ben']);
  });
});

describe('PM4: a name', () => {
  it('is chosen by its person alone: no owner gives one, neither first nor later', async () => {
    const nameless = await aPerson(world.services);
    await add(nameless);
    const name = async () => (await world.sql('select name from app_user where id = ?', [nameless.userId]))[0];
    for (const who of [scene.owner, scene.supervisor, scene.ben])
      await expect(setName(who, nameless, 'Zed')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await name()).toEqual({ name: null });
    expect(await setName(nameless, nameless, 'Zora')).toMatchObject({ kind: 'member', user: { name: 'Zora' } });
    await expect(setName(scene.owner, nameless, 'Zed')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await name()).toEqual({ name: 'Zora' });
  });

  it('is not given together with a role either: neither is', async () => {
    const both = { ...seat(scene.anna), role: 'owner' as const, name: 'Mallory' };
    await expect(changeMember(world.services, scene.owner, both)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await pool()).Anna).toEqual(['reviewer', 0]);
  });
});

describe('PM1: the last owner', () => {
  it('neither leaves nor takes a lower role, until somebody else is an owner', async () => {
    const lower = { code: 'validation_failed', extras: { errors: [{ pointer: '#/role' }] } };
    await expect(remove(scene.owner, scene.owner)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(setRole(scene.owner, scene.owner, 'supervisor')).rejects.toMatchObject(lower);
    await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
    expect(await setRole(scene.owner, scene.owner, 'reviewer')).toMatchObject({ role: 'reviewer' });
    await expect(remove(scene.ben, scene.ben)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each<[string, (first: MemberActor, second: MemberActor) => Promise<unknown>[]]>([
    ['leave', (first, second) => [remove(first, first), remove(second, second)]],
    ['take each other out', (first, second) => [remove(first, second), remove(second, first)]],
    ['step down', (first, second) => [setRole(first, first, 'reviewer'), setRole(second, second, 'reviewer')]],
    ['leave and step down', (first, second) => [remove(first, first), setRole(second, second, 'supervisor')]],
  ])('is one of two who %s at the same moment', async (_, both) => {
    for (let round = 0; round < 4; round += 1) {
      scene = await aScene(world.services);
      await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
      const results = await Promise.allSettled(both(scene.owner, scene.ben));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const owners = await world.sql(`select 1 from member where project_id = ? and role = 'owner'`, [scene.projectId]);
      expect(owners).toHaveLength(1);
    }
  });
});

/** An escalated and a queued item, both held by the supervisor. */
async function holdsBoth(): Promise<{ escalated: string; queued: string }> {
  const [escalated, queued] = [
    await anItem(world.services, scene, { riskFlags: ['legal'] }),
    await anItem(world.services, scene),
  ];
  for (const { id } of [escalated, queued]) await claim(world.services, scene.supervisor, id);
  return { escalated: escalated.id, queued: queued.id };
}

describe('PM2: claims', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('of somebody who is taken out are free at once, told once, and late words are refused, %s', async (_, down) => {
    world.lock.down = down;
    const { escalated, queued } = await holdsBoth();
    expect((await pool()).Sam).toEqual(['supervisor', 2]);
    await remove(scene.owner, scene.supervisor);
    for (const id of [escalated, queued]) {
      expect(await rowOf(world, id)).toMatchObject({
        claimed_by: null,
        claim_expires_at: null,
        claim_fence: 1,
        version: 3,
      });
      expect((await toldOf(world, id)).slice(1)).toEqual(['item.claimed', 'claim.released']);
      const late = decide(world.services, scene.supervisor, { itemId: id, fence: 1, ...aDecision('approve') });
      await expect(late).rejects.toMatchObject({ code: 'not_found' });
      const renewed = renewClaim(world.services, scene.supervisor, { itemId: id, fence: 1 });
      await expect(renewed).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await claim(world.services, scene.anna, queued)).toMatchObject({ fence: 2 });
    const released = (await eventsOf(world, queued)).find(({ type }) => type === 'claim.released');
    expect(released?.data).toMatchObject({ version: 3 });
  });

  it('are told after the change of the pool, so that whoever is out hears nothing of them', async () => {
    const { queued } = await holdsBoth();
    await remove(scene.owner, scene.supervisor);
    const types = (await ledgerOf(world, scene.projectId)).map(({ type }) => type);
    expect(types.lastIndexOf('project.changed')).toBeLessThan(types.indexOf('claim.released'));
    expect(await toldOf(world, queued)).toContain('claim.released');
  });

  it.each(['reviewer', 'supervisor', 'owner'] as const)(
    'of a supervisor who becomes %s end where they must',
    async (to) => {
      const { escalated, queued } = await holdsBoth();
      await letIn(world.services, scene, { who: scene.supervisor, role: to });
      const kept = { claimed_by: scene.supervisor.userId, claim_fence: 1, version: 2 };
      expect(await rowOf(world, queued)).toMatchObject(kept);
      expect(await rowOf(world, escalated)).toMatchObject(to === 'reviewer' ? { claimed_by: null, version: 3 } : kept);
      const deciding = (itemId: string) =>
        decide(world.services, scene.supervisor, { itemId, fence: 1, ...aDecision('approve') });
      if (to === 'reviewer') await expect(deciding(escalated)).rejects.toMatchObject({ code: 'forbidden' });
      else expect(await deciding(escalated)).toMatchObject({ status: 'approved' });
      expect(await deciding(queued)).toMatchObject({ status: 'approved' });
    },
  );

  it('also by adding the wallet again with a lower role', async () => {
    const { escalated } = await holdsBoth();
    await add(scene.supervisor);
    expect(await rowOf(world, escalated)).toMatchObject({ claimed_by: null, version: 3 });
  });

  it('that lapsed cannot be decided late by whoever came back, and nothing is told of them', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await endLease(world, id);
    await lapseOnce(world.services);
    const before = await toldOf(world, id);
    await remove(scene.owner, scene.anna);
    expect(await toldOf(world, id)).toEqual(before);
    await add(scene.anna);
    const late = decide(world.services, scene.anna, { itemId: id, fence: 1, ...aDecision('approve') });
    await expect(late).rejects.toMatchObject({ code: 'claim_lost' });
  });

  it('of other projects and other people stay', async () => {
    const other = await aScene(world.services);
    await add(scene.anna, other);
    const [elsewhere, theirs] = [await anItem(world.services, other), await anItem(world.services, scene)];
    await claim(world.services, scene.anna, elsewhere.id);
    await claim(world.services, scene.ben, theirs.id);
    await remove(scene.owner, scene.anna);
    expect(await rowOf(world, elsewhere.id)).toMatchObject({ claimed_by: scene.anna.userId });
    expect(await rowOf(world, theirs.id)).toMatchObject({ claimed_by: scene.ben.userId });
  });

  it('decisions and history stay', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'reject' });
    await remove(scene.owner, scene.anna);
    expect(await world.sql('select reviewer_id from decision where item_id = ?', [id])).toEqual([
      { reviewer_id: scene.anna.userId },
    ]);
    const rows = await world.sql<{ by: string }>(`select actor->>'id' as by from event where item_id = ?`, [id]);
    expect(rows.map(({ by }) => by)).toContain(scene.anna.userId);
  });

  it('deciding and being taken out at the same moment: one of them comes first, whole', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await anItem(world.services, scene);
      scene = { ...scene, anna: await aReviewer() };
      await claim(world.services, scene.anna, id);
      const deciding = decide(world.services, scene.anna, { itemId: id, fence: 1, ...aDecision('approve') });
      const [decided] = await Promise.allSettled([deciding, remove(scene.owner, scene.anna)]);
      const made = decided.status === 'fulfilled';
      expect(await world.sql('select id from decision where item_id = ?', [id])).toHaveLength(made ? 1 : 0);
      expect(await rowOf(world, id)).toMatchObject({ status: made ? 'approved' : 'queued', claimed_by: null });
    }
  });

  it('going on with an item that had lapsed and being taken out at the same moment: neither waits for the other', async () => {
    for (let round = 0; round < 8; round += 1) {
      const who = await aReviewer();
      const { id } = await anItem(world.services, scene);
      await claim(world.services, who, id);
      await endLease(world, id);
      const next = claimNext(world.services, who, { projectId: scene.projectId }).catch((error: unknown) => error);
      await remove(scene.owner, who);
      const outcome = await next;
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'not_found' });
      expect(await rowOf(world, id)).toMatchObject({ status: 'queued', claimed_by: null, claim_expires_at: null });
      await world.sql(`update item set status = 'rejected' where id = ?`, [id]);
    }
  });

  const taking = {
    claim: (itemId: string) => claim(world.services, scene.anna, itemId),
    'claim-next': () => claimNext(world.services, scene.anna, { projectId: scene.projectId }),
  };
  it.each(Object.entries(taking))(
    'cannot be taken by who is being taken out: %s waits and is refused',
    async (_, take) => {
      const { id } = await anItem(world.services, scene);
      const removal: [string, unknown[]] = ['delete from member where user_id = ?', [scene.anna.userId]];
      const outcome = await holding(world, removal, async (commit) => {
        const taken = Promise.allSettled([take(id)]);
        await waiting(world, 1);
        await commit();
        return taken;
      });
      expect(outcome[0]).not.toMatchObject({ value: { fence: 1 } });
      expect(await rowOf(world, id)).toMatchObject({ claimed_by: null, claim_fence: 0 });
      expect((await world.lock.holders([id])).size).toBe(0);
    },
  );
});

async function aReviewer(): Promise<MemberActor> {
  const who = await aPerson(world.services);
  await add(who);
  return who;
}
