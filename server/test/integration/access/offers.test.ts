// Tests membership offers: no rights until accepted, for the named wallet, until they expire, and nothing revealed.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import { newAddress } from '../../../src/crypto/ed25519.ts';
import { presentOffer } from '../../../src/presenters/pool.ts';
import { acceptInvite, createInvite } from '../../../src/usecases/access/invites.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { archiveProject, deleteProject, restoreProject } from '../../../src/usecases/projects/lifecycle.ts';
import { acceptOffer, declineOffer, revokeOffer } from '../../../src/usecases/access/offers.ts';
import { listOffers } from '../../../src/usecases/access/list-offers.ts';
import { readPool } from '../../../src/usecases/access/list-members.ts';
import { listProjects } from '../../../src/usecases/projects/list-projects.ts';
import { listQueue } from '../../../src/usecases/items/list-queue.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { sweepOnce } from '../../../src/worker/sweep.ts';
import { openOffers, ownOffers, roleIn } from './offers.ts';
import { anItem, aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { passTime } from '../support/deadline-clock.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = await aPerson(testEnv.services);
});

const add = (by: MemberActor, address: string, role: Role = 'reviewer') =>
  addMember(testEnv.services, by, { projectId: fixture.projectId, address, role });
async function offer(by: MemberActor, address: string, role: Role = 'reviewer'): Promise<string> {
  const added = await add(by, address, role);
  if (added.kind !== 'offer') throw new Error('They were added at once.');
  return added.offer.id;
}
const accept = (who: MemberActor, id: string) => acceptOffer(testEnv.services, who, id);
const own = async (who: MemberActor) => (await ownOffers(testEnv, who)).map(({ id }) => id);
const open = async () => (await openOffers(testEnv, fixture)).map((one) => one.offer.id);
const roleOf = (who: MemberActor) => roleIn(testEnv, fixture, who);
const gone = { code: 'not_found' };

describe('PM5: before an offer is accepted', () => {
  it('the wallet is in no pool, list, queue or claim, and has no right', async () => {
    const { id: itemId } = await anItem(testEnv.services, fixture);
    await offer(fixture.owner, guest.address, 'owner');
    const { projectId } = fixture;
    const pool = await readPool(testEnv.services, fixture.owner, projectId);
    expect([pool.members.length, pool.owners, await roleOf(guest)]).toEqual([4, [fixture.owner.userId], null]);
    expect((await listProjects(testEnv.services, guest)).rows).toEqual([]);
    const asked = { projectId: undefined, view: 'all' as const, after: undefined, limit: 50 };
    expect(await listQueue(testEnv.services, guest, asked)).toMatchObject({ items: [], counts: { all: 0 } });
    expect(await claimNext(testEnv.services, guest, {})).toBeNull();
    await expect(claim(testEnv.services, guest, itemId)).rejects.toMatchObject(gone);
    await expect(readPool(testEnv.services, guest, projectId)).rejects.toMatchObject(gone);
    await expect(add(guest, newAddress())).rejects.toMatchObject(gone);
    expect(await testEnv.sql('select 1 from member where user_id = ?', [guest.userId])).toEqual([]);
  });

  it('the person sees who offers what, by display name and full address, and until when', async () => {
    const id = await offer(fixture.owner, guest.address, 'supervisor');
    const [seen, ...others] = await ownOffers(testEnv, guest);
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      ...{ id, role: 'supervisor', projectName: 'Refunds' },
      by: { name: 'Olga', address: fixture.owner.address },
    });
    expect((seen?.expiresAt.getTime() ?? 0) - (seen?.createdAt.getTime() ?? 0)).toBe(14 * 86_400_000);
    for (const who of [fixture.anna, await aPerson(testEnv.services)]) expect(await own(who)).toEqual([]);
  });
});

