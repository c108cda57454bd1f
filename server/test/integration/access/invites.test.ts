// Tests invites: one person, once, for the wallet they name, until they expire; the same response for everything else.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { sha256Hex } from '../../../src/crypto/tokens.ts';
import { acceptInvite, createInvite, revokeInvite, listInvites } from '../../../src/usecases/access/invites.ts';
import { readInvite } from '../../../src/usecases/access/read-invite.ts';
import { displayName } from '../../../src/domain/access/actor.ts';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { roleIn } from './offers.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = await aPerson(testEnv.services);
});

const invite = (
  by: MemberActor,
  { role = 'reviewer', address = null, hours = 72 }: { role?: Role; address?: string | null; hours?: number } = {},
) => createInvite(testEnv.services, by, { projectId: fixture.projectId, role, address, hours });
const accept = (who: MemberActor, token: string) => acceptInvite(testEnv.services, who, token);
const roleOf = (who: MemberActor) => roleIn(testEnv, fixture, who);
const open = async () =>
  (await listInvites(testEnv.services, fixture.owner, fixture.projectId)).map((one) => one.invite.id);
const changes = async () =>
  (await eventLogOf(testEnv, fixture.projectId))
    .filter(({ type }) => type === 'project.changed')
    .map(({ data }) => data.changed);

