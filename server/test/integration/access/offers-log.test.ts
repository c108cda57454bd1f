// Tests what change log and project pages show of offers: the wallet, and nothing of its person until they accept.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import { displayName } from '../../../src/domain/access/actor.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { acceptOffer, declineOffer, revokeOffer } from '../../../src/usecases/access/offers.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
/** Has an account and a name in another project. */
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = (await createProjectFixture(testEnv.services)).anna;
});

const offer = async (role: Role = 'reviewer') => {
  const added = await addMember(testEnv.services, fixture.owner, {
    ...{ projectId: fixture.projectId, address: guest.address, role },
  });
  if (added.kind !== 'offer') throw new Error('They were added at once.');
  return added.offer.id;
};
/** The entries and the changed parts since the project was created. */
const told = async () => {
  const lines = await changeLogOf(testEnv, fixture.projectId);
  const events = (await eventLogOf(testEnv, fixture.projectId)).flatMap(({ type, data }) =>
    type === 'project.changed' ? [data.changed] : [],
  );
  return { lines: lines.slice(2), events: events.slice(2) };
};

const wallet = () => displayName({ name: null, address: guest.address });
const by = () => ({ changed_by: fixture.owner.userId, changed_by_name: 'Olga' });

describe('CL1: offers', () => {
  it('each write one change log entry and one event', async () => {
    const first = await offer();
    const second = await offer('supervisor');
    await revokeOffer(testEnv.services, fixture.owner, { projectId: fixture.projectId, offerId: second });
    const third = await offer('owner');
    await acceptOffer(testEnv.services, guest, third);
    const { lines, events } = await told();
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
    expect(events).toEqual([['offers'], ['offers'], ['offers'], ['offers'], ['members']]);
  });

  it('PM5: a person who declines one is named by wallet, not by name or id', async () => {
    await declineOffer(testEnv.services, guest, await offer());
    const { lines, events } = await told();
    expect(lines[1]).toMatchObject({
      ...{ action: 'offer.declined', subject: wallet(), before: { role: 'reviewer', address: guest.address } },
      ...{ changed_by: null, changed_by_name: wallet() },
    });
    expect(events).toEqual([['offers'], ['offers']]);
    const everything = JSON.stringify([lines, await eventLogOf(testEnv, fixture.projectId)]);
    for (const secret of [guest.userId, 'Anna']) expect(everything).not.toContain(secret);
  });
});
