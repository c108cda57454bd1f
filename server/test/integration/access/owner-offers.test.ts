// Tests offers of ownership: a member keeps the current role until they accept.
import { describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import { changeAccount } from '../../../src/usecases/access/account.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { acceptOffer, declineOffer } from '../../../src/usecases/access/offers.ts';
import { changeMembership } from '../../../src/usecases/access/change-membership.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { openOffers, ownOffers, roleIn } from './offers.ts';
import { createProjectFixture, grantRole, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv);

const memberKey = (who: MemberActor) => ({ projectId: fixture.projectId, userId: who.userId });
const setRole = (by: MemberActor, who: MemberActor, role: Role) =>
  changeMember(testEnv.services, by, { ...memberKey(who), role, name: undefined });
const add = (who: MemberActor, role: Role) =>
  addMember(testEnv.services, fixture.owner, { projectId: fixture.projectId, address: who.address, role });
const leave = (who: MemberActor) => removeMember(testEnv.services, who, memberKey(who));
const roleOf = (who: MemberActor) => roleIn(testEnv, fixture, who);
const open = async () => (await openOffers(testEnv, fixture)).map(({ offer }) => offer.id);
const own = (who: MemberActor) => ownOffers(testEnv, who);
const offered = async (who: MemberActor) => {
  const added = await setRole(fixture.owner, who, 'owner');
  if (added.kind !== 'offer') throw new Error('They were made an owner.');
  return added.offer.id;
};
const gone = { code: 'not_found' };

describe('PM8: becoming an owner', () => {
  it.each([
    ['by another role', (who: MemberActor) => setRole(fixture.owner, who, 'owner')],
    ['by adding the wallet again', (who: MemberActor) => add(who, 'owner')],
  ])('%s is an offer: the member keeps the role until they accept', async (_, raise) => {
    for (const [who, role] of [
      [fixture.anna, 'reviewer'],
      [fixture.supervisor, 'supervisor'],
    ] as const) {
      expect(await raise(who)).toMatchObject({ kind: 'offer', offer: { role: 'owner', address: who.address } });
      expect(await roleOf(who)).toBe(role);
      const [seen] = await own(who);
      expect(seen).toMatchObject({ role: 'owner', presentRole: role, projectName: 'Refunds', by: { name: 'Olga' } });
      await acceptOffer(testEnv.services, who, seen?.id ?? '');
      expect([await roleOf(who), await own(who)]).toEqual(['owner', []]);
    }
  });

  it('PM1: the last owner cannot leave before it is accepted', async () => {
    await offered(fixture.anna);
    await offered(fixture.ben);
    await expect(leave(fixture.owner)).rejects.toMatchObject({ code: 'forbidden' });
    for (const role of ['supervisor', 'reviewer'] as const)
      await expect(setRole(fixture.owner, fixture.owner, role)).rejects.toMatchObject({ code: 'validation_failed' });
    await acceptOffer(testEnv.services, fixture.ben, (await own(fixture.ben))[0]?.id ?? '');
    await leave(fixture.owner);
    await expect(leave(fixture.ben)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('can be declined without losing the role, and each step is logged by name', async () => {
    const before = (await changeLogOf(testEnv, fixture.projectId)).length;
    await declineOffer(testEnv.services, fixture.anna, await offered(fixture.anna));
    expect([await roleOf(fixture.anna), await open()]).toEqual(['reviewer', []]);
    await acceptOffer(testEnv.services, fixture.anna, await offered(fixture.anna));
    const lines = (await changeLogOf(testEnv, fixture.projectId)).slice(before);
    const address = { address: fixture.anna.address };
    expect(lines).toMatchObject([
      { action: 'offer.made', subject: 'Anna', changed_by_name: 'Olga', after: { role: 'owner', ...address } },
      { action: 'offer.declined', subject: 'Anna', changed_by: fixture.anna.userId, changed_by_name: 'Anna' },
      { action: 'offer.made', subject: 'Anna' },
      {
        ...{ action: 'member.changed', subject: 'Anna', changed_by: fixture.anna.userId },
        ...{ before: { role: 'reviewer' }, after: { role: 'owner', by_offer_of: 'Olga' } },
      },
    ]);
    const changedSettings = (await eventLogOf(testEnv, fixture.projectId)).flatMap(({ data }) =>
      data.changed ? [data.changed] : [],
    );
    expect(changedSettings.slice(-4)).toEqual([['offers'], ['offers'], ['offers'], ['members']]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['another role', () => setRole(fixture.owner, fixture.anna, 'supervisor')],
    ['leaving', () => leave(fixture.anna)],
    ['being removed', () => removeMember(testEnv.services, fixture.owner, memberKey(fixture.anna))],
  ])('is no longer possible after %s', async (_, change) => {
    const id = await offered(fixture.anna);
    await change();
    await expect(acceptOffer(testEnv.services, fixture.anna, id)).rejects.toMatchObject(gone);
    expect(await open()).toEqual([]);
  });

  it('needs a new offer after the role was lowered', async () => {
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    await setRole(fixture.owner, fixture.ben, 'supervisor');
    expect(await setRole(fixture.owner, fixture.ben, 'owner')).toMatchObject({ kind: 'offer' });
    expect(await roleOf(fixture.ben)).toBe('supervisor');
  });

  it('PM6: direct adding makes no owner', async () => {
    const { anna: guest } = await createProjectFixture(testEnv.services);
    const projectId = await createProject(testEnv.services, fixture.owner, { name: 'Claims' });
    await grantRole(testEnv.services, { owner: fixture.owner, projectId }, { who: guest });
    await changeAccount(testEnv.services, guest, { directAdding: true });
    expect(await add(guest, 'owner')).toMatchObject({ kind: 'offer' });
    expect(await roleOf(guest)).toBeNull();
    expect(await add(guest, 'supervisor')).toMatchObject({ kind: 'member', role: 'supervisor' });
    expect(await add(guest, 'owner')).toMatchObject({ kind: 'offer' });
  });

  it('never happens by a change of membership without the person’s consent', async () => {
    const raise = (actor: MemberActor) =>
      testEnv.services.db.write((tx) =>
        changeMembership(
          testEnv.services,
          { tx, actor },
          { ...memberKey(fixture.anna), from: 'reviewer', to: 'owner' },
        ),
      );
    await expect(raise(fixture.owner)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await roleOf(fixture.anna)).toBe('reviewer');
  });

  it('an owner stays one without an offer', async () => {
    expect(await setRole(fixture.owner, fixture.owner, 'owner')).toMatchObject({ kind: 'member', role: 'owner' });
    expect(await open()).toEqual([]);
  });
});
