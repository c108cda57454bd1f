// However many seats are offered to somebody, they reach every offer, and one word rids them of a wallet that offers too many.
import { beforeEach, describe, expect, it } from 'vitest';
import { changeAccount } from '../../src/usecases/account.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { createProject } from '../../src/usecases/create-project.ts';
import { findTrace, forgetWallet } from '../../src/usecases/forget-wallet.ts';
import { acceptOffer, declineOffer } from '../../src/usecases/offers.ts';
import { listOffers, listOwnOffers } from '../../src/usecases/queries/list-offers.ts';
import { allowWallet, listRefused, refuseWallet } from '../../src/usecases/refused-wallets.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { newAddress } from '../../src/crypto/ed25519.ts';
import { linesOf } from './looking.ts';
import { openOffers, ownOffers } from './offering.ts';
import { aPerson, aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const ALL = { after: undefined, limit: 200 };
let scene: Scene;
let guest: MemberActor;

beforeEach(async () => {
  scene = await aScene(world.services);
  guest = await aPerson(world.services);
});

const add = (by: MemberActor, projectId: string, address = guest.address) =>
  addMember(world.services, by, { projectId, address, role: 'reviewer' });
async function offer(by: MemberActor, projectId: string, address?: string): Promise<string> {
  const added = await add(by, projectId, address);
  if (added.kind !== 'offer') throw new Error('They were added at once.');
  return added.offer.id;
}
const another = (by: MemberActor) => createProject(world.services, by, { name: 'Another' });
const own = async (who = guest) => (await ownOffers(world, who)).map(({ id }) => id);
const open = async (of: Pick<Scene, 'owner' | 'projectId'>) => (await openOffers(world, of)).map((one) => one.offer.id);
const refused = async (who = guest) =>
  (await listRefused(world.services, who, ALL)).rows.map(({ userId, name }) => [userId, name]);

describe('PM9: lists of offers', () => {
  it('are read to their end, page by page, by the wallet and by the owners', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift(await offer(scene.owner, await another(scene.owner)));
    const mine: string[] = [];
    for (let n = 0; n < 5; n += 1) mine.unshift(await offer(scene.owner, scene.projectId, newAddress()));
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
    const seen = await pagesOf((after) => listOwnOffers(world.services, guest, { after, limit: 2 }));
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat().map(({ id }) => id)).toEqual(made);
    const here = { projectId: scene.projectId, limit: 2 };
    const listed = await pagesOf((after) => listOffers(world.services, scene.owner, { ...here, after }));
    expect(listed.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(listed.flat().map((one) => one.offer.id)).toEqual(mine);
  });
});

describe('PM9: a wallet that is refused', () => {
  it('has all its offers declined, in every project, and no other wallet’s', async () => {
    const spam = { owner: scene.owner, projectId: await another(scene.owner) };
    const first = await offer(scene.owner, scene.projectId);
    await offer(spam.owner, spam.projectId);
    const theirs = await offer(scene.owner, scene.projectId, newAddress());
    const honest = await aScene(world.services);
    const wanted = await offer(honest.owner, honest.projectId);
    await refuseWallet(world.services, guest, first);
    expect([await own(), await open(scene), await open(spam)]).toEqual([[wanted], [theirs], []]);
    for (const projectId of [scene.projectId, spam.projectId]) {
      const [last] = (await linesOf(world, projectId)).filter(({ action }) => action === 'offer.declined');
      expect(last).toMatchObject({ changed_by: null, before: { role: 'reviewer', address: guest.address } });
    }
    expect(await refused()).toEqual([[scene.owner.userId, 'Olga']]);
  });

  it('offers to nobody’s eyes, and is not told: its offer looks as any does', async () => {
    await refuseWallet(world.services, guest, await offer(scene.owner, scene.projectId));
    const hidden = await offer(scene.owner, scene.projectId);
    expect([await own(), await open(scene)]).toEqual([[], [hidden]]);
    const stranger = newAddress();
    await offer(scene.owner, scene.projectId, stranger);
    const [made, other] = (await linesOf(world, scene.projectId)).slice(-2);
    expect({ ...made, after: null, subject: null }).toMatchObject({
      ...{ action: other?.action, before: null, changed_by: other?.changed_by, subject: null },
    });
    // Another owner of the same project is somebody else.
    await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
    const bens = await offer(scene.ben, scene.projectId);
    expect(await own()).toEqual([bens]);
  });

  it('is seen again once its person says so', async () => {
    await refuseWallet(world.services, guest, await offer(scene.owner, scene.projectId));
    const later = await offer(scene.owner, scene.projectId);
    await allowWallet(world.services, guest, scene.owner.userId);
    expect([await own(), await refused()]).toEqual([[later], []]);
    await acceptOffer(world.services, guest, later);
    await expect(allowWallet(world.services, guest, scene.owner.userId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('PM6: adds nobody directly who refuses it', async () => {
    const shared = await aScene(world.services);
    for (const who of [scene.owner, guest]) await letIn(world.services, shared, { who });
    await changeAccount(world.services, guest, { directAdding: true });
    await refuseWallet(world.services, guest, await offerOf(scene.owner));
    expect(await add(scene.owner, scene.projectId)).toMatchObject({ kind: 'offer' });
    await allowWallet(world.services, guest, scene.owner.userId);
    expect(await add(scene.owner, scene.projectId)).toMatchObject({ kind: 'member' });
  });

  it('is refused by its person’s word alone: for an offer to them, and once', async () => {
    const id = await offer(scene.owner, scene.projectId);
    for (const who of [scene.anna, scene.owner])
      await expect(refuseWallet(world.services, who, id)).rejects.toMatchObject({ code: 'not_found' });
    await refuseWallet(world.services, guest, id);
    await expect(refuseWallet(world.services, guest, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(declineOffer(world.services, guest, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await refused(scene.anna)).toEqual([]);
  });

  it('KE6: is forgotten with either person', async () => {
    const leaving = [await aPerson(world.services), await aPerson(world.services)] as const;
    const other = await aPerson(world.services);
    const rows = [
      [leaving[0].userId, other.userId],
      [other.userId, leaving[1].userId],
    ];
    for (const row of rows) await world.sql('insert into refused_wallet values (?, ?, now())', row);
    for (const { address } of leaving) {
      const trace = await findTrace(world.services, address);
      if (trace === null) throw new Error('They were here.');
      await forgetWallet(world.services, address, trace);
    }
    expect(await world.sql('select 1 from refused_wallet where ? in (user_id, refused_id)', [other.userId])).toEqual(
      [],
    );
  });
});

/** An offer of ownership: that is one whatever its person allowed (PM8). */
async function offerOf(by: MemberActor): Promise<string> {
  const added = await addMember(world.services, by, {
    projectId: scene.projectId,
    address: guest.address,
    role: 'owner',
  });
  if (added.kind !== 'offer') throw new Error('They were made an owner.');
  return added.offer.id;
}
