// What the operator does to wallets: a blocked one is out at once, holds nothing, is handed nothing, and comes back as it was.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSession, verify, challenge } from '@countersign/shared/api/session';
import { acceptInvite } from '../../src/usecases/accept-invite.ts';
import { blockWallet, endSessionsOf, listAccess, unblockWallet } from '../../src/usecases/access.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { changeMember } from '../../src/usecases/change-member.ts';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { createInvite } from '../../src/usecases/invites.ts';
import { acceptOffer } from '../../src/usecases/offers.ts';
import { newAddress } from '../../src/crypto/ed25519.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { browser, makeWallet, person, signedChallenge, type Person } from '../client.ts';
import { type LiveServed, serveLive } from './live-served.ts';
import { linesOf, rowOf, toldOf } from './looking.ts';
import { openOffers } from './offering.ts';
import { anItem, aPerson, aScene, letIn, type Scene } from './scene.ts';
import { serve, type Served } from './served.ts';
import { useServices } from './services.ts';

const world = useServices();
let served: Served;
let live: LiveServed;
let scene: Scene;

beforeAll(async () => {
  served = await serve(world.services);
  live = await serveLive(world);
});
afterAll(async () => {
  await live.close();
  await served.close();
});
beforeEach(async () => {
  scene = await aScene(world.services);
});

const block = (who: { address: string }) => blockWallet(world.services, who.address);
const here = () => ({ projectId: scene.projectId });
const blocked = { code: 'blocked' };
const headersOf = (who: Person) => ({ origin: served.world.baseUrl, cookie: who.cookieHeader() });

describe('A20: a blocked wallet', () => {
  it('is signed out everywhere: its sessions are refused and its sockets closed', async () => {
    const wallet = makeWallet();
    const [first, second] = [await person(served.world, wallet), await person(served.world, wallet)];
    const { socket } = await live.connect(headersOf(first));
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    expect(await block(wallet)).toMatchObject({ sessions: 2, claims: 0, projects: 0 });
    expect(await closed).toBe('io server disconnect');
    for (const who of [first, second]) await who.refused('session_missing', readSession);
    await expect(live.connect(headersOf(second))).rejects.toThrow('session_missing');
  });

  it('does not sign in: told so after a good signature, and as anybody after a wrong one (S13)', async () => {
    const wallet = makeWallet();
    await block(wallet);
    const page = browser(served.world);
    const good = signedChallenge(wallet, await page.call(challenge, {}));
    await page.refused('blocked', verify, { body: good });
    const wrong = signedChallenge(wallet, await page.call(challenge, {}));
    const signature = Buffer.from(makeWallet().sign(Buffer.from('something else'))).toString('base64');
    await page.refused('signature_invalid', verify, { body: { ...wrong, signature } });
    expect(
      await world.sql('select 1 from session s join app_user u on u.id = s.user_id where u.address = ?', [
        wallet.address,
      ]),
    ).toEqual([]);
    expect(await unblockWallet(world.services, wallet.address)).toBe(true);
    expect((await person(served.world, wallet)).session.user.address).toBe(wallet.address);
  });

  it('holds nothing any more: its claims are free at once, the lock too', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    expect(await block(scene.anna)).toMatchObject({ claims: 1, projects: 1 });
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: null, claim_expires_at: null });
    expect(await toldOf(world, id)).toContain('claim.released');
    // The lock is dropped by the processes that hear of it.
    await vi.waitFor(async () => expect((await world.lock.holders([id])).size).toBe(0));
    expect(await claim(world.services, scene.ben, id)).toMatchObject({ fence: 2 });
  });

  it('is handed nothing by a request that was under way, and takes no seat', async () => {
    const { id } = await anItem(world.services, scene);
    const guest = await aPerson(world.services);
    const added = await addMember(world.services, scene.owner, { ...here(), address: guest.address, role: 'reviewer' });
    const invited = { ...here(), role: 'reviewer' as const, address: null, hours: 1 };
    const { token } = await createInvite(world.services, scene.owner, invited);
    for (const who of [scene.anna, guest]) await block(who);
    const offerId = added.kind === 'offer' ? added.offer.id : '';
    for (const attempt of [
      () => claim(world.services, scene.anna, id),
      () => claimNext(world.services, scene.anna, here()),
      () => acceptOffer(world.services, guest, offerId),
      () => acceptInvite(world.services, guest, token),
    ])
      await expect(attempt()).rejects.toMatchObject(blocked);
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: null });
  });

  it('invites nobody: its open invites and offers end, and the log says so and who did it', async () => {
    const { ben } = scene;
    await letIn(world.services, scene, { who: ben, role: 'owner' });
    const { token } = await createInvite(world.services, ben, { ...here(), role: 'owner', address: null, hours: 1 });
    await addMember(world.services, ben, { ...here(), address: newAddress(), role: 'owner' });
    await block(ben);
    await expect(acceptInvite(world.services, scene.anna, token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await openOffers(world, scene)).toEqual([]);
    const line = { subject: 'Ben', subject_id: ben.userId, changed_by: null, changed_by_name: 'Operator' };
    const last = async () => (await linesOf(world, scene.projectId)).at(-1);
    expect(await last()).toMatchObject({
      ...{ action: 'member.blocked', ...line },
      after: { invites_revoked: 1, offers_revoked: 1 },
    });
    const before = await linesOf(world, scene.projectId);
    await block(ben);
    expect(await linesOf(world, scene.projectId)).toEqual(before);
    await unblockWallet(world.services, ben.address);
    expect(await last()).toMatchObject({ action: 'member.unblocked', ...line });
    const again = { ...here(), userId: ben.userId, role: 'reviewer' as const, name: undefined };
    expect(await changeMember(world.services, scene.owner, again)).toMatchObject({ role: 'reviewer' });
  });

  it('is named with the projects that have no other owner, and listed until it is unblocked', async () => {
    const alone = [{ id: scene.projectId, name: 'Refunds' }];
    expect(await block(scene.owner)).toMatchObject({ ownedAlone: alone });
    const listed = async (who: MemberActor) =>
      (await listAccess(world.services)).find(({ address }) => address === who.address);
    expect(await listed(scene.owner)).toMatchObject({ name: 'Olga', sessions: 0, blockedAt: expect.any(Date) as Date });
    await unblockWallet(world.services, scene.owner.address);
    expect(await listed(scene.owner)).toBeUndefined();
    expect(await unblockWallet(world.services, scene.owner.address)).toBe(false);
  });
});

describe('A20: ending sessions', () => {
  it('signs a wallet out everywhere, and it may sign in again', async () => {
    const wallet = makeWallet();
    const who = await person(served.world, wallet);
    const { socket } = await live.connect(headersOf(who));
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    expect(await endSessionsOf(world.services, wallet.address)).toBe(1);
    expect(await closed).toBe('io server disconnect');
    await who.refused('session_missing', readSession);
    expect(await endSessionsOf(world.services, newAddress())).toBeNull();
    await person(served.world, wallet);
  });
});
