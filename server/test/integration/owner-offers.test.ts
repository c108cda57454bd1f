// Who is to become an owner is asked: until they accept they are what they were, and the project's owner is bound to it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/words';
import { changeAccount } from '../../src/usecases/account.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { changeMember, removeMember } from '../../src/usecases/change-member.ts';
import { createProject } from '../../src/usecases/create-project.ts';
import { acceptOffer, declineOffer } from '../../src/usecases/offers.ts';
import { changeSeat } from '../../src/usecases/pool.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { ledgerOf, linesOf } from './looking.ts';
import { openOffers, ownOffers, roleIn } from './offering.ts';
import { aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services);
});

const seat = (who: MemberActor) => ({ projectId: scene.projectId, userId: who.userId });
const setRole = (by: MemberActor, who: MemberActor, role: Role) =>
  changeMember(world.services, by, { ...seat(who), role, name: undefined });
const add = (who: MemberActor, role: Role) =>
  addMember(world.services, scene.owner, { projectId: scene.projectId, address: who.address, role });
const leave = (who: MemberActor) => removeMember(world.services, who, seat(who));
const roleOf = (who: MemberActor) => roleIn(world, scene, who);
const open = async () => (await openOffers(world, scene)).map(({ offer }) => offer.id);
const own = (who: MemberActor) => ownOffers(world, who);
const offered = async (who: MemberActor) => {
  const added = await setRole(scene.owner, who, 'owner');
  if (added.kind !== 'offer') throw new Error('They were made an owner.');
  return added.offer.id;
};
const gone = { code: 'not_found' };

describe('PM8: becoming an owner', () => {
  it.each([
    ['by another role', (who: MemberActor) => setRole(scene.owner, who, 'owner')],
    ['by adding the wallet again', (who: MemberActor) => add(who, 'owner')],
  ])('%s is an offer: the member stays what they are until they accept', async (_, raise) => {
    for (const [who, role] of [
      [scene.anna, 'reviewer'],
      [scene.supervisor, 'supervisor'],
    ] as const) {
      expect(await raise(who)).toMatchObject({ kind: 'offer', offer: { role: 'owner', address: who.address } });
      expect(await roleOf(who)).toBe(role);
      const [seen] = await own(who);
      expect(seen).toMatchObject({ role: 'owner', presentRole: role, projectName: 'Refunds', by: { name: 'Olga' } });
      await acceptOffer(world.services, who, seen?.id ?? '');
      expect([await roleOf(who), await own(who)]).toEqual(['owner', []]);
    }
  });

  it('PM1: the last owner is bound while nobody has accepted', async () => {
    await offered(scene.anna);
    await offered(scene.ben);
    await expect(leave(scene.owner)).rejects.toMatchObject({ code: 'forbidden' });
    for (const role of ['supervisor', 'reviewer'] as const)
      await expect(setRole(scene.owner, scene.owner, role)).rejects.toMatchObject({ code: 'validation_failed' });
    await acceptOffer(world.services, scene.ben, (await own(scene.ben))[0]?.id ?? '');
    await leave(scene.owner);
    await expect(leave(scene.ben)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is declined without losing what one is, and each step is logged by name', async () => {
    const before = (await linesOf(world, scene.projectId)).length;
    await declineOffer(world.services, scene.anna, await offered(scene.anna));
    expect([await roleOf(scene.anna), await open()]).toEqual(['reviewer', []]);
    await acceptOffer(world.services, scene.anna, await offered(scene.anna));
    const lines = (await linesOf(world, scene.projectId)).slice(before);
    const address = { address: scene.anna.address };
    expect(lines).toMatchObject([
      { action: 'offer.made', subject: 'Anna', changed_by_name: 'Olga', after: { role: 'owner', ...address } },
      { action: 'offer.declined', subject: 'Anna', changed_by: scene.anna.userId, changed_by_name: 'Anna' },
      { action: 'offer.made', subject: 'Anna' },
      {
        ...{ action: 'member.changed', subject: 'Anna', changed_by: scene.anna.userId },
        ...{ before: { role: 'reviewer' }, after: { role: 'owner', by_offer_of: 'Olga' } },
      },
    ]);
    const told = (await ledgerOf(world, scene.projectId)).flatMap(({ data }) => (data.changed ? [data.changed] : []));
    expect(told.slice(-4)).toEqual([['offers'], ['offers'], ['offers'], ['members']]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['another role', () => setRole(scene.owner, scene.anna, 'supervisor')],
    ['leaving', () => leave(scene.anna)],
    ['being taken out', () => removeMember(world.services, scene.owner, seat(scene.anna))],
  ])('is no more to be had after %s', async (_, change) => {
    const id = await offered(scene.anna);
    await change();
    await expect(acceptOffer(world.services, scene.anna, id)).rejects.toMatchObject(gone);
    expect(await open()).toEqual([]);
  });

  it('who was lowered is asked again', async () => {
    await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
    await setRole(scene.owner, scene.ben, 'supervisor');
    expect(await setRole(scene.owner, scene.ben, 'owner')).toMatchObject({ kind: 'offer' });
    expect(await roleOf(scene.ben)).toBe('supervisor');
  });

  it('PM6: direct adding makes no owner either', async () => {
    const { anna: guest } = await aScene(world.services);
    const projectId = await createProject(world.services, scene.owner, { name: 'Claims' });
    await letIn(world.services, { owner: scene.owner, projectId }, { who: guest });
    await changeAccount(world.services, guest, { directAdding: true });
    expect(await add(guest, 'owner')).toMatchObject({ kind: 'offer' });
    expect(await roleOf(guest)).toBeNull();
    expect(await add(guest, 'supervisor')).toMatchObject({ kind: 'member', role: 'supervisor' });
    expect(await add(guest, 'owner')).toMatchObject({ kind: 'offer' });
  });

  it('whatever changes a seat, nobody makes an owner of another', async () => {
    const raise = (actor: MemberActor) =>
      world.services.db.write((tx) =>
        changeSeat(world.services, { tx, actor }, { ...seat(scene.anna), from: 'reviewer', to: 'owner' }),
      );
    await expect(raise(scene.owner)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await roleOf(scene.anna)).toBe('reviewer');
  });

  it('an owner stays one without being asked', async () => {
    expect(await setRole(scene.owner, scene.owner, 'owner')).toMatchObject({ kind: 'member', role: 'owner' });
    expect(await open()).toEqual([]);
  });
});
