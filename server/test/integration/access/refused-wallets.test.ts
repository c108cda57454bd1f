// Tests that a person can list all their offers, and refuse a wallet that sends too many of them in one step.
import { beforeEach, describe, expect, it } from 'vitest';
import { changeAccount } from '../../../src/usecases/access/account.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { findTrace, forgetWallet } from '../../../src/usecases/access/forget-wallet.ts';
import { acceptOffer, declineOffer } from '../../../src/usecases/access/offers.ts';
import { listOffers, listOwnOffers } from '../../../src/usecases/access/list-offers.ts';
import { allowWallet, listRefused, refuseWallet } from '../../../src/usecases/access/refused-wallets.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { newAddress } from '../../../src/crypto/ed25519.ts';
import { changeLogOf } from '../support/database-helpers.ts';
import { openOffers, ownOffers } from './offers.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const ALL = { after: undefined, limit: 200 };
let fixture: ProjectFixture;
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = await aPerson(testEnv.services);
});

const add = (by: MemberActor, projectId: string, address = guest.address) =>
  addMember(testEnv.services, by, { projectId, address, role: 'reviewer' });
async function offer(by: MemberActor, projectId: string, address?: string): Promise<string> {
  const added = await add(by, projectId, address);
  if (added.kind !== 'offer') throw new Error('They were added at once.');
  return added.offer.id;
}
const another = (by: MemberActor) => createProject(testEnv.services, by, { name: 'Another' });
const own = async (who = guest) => (await ownOffers(testEnv, who)).map(({ id }) => id);
const open = async (of: Pick<ProjectFixture, 'owner' | 'projectId'>) =>
  (await openOffers(testEnv, of)).map((one) => one.offer.id);
const refused = async (who = guest) =>
  (await listRefused(testEnv.services, who, ALL)).rows.map(({ userId, name }) => [userId, name]);

describe('PM9: lists of offers', () => {
  it('are read to their end, page by page, by the wallet and by the owners', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift(await offer(fixture.owner, await another(fixture.owner)));
    const mine: string[] = [];
    for (let n = 0; n < 5; n += 1) mine.unshift(await offer(fixture.owner, fixture.projectId, newAddress()));
    const pagesOf = async <T>(
      read: (after: string | undefined) => Promise<{ rows: T[]; nextCursor: string | null }>,
    ): Promise<T[][]> => {
      const pages: T[][] = [];
      for (let after: string | undefined; pages.length < 9;) {
        const { rows, nextCursor } = await read(after);
        pages.push(rows);
        if (nextCursor === null) break;
        after = nextCursor;
      }
      return pages;
    };
    const seen = await pagesOf((after) => listOwnOffers(testEnv.services, guest, { after, limit: 2 }));
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat().map(({ id }) => id)).toEqual(made);
    const here = { projectId: fixture.projectId, limit: 2 };
    const listed = await pagesOf((after) => listOffers(testEnv.services, fixture.owner, { ...here, after }));
    expect(listed.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(listed.flat().map((one) => one.offer.id)).toEqual(mine);
  });
});