describe('PM5: an offer', () => {
  it('an offer that is accepted makes its wallet a member, once', async () => {
    const id = await offer(fixture.owner, guest.address, 'supervisor');
    expect(await open()).toEqual([id]);
    expect(await accept(guest, id)).toMatchObject({ role: 'supervisor', project: { id: fixture.projectId } });
    expect([await roleOf(guest), await open(), await own(guest)]).toEqual(['supervisor', [], []]);
    await expect(accept(guest, id)).rejects.toMatchObject(gone);
  });

  it('an offer that is declined or revoked has ended without effect', async () => {
    const declined = await offer(fixture.owner, guest.address);
    await declineOffer(testEnv.services, guest, declined);
    await expect(accept(guest, declined)).rejects.toMatchObject(gone);
    const revoked = await offer(fixture.owner, guest.address);
    await revokeOffer(testEnv.services, fixture.owner, { projectId: fixture.projectId, offerId: revoked });
    await expect(accept(guest, revoked)).rejects.toMatchObject(gone);
    await expect(declineOffer(testEnv.services, guest, revoked)).rejects.toMatchObject(gone);
    expect([await roleOf(guest), await open(), await own(guest)]).toEqual([null, [], []]);
  });

  it('is for its wallet alone: everybody else gets the same 404', async () => {
    const id = await offer(fixture.owner, guest.address, 'owner');
    const never = await accept(fixture.anna, guest.userId).catch((error: unknown) => error);
    for (const who of [fixture.anna, fixture.supervisor, fixture.owner, await aPerson(testEnv.services)]) {
      expect(await accept(who, id).catch((error: unknown) => error)).toEqual(never);
      expect(await declineOffer(testEnv.services, who, id).catch((error: unknown) => error)).toEqual(never);
    }
    expect(await own(guest)).toEqual([id]);
  });

  it('made again to the same wallet replaces the previous one', async () => {
    const first = await offer(fixture.owner, guest.address, 'owner');
    const second = await offer(fixture.owner, guest.address, 'reviewer');
    expect([await open(), await own(guest)]).toEqual([[second], [second]]);
    await expect(accept(guest, first)).rejects.toMatchObject(gone);
    expect(await accept(guest, second)).toMatchObject({ role: 'reviewer' });
  });

  it('expires at its time, and the sweep deletes its row', async () => {
    const id = await offer(fixture.owner, guest.address);
    await testEnv.sql('update offer set expires_at = ? where id = ?', [testEnv.clock.now(), id]);
    await expect(accept(guest, id)).rejects.toMatchObject(gone);
    expect([await open(), await own(guest)]).toEqual([[], []]);
    await passTime(testEnv, 1000);
    await sweepOnce(testEnv.services);
    expect(await testEnv.sql('select id from offer where id = ?', [id])).toEqual([]);
    expect(await offer(fixture.owner, guest.address)).not.toBe(id);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is archived, also when it is restored', () => archiveProject(testEnv.services, fixture.owner, fixture.projectId)],
    ['is deleted', () => deleteProject(testEnv.services, fixture.owner, fixture.projectId)],
  ])('ends when its project %s', async (_, end) => {
    const id = await offer(fixture.owner, guest.address);
    await end();
    await expect(accept(guest, id)).rejects.toMatchObject(gone);
    expect(await own(guest)).toEqual([]);
    await restoreProject(testEnv.services, fixture.owner, fixture.projectId).catch(() => undefined);
    await expect(accept(guest, id)).rejects.toMatchObject(gone);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is removed', () => removeMember(testEnv.services, fixture.owner, memberKey(fixture.ben))],
    [
      'is no longer an owner',
      () =>
        changeMember(testEnv.services, fixture.owner, {
          ...memberKey(fixture.ben),
          role: 'supervisor',
          name: undefined,
        }),
    ],
  ])('ends when its creator %s', async (_, fall) => {
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    const theirs = await offer(fixture.ben, guest.address, 'owner');
    const mine = await offer(fixture.owner, newAddress());
    await fall();
    await expect(accept(guest, theirs)).rejects.toMatchObject(gone);
    expect(await open()).toEqual([mine]);
  });

  const owners = "from member m where m.role = 'owner' and m.project_id = ?";
  it.each([
    ['project is archived', 'update project set archived_at = now() where id = ?'],
    ['project is deleted', 'update project set deleted_at = now() where id = ?'],
    ['creator is no owner', "update member set role = 'supervisor' where role = 'owner' and project_id = ?"],
    ['creator is blocked', `update app_user set blocked_at = now() where id in (select m.user_id ${owners})`],
  ])('is over when its %s, also where its row still exists', async (_, change) => {
    const id = await offer(fixture.owner, guest.address);
    await testEnv.sql(change, [fixture.projectId]);
    expect(await own(guest)).toEqual([]);
    await expect(accept(guest, id)).rejects.toMatchObject(gone);
  });

  it('does not bring back a member who joined by a link and was removed since', async () => {
    const id = await offer(fixture.owner, guest.address, 'owner');
    const invited = { projectId: fixture.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const { token } = await createInvite(testEnv.services, fixture.owner, invited);
    await acceptInvite(testEnv.services, guest, token);
    await removeMember(testEnv.services, fixture.owner, memberKey(guest));
    await expect(accept(guest, id)).rejects.toMatchObject(gone);
  });

  it('accepted and revoked at the same moment: exactly one of them wins', async () => {
    for (let round = 0; round < 6; round += 1) {
      const who = await aPerson(testEnv.services);
      const offerId = await offer(fixture.owner, who.address);
      const revoking = revokeOffer(testEnv.services, fixture.owner, { projectId: fixture.projectId, offerId });
      const [accepted, revoked] = await Promise.allSettled([accept(who, offerId), revoking]);
      expect([accepted.status, revoked.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect(await roleOf(who)).toBe(accepted.status === 'fulfilled' ? 'reviewer' : null);
    }
  });

  it('making a member a supervisor needs no offer', async () => {
    expect(await add(fixture.owner, fixture.anna.address, 'supervisor')).toMatchObject({ kind: 'member' });
    expect([await roleOf(fixture.anna), await open()]).toEqual(['supervisor', []]);
  });
});

const memberKey = (who: MemberActor) => ({ projectId: fixture.projectId, userId: who.userId });

describe('PM5: an offer reveals nothing of its wallet', () => {
  it('known or unknown, named or not, blocked or not: the response is the same, and so is the list', async () => {
    const { anna: known } = await createProjectFixture(testEnv.services);
    const blocked = await aPerson(testEnv.services);
    await testEnv.sql('update app_user set blocked_at = now() where id = ?', [blocked.userId]);
    const addresses = [newAddress(), guest.address, known.address, blocked.address];
    const by = { id: fixture.owner.userId, address: fixture.owner.address, name: fixture.owner.name };
    const answers = [];
    for (const address of addresses) {
      const added = await add(fixture.owner, address);
      if (added.kind !== 'offer') throw new Error('They were added at once.');
      answers.push(presentOffer({ offer: added.offer, by }));
    }
    const bare = (one: object) => ({ ...one, id: '', address: '', created_at: '', expires_at: '' });
    for (const answer of answers) expect(bare(answer)).toEqual(bare(answers[0] ?? {}));
    const listed = (await openOffers(testEnv, fixture)).map(presentOffer);
    expect(listed.map(({ address }) => address).sort()).toEqual([...addresses].sort());
    for (const one of listed) expect(bare(one)).toEqual(bare(answers[0] ?? {}));
    expect(await testEnv.sql('select 1 from app_user where address = ?', [addresses[0]])).toEqual([]);
  });
});

describe('PM: who offers', () => {
  it('an owner alone creates, lists and revokes offers, of their own project', async () => {
    const offerId = await offer(fixture.owner, guest.address);
    const { projectId } = fixture;
    const attempts: ((who: MemberActor) => Promise<unknown>)[] = [
      (who) => add(who, newAddress()),
      (who) => listOffers(testEnv.services, who, { projectId, after: undefined, limit: 1 }),
      (who) => revokeOffer(testEnv.services, who, { projectId, offerId }),
    ];
    for (const attempt of attempts) {
      for (const who of [fixture.supervisor, fixture.anna])
        await expect(attempt(who)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(attempt(guest)).rejects.toMatchObject(gone);
    }
    const other = await createProjectFixture(testEnv.services);
    const foreign = revokeOffer(testEnv.services, other.owner, { projectId: other.projectId, offerId });
    await expect(foreign).rejects.toMatchObject(gone);
    expect(await open()).toEqual([offerId]);
  });
});
