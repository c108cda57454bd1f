// Tests changes of the reviewer pool: roles, names, leaving; a lost role releases the claims, and decisions stay.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { findTrace } from '../../../src/usecases/access/forget-wallet.ts';
import { blockWallet, unblockWallet } from '../../../src/usecases/access/operator-access.ts';
import { presentMember } from '../../../src/presenters/project.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { readPool } from '../../../src/usecases/access/list-members.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { endLease, eventsOf, eventLogOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import {
  aDecision,
  anItem,
  aPerson,
  createProjectFixture,
  grantRole,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

const memberKey = (who: MemberActor) => ({ projectId: fixture.projectId, userId: who.userId });
const setRole = (by: MemberActor, who: MemberActor, role: Role) =>
  changeMember(testEnv.services, by, { ...memberKey(who), role, name: undefined });
const setName = (by: MemberActor, who: MemberActor, name: string) =>
  changeMember(testEnv.services, by, { ...memberKey(who), role: undefined, name });
/** Adds the wallet as a reviewer. */
const add = (who: MemberActor, at = fixture) => grantRole(testEnv.services, at, { who });
const remove = (by: MemberActor, who: MemberActor) => removeMember(testEnv.services, by, memberKey(who));
const pool = async () => {
  const { members } = await readPool(testEnv.services, fixture.owner, fixture.projectId);
  return Object.fromEntries(members.map(({ user, role, holding: held }) => [user.name ?? user.id, [role, held]]));
};
const membersEvents = async () =>
  (await eventLogOf(testEnv, fixture.projectId)).filter(({ data }) => String(data.changed).includes('members')).length;

describe('PM: who changes the pool', () => {
  it('an owner changes roles and removes members, with one event each', async () => {
    const before = await membersEvents();
    expect(await setRole(fixture.owner, fixture.anna, 'supervisor')).toMatchObject({ role: 'supervisor' });
    await setRole(fixture.owner, fixture.anna, 'supervisor');
    await remove(fixture.owner, fixture.ben);
    expect(await pool()).toEqual({ Olga: ['owner', 0], Sam: ['supervisor', 0], Anna: ['supervisor', 0] });
    expect(await membersEvents()).toBe(before + 2);
    await expect(remove(fixture.owner, fixture.ben)).rejects.toMatchObject({ code: 'not_found' });
    await expect(setRole(fixture.owner, fixture.ben, 'owner')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('nobody else may, not even for themselves; a stranger gets 404', async () => {
    for (const who of [fixture.supervisor, fixture.anna]) {
      await expect(setRole(who, who, 'owner')).rejects.toMatchObject({ code: 'forbidden' });
      await expect(setRole(who, fixture.ben, 'reviewer')).rejects.toMatchObject({ code: 'forbidden' });
      await expect(remove(who, fixture.ben)).rejects.toMatchObject({ code: 'forbidden' });
    }
    const stranger = await aPerson(testEnv.services);
    await expect(remove(stranger, fixture.ben)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(stranger, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(setRole(stranger, stranger, 'owner')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('every member may leave', async () => {
    await remove(fixture.anna, fixture.anna);
    await remove(fixture.supervisor, fixture.supervisor);
    expect(Object.keys(await pool())).toEqual(['Olga', 'Ben']);
  });
});

describe('PM4: a name', () => {
  it('is chosen by its person alone: no owner sets one, neither first nor later', async () => {
    const nameless = await aPerson(testEnv.services);
    await add(nameless);
    const name = async () => (await testEnv.sql('select name from app_user where id = ?', [nameless.userId]))[0];
    for (const who of [fixture.owner, fixture.supervisor, fixture.ben])
      await expect(setName(who, nameless, 'Zed')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await name()).toEqual({ name: null });
    expect(await setName(nameless, nameless, 'Zora')).toMatchObject({ kind: 'member', user: { name: 'Zora' } });
    await expect(setName(fixture.owner, nameless, 'Zed')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await name()).toEqual({ name: 'Zora' });
  });

  it('cannot be set together with a role: neither changes', async () => {
    const both = { ...memberKey(fixture.anna), role: 'owner' as const, name: 'Mallory' };
    await expect(changeMember(testEnv.services, fixture.owner, both)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await pool()).Anna).toEqual(['reviewer', 0]);
  });
});

describe('PM1: the last owner', () => {
  it('the last owner neither leaves nor takes a lower role, until there is another owner', async () => {
    const lower = { code: 'validation_failed', extras: { errors: [{ pointer: '#/role' }] } };
    await expect(remove(fixture.owner, fixture.owner)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(setRole(fixture.owner, fixture.owner, 'supervisor')).rejects.toMatchObject(lower);
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    expect(await setRole(fixture.owner, fixture.owner, 'reviewer')).toMatchObject({ role: 'reviewer' });
    await expect(remove(fixture.ben, fixture.ben)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('A20: is the last one that is not blocked: a blocked owner manages nothing', async () => {
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    await blockWallet(testEnv.services, fixture.ben.address);
    await expect(remove(fixture.owner, fixture.owner)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(setRole(fixture.owner, fixture.owner, 'reviewer')).rejects.toMatchObject({
      code: 'validation_failed',
    });
    const { members, ...view } = await readPool(testEnv.services, fixture.owner, fixture.projectId);
    const offered = members.map((member) => presentMember(member, view)).filter(({ role }) => role === 'owner');
    expect(offered.map(({ name, abilities: { remove: able } }) => [name, able])).toEqual([
      ['Olga', false],
      ['Ben', true],
    ]);
    expect(await findTrace(testEnv.services, fixture.owner.address)).toMatchObject({ projects: [{ onlyOwner: true }] });
    await remove(fixture.owner, fixture.ben);
    expect(await pool()).not.toHaveProperty('Ben');
  });

  it('A20: leaves again once the other owner is unblocked', async () => {
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    await blockWallet(testEnv.services, fixture.ben.address);
    await unblockWallet(testEnv.services, fixture.ben.address);
    await remove(fixture.owner, fixture.owner);
    expect(await readPool(testEnv.services, fixture.ben, fixture.projectId)).toMatchObject({
      viewer: { role: 'owner' },
    });
  });

  it.each<[string, (first: MemberActor, second: MemberActor) => Promise<unknown>[]]>([
    ['leave', (first, second) => [remove(first, first), remove(second, second)]],
    ['remove each other', (first, second) => [remove(first, second), remove(second, first)]],
    ['step down', (first, second) => [setRole(first, first, 'reviewer'), setRole(second, second, 'reviewer')]],
    ['leave and step down', (first, second) => [remove(first, first), setRole(second, second, 'supervisor')]],
  ])('remains when two %s at the same moment', async (_, both) => {
    for (let round = 0; round < 4; round += 1) {
      fixture = await createProjectFixture(testEnv.services);
      await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
      const results = await Promise.allSettled(both(fixture.owner, fixture.ben));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const owners = await testEnv.sql(`select 1 from member where project_id = ? and role = 'owner'`, [
        fixture.projectId,
      ]);
      expect(owners).toHaveLength(1);
    }
  });
});

/** An escalated and a queued item, both held by the supervisor. */
async function holdsBoth(): Promise<{ escalated: string; queued: string }> {
  const [escalated, queued] = [
    await anItem(testEnv.services, fixture, { riskFlags: ['legal'] }),
    await anItem(testEnv.services, fixture),
  ];
  for (const { id } of [escalated, queued]) await claim(testEnv.services, fixture.supervisor, id);
  return { escalated: escalated.id, queued: queued.id };
}

describe('PM2: claims', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])(
    'of a removed member are released at once with one event each, and late requests are refused, %s',
    async (_, down) => {
      testEnv.lock.down = down;
      const { escalated, queued } = await holdsBoth();
      expect((await pool()).Sam).toEqual(['supervisor', 2]);
      await remove(fixture.owner, fixture.supervisor);
      for (const id of [escalated, queued]) {
        expect(await rowOf(testEnv, id)).toMatchObject({
          claimed_by: null,
          claim_expires_at: null,
          claim_fence: 1,
          version: 3,
        });
        expect((await eventTypesOf(testEnv, id)).slice(1)).toEqual(['item.claimed', 'claim.released']);
        const late = decide(testEnv.services, fixture.supervisor, { itemId: id, fence: 1, ...aDecision('approve') });
        await expect(late).rejects.toMatchObject({ code: 'not_found' });
        const renewed = renewClaim(testEnv.services, fixture.supervisor, { itemId: id, fence: 1 });
        await expect(renewed).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(await claim(testEnv.services, fixture.anna, queued)).toMatchObject({ fence: 2 });
      const released = (await eventsOf(testEnv, queued)).find(({ type }) => type === 'claim.released');
      expect(released?.data).toMatchObject({ version: 3 });
    },
  );

  it('get their events after the change of members, so that the removed member does not receive them', async () => {
    const { queued } = await holdsBoth();
    await remove(fixture.owner, fixture.supervisor);
    const types = (await eventLogOf(testEnv, fixture.projectId)).map(({ type }) => type);
    expect(types.lastIndexOf('project.changed')).toBeLessThan(types.indexOf('claim.released'));
    expect(await eventTypesOf(testEnv, queued)).toContain('claim.released');
  });

  it.each(['reviewer', 'supervisor', 'owner'] as const)(
    'of a supervisor who becomes %s end where the role no longer allows them',
    async (to) => {
      const { escalated, queued } = await holdsBoth();
      await grantRole(testEnv.services, fixture, { who: fixture.supervisor, role: to });
      const kept = { claimed_by: fixture.supervisor.userId, claim_fence: 1, version: 2 };
      expect(await rowOf(testEnv, queued)).toMatchObject(kept);
      expect(await rowOf(testEnv, escalated)).toMatchObject(
        to === 'reviewer' ? { claimed_by: null, version: 3 } : kept,
      );
      const deciding = (itemId: string) =>
        decide(testEnv.services, fixture.supervisor, { itemId, fence: 1, ...aDecision('approve') });
      if (to === 'reviewer') await expect(deciding(escalated)).rejects.toMatchObject({ code: 'forbidden' });
      else expect(await deciding(escalated)).toMatchObject({ status: 'approved' });
      expect(await deciding(queued)).toMatchObject({ status: 'approved' });
    },
  );

  it('end also when the wallet is added again with a lower role', async () => {
    const { escalated } = await holdsBoth();
    await add(fixture.supervisor);
    expect(await rowOf(testEnv, escalated)).toMatchObject({ claimed_by: null, version: 3 });
  });

  it('claims that expired cannot be decided late by a member who came back, and append no event', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await endLease(testEnv, id);
    await expireClaimsOnce(testEnv.services);
    const before = await eventTypesOf(testEnv, id);
    await remove(fixture.owner, fixture.anna);
    expect(await eventTypesOf(testEnv, id)).toEqual(before);
    await add(fixture.anna);
    const late = decide(testEnv.services, fixture.anna, { itemId: id, fence: 1, ...aDecision('approve') });
    await expect(late).rejects.toMatchObject({ code: 'claim_lost' });
  });

  it('of other projects and other people stay', async () => {
    const other = await createProjectFixture(testEnv.services);
    await add(fixture.anna, other);
    const [elsewhere, theirs] = [await anItem(testEnv.services, other), await anItem(testEnv.services, fixture)];
    await claim(testEnv.services, fixture.anna, elsewhere.id);
    await claim(testEnv.services, fixture.ben, theirs.id);
    await remove(fixture.owner, fixture.anna);
    expect(await rowOf(testEnv, elsewhere.id)).toMatchObject({ claimed_by: fixture.anna.userId });
    expect(await rowOf(testEnv, theirs.id)).toMatchObject({ claimed_by: fixture.ben.userId });
  });

  it('decisions and history stay', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'reject' });
    await remove(fixture.owner, fixture.anna);
    expect(await testEnv.sql('select reviewer_id from decision where item_id = ?', [id])).toEqual([
      { reviewer_id: fixture.anna.userId },
    ]);
    const rows = await testEnv.sql<{ by: string }>(`select actor->>'id' as by from event where item_id = ?`, [id]);
    expect(rows.map(({ by }) => by)).toContain(fixture.anna.userId);
  });

  it('deciding and being removed at the same moment: exactly one of them wins', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await anItem(testEnv.services, fixture);
      fixture = { ...fixture, anna: await aReviewer() };
      await claim(testEnv.services, fixture.anna, id);
      const deciding = decide(testEnv.services, fixture.anna, { itemId: id, fence: 1, ...aDecision('approve') });
      const [decided] = await Promise.allSettled([deciding, remove(fixture.owner, fixture.anna)]);
      const made = decided.status === 'fulfilled';
      expect(await testEnv.sql('select id from decision where item_id = ?', [id])).toHaveLength(made ? 1 : 0);
      expect(await rowOf(testEnv, id)).toMatchObject({ status: made ? 'approved' : 'queued', claimed_by: null });
    }
  });

  it('renewing an expired claim and being removed at the same moment: neither waits for the other', async () => {
    for (let round = 0; round < 8; round += 1) {
      const who = await aReviewer();
      const { id } = await anItem(testEnv.services, fixture);
      await claim(testEnv.services, who, id);
      await endLease(testEnv, id);
      const next = claimNext(testEnv.services, who, { projectId: fixture.projectId }).catch((error: unknown) => error);
      await remove(fixture.owner, who);
      const outcome = await next;
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'not_found' });
      expect(await rowOf(testEnv, id)).toMatchObject({ status: 'queued', claimed_by: null, claim_expires_at: null });
      await testEnv.sql(`update item set status = 'rejected' where id = ?`, [id]);
    }
  });

  const taking = {
    claim: (itemId: string) => claim(testEnv.services, fixture.anna, itemId),
    'claim-next': () => claimNext(testEnv.services, fixture.anna, { projectId: fixture.projectId }),
  };
  it.each(Object.entries(taking))(
    'cannot be taken by a member under removal: %s waits and is refused',
    async (_, take) => {
      const { id } = await anItem(testEnv.services, fixture);
      const removal: [string, unknown[]] = ['delete from member where user_id = ?', [fixture.anna.userId]];
      const outcome = await withOpenTransaction(testEnv, removal, async (commit) => {
        const taken = Promise.allSettled([take(id)]);
        await waitForBlocked(testEnv, 1);
        await commit();
        return taken;
      });
      expect(outcome[0]).not.toMatchObject({ value: { fence: 1 } });
      expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_fence: 0 });
      expect((await testEnv.lock.holders([id])).size).toBe(0);
    },
  );
});

async function aReviewer(): Promise<MemberActor> {
  const who = await aPerson(testEnv.services);
  await add(who);
  return who;
}
