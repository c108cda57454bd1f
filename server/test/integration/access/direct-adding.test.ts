// Tests who may be added without an offer, and how many offers one project may make.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Refusal } from '@countersign/shared/errors';
import { newAddress } from '../../../src/crypto/ed25519.ts';
import { changeAccount, readAccount } from '../../../src/usecases/access/account.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { ownOffers, roleIn } from './offers.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = await aPerson(testEnv.services);
});

const add = (by: MemberActor, address: string, projectId = fixture.projectId) =>
  addMember(testEnv.services, by, { projectId, address, role: 'reviewer' });
const own = async (who: MemberActor) => (await ownOffers(testEnv, who)).map(({ id }) => id);
const roleOf = (who: MemberActor) => roleIn(testEnv, fixture, who);

describe('PM6: direct adding', () => {
  /** Another project of the owner, with the invitee as a member. */
  const share = async () => {
    const projectId = await createProject(testEnv.services, fixture.owner, { name: 'Claims' });
    await grantRole(testEnv.services, { owner: fixture.owner, projectId }, { who: guest });
  };
  const allow = (directAdding: boolean) => changeAccount(testEnv.services, guest, { directAdding });

  it('is off until the person switches it on', async () => {
    expect(await readAccount(testEnv.services, guest)).toEqual({ name: null, directAdding: false });
    await share();
    expect(await add(fixture.owner, guest.address)).toMatchObject({ kind: 'offer' });
    expect(await allow(true)).toMatchObject({ directAdding: true });
    expect(await add(fixture.owner, guest.address)).toMatchObject({ kind: 'member', role: 'reviewer' });
    expect([await roleOf(guest), await own(guest)]).toEqual(['reviewer', []]);
  });

  it('requires a shared project: between strangers it makes an offer anyway', async () => {
    await allow(true);
    expect(await add(fixture.owner, guest.address)).toMatchObject({ kind: 'offer' });
    expect(await roleOf(guest)).toBeNull();
  });

  it('requires an accepted membership: an open offer elsewhere does not count as a shared project', async () => {
    await allow(true);
    const projectId = await createProject(testEnv.services, fixture.owner, { name: 'Bait' });
    await add(fixture.owner, guest.address, projectId);
    expect(await add(fixture.owner, guest.address)).toMatchObject({ kind: 'offer' });
  });

  it('stops when it is switched off', async () => {
    await share();
    await allow(true);
    await allow(false);
    expect(await add(fixture.owner, guest.address)).toMatchObject({ kind: 'offer' });
  });
});

describe('RL4: offers', () => {
  const limited = { code: 'rate_limited' };

  it('are limited to 200 an hour for a project, then refused with Retry-After', async () => {
    let offers = 0;
    let refused: Refusal | undefined;
    // One is refilled every 18 s, however long this takes.
    while (refused === undefined && offers < 1000)
      await add(fixture.owner, newAddress()).then(
        () => (offers += 1),
        (error: unknown) => (refused = error as Refusal),
      );
    expect(refused).toMatchObject(limited);
    expect(offers).toBeGreaterThanOrEqual(200);
    expect(offers).toBeLessThan(300);
    expect(refused?.extras.retryAfter).toBeGreaterThan(0);
    // A change of a member's role is no offer.
    expect(await add(fixture.owner, fixture.supervisor.address)).toMatchObject({ kind: 'member', role: 'reviewer' });
    for (const who of [fixture.anna, guest]) await expect(add(who, newAddress())).rejects.not.toMatchObject(limited);
  });
});
