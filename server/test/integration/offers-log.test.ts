// What the change log and the project's pages are told of offers: the wallet, and of its person nothing before they accept.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/words';
import { displayName } from '../../src/domain/actor.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { acceptOffer, declineOffer, revokeOffer } from '../../src/usecases/offers.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { ledgerOf, linesOf } from './looking.ts';
import { aScene, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
/** Known here and named, in another project. */
let guest: MemberActor;

beforeEach(async () => {
  scene = await aScene(world.services);
  guest = (await aScene(world.services)).anna;
});

const offer = async (role: Role = 'reviewer') => {
  const added = await addMember(world.services, scene.owner, {
    ...{ projectId: scene.projectId, address: guest.address, role },
  });
  if (added.kind !== 'offer') throw new Error('They were added at once.');
  return added.offer.id;
};
/** The lines and the changed parts since the project was made. */
const told = async () => {
  const lines = await linesOf(world, scene.projectId);
  const facts = (await ledgerOf(world, scene.projectId)).flatMap(({ type, data }) =>
    type === 'project.changed' ? [data.changed] : [],
  );
  return { lines: lines.slice(2), facts: facts.slice(2) };
};

const wallet = () => displayName({ name: null, address: guest.address });
const by = () => ({ changed_by: scene.owner.userId, changed_by_name: 'Olga' });

describe('CL1: offers', () => {
  it('each write one line and are told once', async () => {
    const first = await offer();
    const second = await offer('supervisor');
    await revokeOffer(world.services, scene.owner, { projectId: scene.projectId, offerId: second });
    const third = await offer('owner');
    await acceptOffer(world.services, guest, third);
    const { lines, facts } = await told();
    const { address } = guest;
    const subject = wallet();
    expect(lines).toMatchObject([
      { action: 'offer.made', subject, subject_id: first, before: null, after: { role: 'reviewer', address }, ...by() },
      { action: 'offer.made', subject, before: { role: 'reviewer' }, after: { role: 'supervisor', address }, ...by() },
      { action: 'offer.revoked', subject, subject_id: second, before: { role: 'supervisor', address }, ...by() },
      { action: 'offer.made', subject, before: null, after: { role: 'owner', address }, ...by() },
      {
        ...{ action: 'member.joined', subject: 'Anna', after: { role: 'owner', by_offer_of: 'Olga' } },
        changed_by: guest.userId,
      },
    ]);
    expect(facts).toEqual([['offers'], ['offers'], ['offers'], ['offers'], ['members']]);
  });

  it('PM5: who declines one is told by their wallet, not by name or id', async () => {
    await declineOffer(world.services, guest, await offer());
    const { lines, facts } = await told();
    expect(lines[1]).toMatchObject({
      ...{ action: 'offer.declined', subject: wallet(), before: { role: 'reviewer', address: guest.address } },
      ...{ changed_by: null, changed_by_name: wallet() },
    });
    expect(facts).toEqual([['offers'], ['offers']]);
    const everything = JSON.stringify([lines, await ledgerOf(world, scene.projectId)]);
    for (const secret of [guest.userId, 'Anna']) expect(everything).not.toContain(secret);
  });
});
