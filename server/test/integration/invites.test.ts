// Invites: one person, once, for the wallet they name, until they end; and one answer for everything else.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/words';
import { sha256Hex } from '../../src/crypto/tokens.ts';
import { acceptInvite } from '../../src/usecases/accept-invite.ts';
import { changeMember, removeMember } from '../../src/usecases/change-member.ts';
import { createInvite, revokeInvite } from '../../src/usecases/invites.ts';
import { listInvites } from '../../src/usecases/queries/list-invites.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { ledgerOf } from './looking.ts';
import { roleIn } from './offering.ts';
import { aPerson, aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
let guest: MemberActor;

beforeEach(async () => {
  scene = await aScene(world.services);
  guest = await aPerson(world.services);
});

const invite = (
  by: MemberActor,
  { role = 'reviewer', address = null, hours = 72 }: { role?: Role; address?: string | null; hours?: number } = {},
) => createInvite(world.services, by, { projectId: scene.projectId, role, address, hours });
const accept = (who: MemberActor, token: string) => acceptInvite(world.services, who, token);
const roleOf = (who: MemberActor) => roleIn(world, scene, who);
const open = async () => (await listInvites(world.services, scene.owner, scene.projectId)).map((one) => one.invite.id);
const changes = async () =>
  (await ledgerOf(world, scene.projectId))
    .filter(({ type }) => type === 'project.changed')
    .map(({ data }) => data.changed);

describe('PM3: an invite', () => {
  it('lets one person in with its role, is stored as a hash, and is over with that', async () => {
    const { invite: made, token } = await invite(scene.owner, { role: 'supervisor' });
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const rows = await world.sql<object>('select * from invite where id = ?', [made.id]);
    expect(rows).toEqual([expect.objectContaining({ token_hash: sha256Hex(token) })]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await open()).toEqual([made.id]);
    const { project, role } = await accept(guest, token);
    expect([project.id, role, await roleOf(guest)]).toEqual([scene.projectId, 'supervisor', 'supervisor']);
    expect(await open()).toEqual([]);
    expect((await changes()).slice(-2)).toEqual([['invites'], ['members']]);
    await expect(accept(await aPerson(world.services), token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of 50 who accept it at once lets one in', async () => {
    const { token } = await invite(scene.owner);
    const crowd = await Promise.all(Array.from({ length: 50 }, () => aPerson(world.services)));
    const results = await Promise.allSettled(crowd.map((who) => accept(who, token)));
    const inside = crowd.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(inside).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'not_found' });
    const roles = await Promise.all(crowd.map(roleOf));
    expect(roles.filter((role) => role !== null)).toEqual(['reviewer']);
  });

  it('that is unknown, used, revoked, over, for another wallet or of an archived project: one and the same answer', async () => {
    const place = await aScene(world.services);
    const archived = { projectId: place.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const tokens = {
      unknown: 'A'.repeat(43),
      empty: '',
      used: (await invite(scene.owner)).token,
      revoked: (await invite(scene.owner)).token,
      over: (await invite(scene.owner)).token,
      bound: (await invite(scene.owner, { address: scene.owner.address })).token,
      archived: (await createInvite(world.services, place.owner, archived)).token,
    };
    await accept(await aPerson(world.services), tokens.used);
    await world.sql('update invite set revoked_at = now() where token_hash = ?', [sha256Hex(tokens.revoked)]);
    await world.sql('update invite set expires_at = now() where token_hash = ?', [sha256Hex(tokens.over)]);
    await world.sql('update project set archived_at = now() where id = ?', [place.projectId]);
    const answers = await Promise.all(
      Object.values(tokens).map((token) => accept(guest, token).catch((error: unknown) => error)),
    );
    expect(answers[0]).toMatchObject({ code: 'not_found' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await roleOf(guest)).toBeNull();
  });

  it('for a wallet lets that one in', async () => {
    const { token } = await invite(scene.owner, { address: guest.address });
    expect(await accept(guest, token)).toMatchObject({ role: 'reviewer' });
    const nowhere = { code: 'validation_failed', extras: { errors: [{ pointer: '#/address' }] } };
    await expect(invite(scene.owner, { address: 'nowhere' })).rejects.toMatchObject(nowhere);
  });

  it.each<[Role, Role]>([
    ['reviewer', 'reviewer'],
    ['supervisor', 'reviewer'],
    ['owner', 'supervisor'],
  ])(
    'changes nothing for a member who is %s and is invited as %s: it stays for somebody else',
    async (has, invited) => {
      const member = { reviewer: scene.anna, supervisor: scene.supervisor, owner: scene.owner }[has];
      const { invite: made, token } = await invite(scene.owner, { role: invited });
      const before = await changes();
      expect(await accept(member, token)).toMatchObject({ role: has });
      expect([await roleOf(member), await open(), await changes()]).toEqual([has, [made.id], before]);
      expect(await accept(guest, token)).toMatchObject({ role: invited });
    },
  );

  it('raises the role of a member', async () => {
    const { token } = await invite(scene.owner, { role: 'owner' });
    expect(await accept(scene.anna, token)).toMatchObject({ role: 'owner' });
    expect(await roleOf(scene.anna)).toBe('owner');
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'is taken out',
      () => removeMember(world.services, scene.owner, { projectId: scene.projectId, userId: scene.ben.userId }),
    ],
    [
      'is no owner any more',
      () =>
        changeMember(world.services, scene.owner, {
          projectId: scene.projectId,
          userId: scene.ben.userId,
          role: 'supervisor',
          name: undefined,
        }),
    ],
  ])('ends with the right of whoever made it, who %s', async (_, fall) => {
    await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
    const [theirs, mine] = [await invite(scene.ben, { role: 'owner' }), await invite(scene.owner)];
    await fall();
    await expect(accept(scene.ben, theirs.token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await open()).toEqual([mine.invite.id]);
  });

  it('accepted and revoked at the same moment: one of them comes first, whole', async () => {
    for (let round = 0; round < 6; round += 1) {
      const who = await aPerson(world.services);
      const { invite: made, token } = await invite(scene.owner);
      const revoking = revokeInvite(world.services, scene.owner, { projectId: scene.projectId, inviteId: made.id });
      const [accepted] = await Promise.allSettled([accept(who, token), revoking]);
      const rows = await world.sql('select used_by, revoked_at is not null as revoked from invite where id = ?', [
        made.id,
      ]);
      const isIn = accepted.status === 'fulfilled';
      expect(rows).toEqual([{ used_by: isIn ? who.userId : null, revoked: !isIn }]);
      expect(await roleOf(who)).toBe(isIn ? 'reviewer' : null);
    }
  });
});

describe('PM: who invites', () => {
  it('an owner alone makes, sees and revokes invites, of their own project', async () => {
    const { invite: made, token } = await invite(scene.owner);
    const { projectId } = scene;
    const attempts: ((who: MemberActor) => Promise<unknown>)[] = [
      (who) => invite(who),
      (who) => listInvites(world.services, who, projectId),
      (who) => revokeInvite(world.services, who, { projectId, inviteId: made.id }),
    ];
    for (const attempt of attempts) {
      for (const who of [scene.supervisor, scene.anna])
        await expect(attempt(who)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(attempt(guest)).rejects.toMatchObject({ code: 'not_found' });
    }
    const other = await aScene(world.services);
    const foreign = revokeInvite(world.services, other.owner, { projectId: other.projectId, inviteId: made.id });
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
    expect(await open()).toEqual([made.id]);
    await revokeInvite(world.services, scene.owner, { projectId, inviteId: made.id });
    const told = await changes();
    await revokeInvite(world.services, scene.owner, { projectId, inviteId: made.id });
    expect(await changes()).toEqual(told);
    await expect(accept(guest, token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('an invite is good for as long as it says, by the clock of the database', async () => {
    const { invite: made } = await invite(scene.owner, { hours: 5 });
    expect(made.expiresAt.getTime() - made.createdAt.getTime()).toBe(5 * 3_600_000);
    const [view] = await listInvites(world.services, scene.owner, scene.projectId);
    expect(view).toMatchObject({ by: { id: scene.owner.userId }, invite: { role: 'reviewer' } });
  });
});

describe('RL4: invites of a project', () => {
  it('are 20 an hour, whoever of its owners makes them, and then it says when to come back', async () => {
    const { services, clock } = world;
    await letIn(services, scene, { who: scene.ben, role: 'owner' });
    for (let n = 0; n < 20; n += 1) await invite(n % 2 === 0 ? scene.owner : scene.ben);
    for (const who of [scene.owner, scene.ben]) {
      const refused = (await invite(who).catch((error: unknown) => error)) as Refusal;
      expect(refused.code).toBe('rate_limited');
      expect(refused.extras.retryAfter).toBeGreaterThan(150);
      expect(refused.extras.retryAfter).toBeLessThanOrEqual(180);
    }
    // Another project has its own, and nobody who may not invite learns of it.
    await aScene(services).then(({ owner, projectId }) =>
      createInvite(services, owner, { projectId, role: 'reviewer', address: null, hours: 1 }),
    );
    await expect(invite(scene.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(invite(guest)).rejects.toMatchObject({ code: 'not_found' });
    clock.pass(180_000);
    await invite(scene.owner);
    await expect(invite(scene.owner)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('are not used up by who may not invite', async () => {
    for (let n = 0; n < 25; n += 1) await expect(invite(scene.anna)).rejects.toMatchObject({ code: 'forbidden' });
    for (let n = 0; n < 20; n += 1) await invite(scene.owner);
  });
});