describe('PM9: a refused wallet', () => {
  it('has all its offers declined, in every project, and no other wallet’s', async () => {
    const spamProject = { owner: fixture.owner, projectId: await another(fixture.owner) };
    const first = await offer(fixture.owner, fixture.projectId);
    await offer(spamProject.owner, spamProject.projectId);
    const theirs = await offer(fixture.owner, fixture.projectId, newAddress());
    const honest = await createProjectFixture(testEnv.services);
    const wanted = await offer(honest.owner, honest.projectId);
    await refuseWallet(testEnv.services, guest, first);
    expect([await own(), await open(fixture), await open(spamProject)]).toEqual([[wanted], [theirs], []]);
    for (const projectId of [fixture.projectId, spamProject.projectId]) {
      const [last] = (await changeLogOf(testEnv, projectId)).filter(({ action }) => action === 'offer.declined');
      expect(last).toMatchObject({ changed_by: null, before: { role: 'reviewer', address: guest.address } });
    }
    expect(await refused()).toEqual([[fixture.owner.userId, 'Olga']]);
  });

  it('offers without effect and without notice: its offer looks like any other', async () => {
    await refuseWallet(testEnv.services, guest, await offer(fixture.owner, fixture.projectId));
    const hidden = await offer(fixture.owner, fixture.projectId);
    expect([await own(), await open(fixture)]).toEqual([[], [hidden]]);
    const stranger = newAddress();
    await offer(fixture.owner, fixture.projectId, stranger);
    const [made, other] = (await changeLogOf(testEnv, fixture.projectId)).slice(-2);
    expect({ ...made, after: null, subject: null }).toMatchObject({
      ...{ action: other?.action, before: null, changed_by: other?.changed_by, subject: null },
    });
    // Another owner of the same project is not affected.
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    const bens = await offer(fixture.ben, fixture.projectId);
    expect(await own()).toEqual([bens]);
  });

  it('can offer again once its person allows it', async () => {
    await refuseWallet(testEnv.services, guest, await offer(fixture.owner, fixture.projectId));
    const later = await offer(fixture.owner, fixture.projectId);
    await allowWallet(testEnv.services, guest, fixture.owner.userId);
    expect([await own(), await refused()]).toEqual([[later], []]);
    await acceptOffer(testEnv.services, guest, later);
    await expect(allowWallet(testEnv.services, guest, fixture.owner.userId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('PM6: cannot add the person who refuses it directly', async () => {
    const shared = await createProjectFixture(testEnv.services);
    for (const who of [fixture.owner, guest]) await grantRole(testEnv.services, shared, { who });
    await changeAccount(testEnv.services, guest, { directAdding: true });
    await refuseWallet(testEnv.services, guest, await offerOf(fixture.owner));
    expect(await add(fixture.owner, fixture.projectId)).toMatchObject({ kind: 'offer' });
    await allowWallet(testEnv.services, guest, fixture.owner.userId);
    expect(await add(fixture.owner, fixture.projectId)).toMatchObject({ kind: 'member' });
  });

  it('is refused only by the person it offers to, and once', async () => {
    const id = await offer(fixture.owner, fixture.projectId);
    for (const who of [fixture.anna, fixture.owner])
      await expect(refuseWallet(testEnv.services, who, id)).rejects.toMatchObject({ code: 'not_found' });
    await refuseWallet(testEnv.services, guest, id);
    await expect(refuseWallet(testEnv.services, guest, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(declineOffer(testEnv.services, guest, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await refused(fixture.anna)).toEqual([]);
  });

  it('KE6: its refusal is deleted when either person is erased', async () => {
    const leaving = [await aPerson(testEnv.services), await aPerson(testEnv.services)] as const;
    const other = await aPerson(testEnv.services);
    const rows = [
      [leaving[0].userId, other.userId],
      [other.userId, leaving[1].userId],
    ];
    for (const row of rows) await testEnv.sql('insert into refused_wallet values (?, ?, now())', row);
    for (const { address } of leaving) {
      const trace = await findTrace(testEnv.services, address);
      if (trace === null) throw new Error('They were here.');
      await forgetWallet(testEnv.services, address, trace);
    }
    expect(await testEnv.sql('select 1 from refused_wallet where ? in (user_id, refused_id)', [other.userId])).toEqual(
      [],
    );
  });
});

/** An offer of ownership, which stays an offer under every setting of its person (PM8). */
async function offerOf(by: MemberActor): Promise<string> {
  const added = await addMember(testEnv.services, by, {
    projectId: fixture.projectId,
    address: guest.address,
    role: 'owner',
  });
  if (added.kind !== 'offer') throw new Error('They were made an owner.');
  return added.offer.id;
}