describe('PM3: an invite', () => {
  it('lets one person in with its role, is stored as a hash, and is used up', async () => {
    const { invite: made, token } = await invite(fixture.owner, { role: 'supervisor' });
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const rows = await testEnv.sql<object>('select * from invite where id = ?', [made.id]);
    expect(rows).toEqual([expect.objectContaining({ token_hash: sha256Hex(token) })]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await open()).toEqual([made.id]);
    const { project, role } = await accept(guest, token);
    expect([project.id, role, await roleOf(guest)]).toEqual([fixture.projectId, 'supervisor', 'supervisor']);
    expect(await open()).toEqual([]);
    expect((await changes()).slice(-2)).toEqual([['invites'], ['members']]);
    await expect(accept(await aPerson(testEnv.services), token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('answers the person who used it again as the first time, while they are a member', async () => {
    const { token } = await invite(fixture.owner, { role: 'supervisor' });
    const first = await accept(guest, token);
    const told = await changes();
    expect(await accept(guest, token)).toEqual(first);
    expect(await changes()).toEqual(told);
    // Their role has changed since: the answer has the one they have.
    await grantRole(testEnv.services, fixture, { who: guest, role: 'reviewer' });
    expect(await accept(guest, token)).toMatchObject({ role: 'reviewer' });
    await removeMember(testEnv.services, fixture.owner, { projectId: fixture.projectId, userId: guest.userId });
    await expect(accept(guest, token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await roleOf(guest)).toBeNull();
  });

  it('tells nobody of a deleted project, who used it included', async () => {
    const { token } = await invite(fixture.owner);
    await accept(guest, token);
    await testEnv.sql('update project set deleted_at = now() where id = ?', [fixture.projectId]);
    await expect(accept(guest, token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lets one in of 50 who accept it at once', async () => {
    const { token } = await invite(fixture.owner);
    const reviewers = await Promise.all(Array.from({ length: 50 }, () => aPerson(testEnv.services)));
    const results = await Promise.allSettled(reviewers.map((who) => accept(who, token)));
    const inside = reviewers.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(inside).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'not_found' });
    const roles = await Promise.all(reviewers.map(roleOf));
    expect(roles.filter((role) => role !== null)).toEqual(['reviewer']);
  });

  it('an invite that is unknown, used, revoked, expired, for another wallet or of an archived project gets the same response', async () => {
    const place = await createProjectFixture(testEnv.services);
    const archived = { projectId: place.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const tokens = {
      unknown: 'A'.repeat(43),
      empty: '',
      used: (await invite(fixture.owner)).token,
      revoked: (await invite(fixture.owner)).token,
      over: (await invite(fixture.owner)).token,
      bound: (await invite(fixture.owner, { address: fixture.owner.address })).token,
      archived: (await createInvite(testEnv.services, place.owner, archived)).token,
    };
    await accept(await aPerson(testEnv.services), tokens.used);
    await testEnv.sql('update invite set revoked_at = now() where token_hash = ?', [sha256Hex(tokens.revoked)]);
    await testEnv.sql('update invite set expires_at = now() where token_hash = ?', [sha256Hex(tokens.over)]);
    await testEnv.sql('update project set archived_at = now() where id = ?', [place.projectId]);
    const answers = await Promise.all(
      Object.values(tokens).map((token) => accept(guest, token).catch((error: unknown) => error)),
    );
    expect(answers[0]).toMatchObject({ code: 'not_found' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await roleOf(guest)).toBeNull();
  });

  it('for a wallet lets that wallet in', async () => {
    const { token } = await invite(fixture.owner, { address: guest.address });
    expect(await accept(guest, token)).toMatchObject({ role: 'reviewer' });
    const nowhere = { code: 'validation_failed', extras: { errors: [{ pointer: '#/address' }] } };
    await expect(invite(fixture.owner, { address: 'nowhere' })).rejects.toMatchObject(nowhere);
  });

  it.each<[Role, Role]>([
    ['reviewer', 'reviewer'],
    ['supervisor', 'reviewer'],
    ['owner', 'supervisor'],
  ])(
    'changes nothing for a member who is %s and is invited as %s, and stays open for another person',
    async (has, invited) => {
      const member = { reviewer: fixture.anna, supervisor: fixture.supervisor, owner: fixture.owner }[has];
      const { invite: made, token } = await invite(fixture.owner, { role: invited });
      const before = await changes();
      expect(await accept(member, token)).toMatchObject({ role: has });
      expect([await roleOf(member), await open(), await changes()]).toEqual([has, [made.id], before]);
      expect(await accept(guest, token)).toMatchObject({ role: invited });
    },
  );

  it('raises the role of a member', async () => {
    const { token } = await invite(fixture.owner, { role: 'owner' });
    expect(await accept(fixture.anna, token)).toMatchObject({ role: 'owner' });
    expect(await roleOf(fixture.anna)).toBe('owner');
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'is removed',
      () => removeMember(testEnv.services, fixture.owner, { projectId: fixture.projectId, userId: fixture.ben.userId }),
    ],
    [
      'is no longer an owner',
      () =>
        changeMember(testEnv.services, fixture.owner, {
          projectId: fixture.projectId,
          userId: fixture.ben.userId,
          role: 'supervisor',
          name: undefined,
        }),
    ],
  ])('ends when its creator %s', async (_, fall) => {
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    const [theirs, mine] = [await invite(fixture.ben, { role: 'owner' }), await invite(fixture.owner)];
    await fall();
    await expect(accept(fixture.ben, theirs.token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await open()).toEqual([mine.invite.id]);
  });

  it('accepted and revoked at the same moment: exactly one of them wins', async () => {
    for (let round = 0; round < 6; round += 1) {
      const who = await aPerson(testEnv.services);
      const { invite: made, token } = await invite(fixture.owner);
      const revoking = revokeInvite(testEnv.services, fixture.owner, {
        projectId: fixture.projectId,
        inviteId: made.id,
      });
      const [accepted] = await Promise.allSettled([accept(who, token), revoking]);
      const rows = await testEnv.sql('select used_by, revoked_at is not null as revoked from invite where id = ?', [
        made.id,
      ]);
      const isIn = accepted.status === 'fulfilled';
      expect(rows).toEqual([{ used_by: isIn ? who.userId : null, revoked: !isIn }]);
      expect(await roleOf(who)).toBe(isIn ? 'reviewer' : null);
    }
  });
});

describe('PM: who invites', () => {
  it('an owner alone creates, lists and revokes invites, of their own project', async () => {
    const { invite: made, token } = await invite(fixture.owner);
    const { projectId } = fixture;
    const attempts: ((who: MemberActor) => Promise<unknown>)[] = [
      (who) => invite(who),
      (who) => listInvites(testEnv.services, who, projectId),
      (who) => revokeInvite(testEnv.services, who, { projectId, inviteId: made.id }),
    ];
    for (const attempt of attempts) {
      for (const who of [fixture.supervisor, fixture.anna])
        await expect(attempt(who)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(attempt(guest)).rejects.toMatchObject({ code: 'not_found' });
    }
    const other = await createProjectFixture(testEnv.services);
    const foreign = revokeInvite(testEnv.services, other.owner, { projectId: other.projectId, inviteId: made.id });
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    expect(await open()).toEqual([made.id]);
    await revokeInvite(testEnv.services, fixture.owner, { projectId, inviteId: made.id });
    const told = await changes();
    await revokeInvite(testEnv.services, fixture.owner, { projectId, inviteId: made.id });
    expect(await changes()).toEqual(told);
    await expect(accept(guest, token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('an invite expires at its stated time, by the clock of the database', async () => {
    const { invite: made } = await invite(fixture.owner, { hours: 5 });
    expect(made.expiresAt.getTime() - made.createdAt.getTime()).toBe(5 * 3_600_000);
    const [view] = await listInvites(testEnv.services, fixture.owner, fixture.projectId);
    expect(view).toMatchObject({ by: { id: fixture.owner.userId }, invite: { role: 'reviewer' } });
  });
});

describe('RL4: invites of a project', () => {
  it('are limited to 20 an hour for all owners together, then refused with Retry-After', async () => {
    const { services, clock } = testEnv;
    await grantRole(services, fixture, { who: fixture.ben, role: 'owner' });
    for (let n = 0; n < 20; n += 1) await invite(n % 2 === 0 ? fixture.owner : fixture.ben);
    for (const who of [fixture.owner, fixture.ben]) {
      const refused = (await invite(who).catch((error: unknown) => error)) as Refusal;
      expect(refused.code).toBe('rate_limited');
      expect(refused.extras.retryAfter).toBeGreaterThan(150);
      expect(refused.extras.retryAfter).toBeLessThanOrEqual(180);
    }
    // Another project has its own limit, and a caller without the permission learns nothing of it.
    await createProjectFixture(services).then(({ owner, projectId }) =>
      createInvite(services, owner, { projectId, role: 'reviewer', address: null, hours: 1 }),
    );
    await expect(invite(fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(invite(guest)).rejects.toMatchObject({ code: 'not_found' });
    clock.pass(180_000);
    await invite(fixture.owner);
    await expect(invite(fixture.owner)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('are not used up by callers who may not invite', async () => {
    for (let n = 0; n < 25; n += 1) await expect(invite(fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    for (let n = 0; n < 20; n += 1) await invite(fixture.owner);
  });
});

describe('PM3: an opened invite', () => {
  const read = (who: MemberActor, token: string) => readInvite(testEnv.services, who, token);

  it('names the project, the role and who invites, and says what it would change for a member', async () => {
    const { token } = await invite(fixture.owner, { role: 'supervisor' });
    const { invitedBy, ...offered } = await read(guest, token);
    const project = { id: fixture.projectId, name: expect.any(String) as string };
    expect(offered).toEqual({ project, role: 'supervisor', member: null, acceptable: true });
    expect(invitedBy).toBe(displayName(fixture.owner));
    expect(await read(fixture.anna, token)).toMatchObject({ member: 'reviewer', acceptable: true });
    expect(await read(fixture.owner, token)).toMatchObject({ member: 'owner', acceptable: false });
    await accept(guest, token);
    // It is used up: who joined by it, or is a member anyway, is told so; nobody else learns anything.
    expect(await read(guest, token)).toMatchObject({ member: 'supervisor', acceptable: false });
    await expect(read(await aPerson(testEnv.services), token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tells nothing of one for another wallet, a revoked one, an unknown one, or of a deleted project', async () => {
    const other = await aPerson(testEnv.services);
    const { token: bound } = await invite(fixture.owner, { address: other.address });
    const { invite: made, token: revoked } = await invite(fixture.owner);
    await revokeInvite(testEnv.services, fixture.owner, { projectId: fixture.projectId, inviteId: made.id });
    for (const token of [bound, revoked, 'unknown', ''])
      await expect(read(guest, token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await read(other, bound)).toMatchObject({ acceptable: true });
    await testEnv.sql('update project set deleted_at = now() where id = ?', [fixture.projectId]);
    await expect(read(other, bound)).rejects.toMatchObject({ code: 'not_found' });
    await expect(read(fixture.owner, bound)).rejects.toMatchObject({ code: 'not_found' });
  });
});
