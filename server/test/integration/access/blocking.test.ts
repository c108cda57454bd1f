// Tests blocking a wallet by the operator: signed out at once, claims released, no new claims, restored when unblocked.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSession, verify, challenge } from '@countersign/shared/routes/session';
import { acceptInvite, createInvite } from '../../../src/usecases/access/invites.ts';
import { blockWallet, endSessionsOf, listAccess, unblockWallet } from '../../../src/usecases/access/operator-access.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { changeMember } from '../../../src/usecases/access/change-member.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { acceptOffer } from '../../../src/usecases/access/offers.ts';
import { newAddress } from '../../../src/crypto/ed25519.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { browser, makeWallet, person, signedChallenge, type Person } from '../../client.ts';
import { type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { changeLogOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import { openOffers } from './offers.ts';
import { anItem, aPerson, grantRole, useProjectFixture } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let served: Served;
let live: LiveTestServer;
const fixture = useProjectFixture(testEnv);

beforeAll(async () => {
  served = await serve(testEnv.services);
  live = await startLiveServer(testEnv);
});
afterAll(async () => {
  await live.close();
  await served.close();
});
const block = (who: { address: string }) => blockWallet(testEnv.services, who.address);
const here = () => ({ projectId: fixture.projectId });
const blocked = { code: 'blocked' };
const headersOf = (who: Person) => ({ origin: served.testEnv.baseUrl, cookie: who.cookieHeader() });

describe('A20: a blocked wallet', () => {
  it('is signed out everywhere: its sessions are refused and its sockets closed', async () => {
    const wallet = makeWallet();
    const [first, second] = [await person(served.testEnv, wallet), await person(served.testEnv, wallet)];
    const { socket } = await live.connect(headersOf(first));
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    expect(await block(wallet)).toMatchObject({ sessions: 2, claims: 0, projects: 0 });
    expect(await closed).toBe('io server disconnect');
    for (const who of [first, second]) await who.refused('session_missing', readSession);
    await expect(live.connect(headersOf(second))).rejects.toThrow('session_missing');
  });

  it('cannot sign in: a valid signature gets the reason, a wrong one the usual response (S13)', async () => {
    const wallet = makeWallet();
    await block(wallet);
    const page = browser(served.testEnv);
    const good = signedChallenge(wallet, await page.call(challenge, {}));
    await page.refused('blocked', verify, { body: good });
    const wrong = signedChallenge(wallet, await page.call(challenge, {}));
    const signature = Buffer.from(makeWallet().sign(Buffer.from('something else'))).toString('base64');
    await page.refused('signature_invalid', verify, { body: { ...wrong, signature } });
    expect(
      await testEnv.sql('select 1 from session s join app_user u on u.id = s.user_id where u.address = ?', [
        wallet.address,
      ]),
    ).toEqual([]);
    expect(await unblockWallet(testEnv.services, wallet.address)).toBe(true);
    expect((await person(served.testEnv, wallet)).session.user.address).toBe(wallet.address);
  });

  it('loses its claims at once, in the lock store too', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    expect(await block(fixture.anna)).toMatchObject({ claims: 1, projects: 1 });
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_expires_at: null });
    expect(await eventTypesOf(testEnv, id)).toContain('claim.released');
    // Each process that receives the notification drops the lock.
    await vi.waitFor(async () => expect((await testEnv.lock.holders([id])).size).toBe(0));
    expect(await claim(testEnv.services, fixture.ben, id)).toMatchObject({ fence: 2 });
  });

  it('gets no item from a request in flight, and joins no project', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const guest = await aPerson(testEnv.services);
    const added = await addMember(testEnv.services, fixture.owner, {
      ...here(),
      address: guest.address,
      role: 'reviewer',
    });
    const invited = { ...here(), role: 'reviewer' as const, address: null, hours: 1 };
    const { token } = await createInvite(testEnv.services, fixture.owner, invited);
    for (const who of [fixture.anna, guest]) await block(who);
    const offerId = added.kind === 'offer' ? added.offer.id : '';
    for (const attempt of [
      () => claim(testEnv.services, fixture.anna, id),
      () => claimNext(testEnv.services, fixture.anna, here()),
      () => acceptOffer(testEnv.services, guest, offerId),
      () => acceptInvite(testEnv.services, guest, token),
    ])
      await expect(attempt()).rejects.toMatchObject(blocked);
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null });
  });

  it('invites nobody: its open invites and offers end, and the log says so and who blocked it', async () => {
    const { ben } = fixture;
    await grantRole(testEnv.services, fixture, { who: ben, role: 'owner' });
    const { token } = await createInvite(testEnv.services, ben, { ...here(), role: 'owner', address: null, hours: 1 });
    await addMember(testEnv.services, ben, { ...here(), address: newAddress(), role: 'owner' });
    await block(ben);
    await expect(acceptInvite(testEnv.services, fixture.anna, token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await openOffers(testEnv, fixture)).toEqual([]);
    const line = { subject: 'Ben', subject_id: ben.userId, changed_by: null, changed_by_name: 'Operator' };
    const last = async () => (await changeLogOf(testEnv, fixture.projectId)).at(-1);
    expect(await last()).toMatchObject({
      ...{ action: 'member.blocked', ...line },
      after: { invites_revoked: 1, offers_revoked: 1 },
    });
    const before = await changeLogOf(testEnv, fixture.projectId);
    await block(ben);
    expect(await changeLogOf(testEnv, fixture.projectId)).toEqual(before);
    await unblockWallet(testEnv.services, ben.address);
    expect(await last()).toMatchObject({ action: 'member.unblocked', ...line });
    const again = { ...here(), userId: ben.userId, role: 'reviewer' as const, name: undefined };
    expect(await changeMember(testEnv.services, fixture.owner, again)).toMatchObject({ role: 'reviewer' });
  });

  it('is listed until it is unblocked, with the projects that have no other owner', async () => {
    const alone = [{ id: fixture.projectId, name: 'Refunds' }];
    expect(await block(fixture.owner)).toMatchObject({ ownedAlone: alone });
    const listed = async (who: MemberActor) =>
      (await listAccess(testEnv.services)).find(({ address }) => address === who.address);
    expect(await listed(fixture.owner)).toMatchObject({
      name: 'Olga',
      sessions: 0,
      blockedAt: expect.any(Date) as Date,
    });
    await unblockWallet(testEnv.services, fixture.owner.address);
    expect(await listed(fixture.owner)).toBeUndefined();
    expect(await unblockWallet(testEnv.services, fixture.owner.address)).toBe(false);
  });
});

describe('A20: ending sessions', () => {
  it('signs a wallet out everywhere, and it may sign in again', async () => {
    const wallet = makeWallet();
    const who = await person(served.testEnv, wallet);
    const { socket } = await live.connect(headersOf(who));
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    expect(await endSessionsOf(testEnv.services, wallet.address)).toBe(1);
    expect(await closed).toBe('io server disconnect');
    await who.refused('session_missing', readSession);
    expect(await endSessionsOf(testEnv.services, newAddress())).toBeNull();
    await person(served.testEnv, wallet);
  });
});
