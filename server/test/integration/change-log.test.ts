// The change log: every change of a project writes one line of who, when, before and after, with the change or not at all.
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '@countersign/shared/api/projects';
import type { Role } from '@countersign/shared/words';
import { displayName } from '../../src/domain/actor.ts';
import { acceptInvite } from '../../src/usecases/accept-invite.ts';
import { changeAccount } from '../../src/usecases/account.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { createApiKey, revokeApiKey } from '../../src/usecases/api-keys.ts';
import { changeMember, removeMember } from '../../src/usecases/change-member.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { createProject } from '../../src/usecases/create-project.ts';
import { createInboundSource, removeInboundSource } from '../../src/usecases/inbound-sources.ts';
import { createInvite, revokeInvite } from '../../src/usecases/invites.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { ledgerOf, linesOf } from './looking.ts';
import { aPerson, aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
let guest: MemberActor;

beforeEach(async () => {
  scene = await aScene(world.services);
  guest = await aPerson(world.services);
});

const here = () => ({ projectId: scene.projectId });
const seat = (who: MemberActor) => ({ ...here(), userId: who.userId });
const add = (who: MemberActor, role: Role = 'reviewer') =>
  addMember(world.services, scene.owner, { ...here(), address: who.address, role });
/** They may be added directly, and share a project with the owner. */
const allow = async (who: MemberActor) => {
  const other = await createProject(world.services, scene.owner, { name: 'Claims' });
  await letIn(world.services, { owner: scene.owner, projectId: other }, { who });
  await changeAccount(world.services, who, { directAdding: true });
};
const change = (by: MemberActor, who: MemberActor, to: { role?: Role; name?: string }) =>
  changeMember(world.services, by, { ...seat(who), role: undefined, name: undefined, ...to });
const remove = (by: MemberActor, who: MemberActor) => removeMember(world.services, by, seat(who));
const invite = (
  by = scene.owner,
  { role = 'reviewer', address = null }: { role?: Role; address?: string | null } = {},
) => createInvite(world.services, by, { ...here(), role, address, hours: 24 });
const key = () => createApiKey(world.services, scene.owner, { ...here(), name: 'Nightly' });
const revokeKey = (keyId: string) => revokeApiKey(world.services, scene.owner, { ...here(), keyId });
const source = () => createInboundSource(world.services, scene.owner, { ...here(), name: 'Mailbox' });
const settings = (changes: object, settingsVersion = 1, by = scene.owner) =>
  changeSettings(world.services, by, { ...here(), settingsVersion, changes });
const toldOf = async () =>
  (await ledgerOf(world, scene.projectId)).flatMap(({ type, data }) =>
    type === 'project.changed' ? [data.changed] : [],
  );

const anna = () => ({ subject: 'Anna', subject_id: scene.anna.userId });
const unnamed = () => ({ subject: displayName(guest), subject_id: guest.userId });
const RAISED = { before: { role: 'reviewer' }, after: { role: 'supervisor' } };
const NAMED = { before: { name: null }, after: { name: 'Gil' } };
const LAST4 = { last4: expect.stringMatching(/^.{4}$/) as string };

interface Case {
  /** What has to be there before; its result is handed to `act`. */
  given?: () => Promise<unknown>;
  act: (given: never) => Promise<unknown>;
  by?: () => MemberActor;
  line: () => {
    action: string;
    subject?: string | null;
    subject_id?: string;
    before?: object | null;
    after?: object | null;
  };
  told: string[];
}

const CASES: Record<string, Case> = {
  'settings change': {
    act: () => settings({ auto_threshold: 0.9, escalate_flags: ['fraud'], guidelines: 'Be kind.' }),
    line: () => ({
      action: 'settings.changed',
      subject: 'v2',
      before: { auto_threshold: 0.95, escalate_flags: ['escalate', 'legal', 'high_value'], guidelines: '' },
      after: { auto_threshold: 0.9, escalate_flags: ['fraud'], guidelines: 'Be kind.' },
    }),
    told: ['settings'],
  },
  'an owner adds somebody who allowed that': {
    given: () => allow(guest),
    act: () => add(guest),
    line: () => ({ action: 'member.joined', ...unnamed(), after: { role: 'reviewer' } }),
    told: ['members'],
  },
  'an owner gives a role': {
    act: () => change(scene.owner, scene.anna, { role: 'supervisor' }),
    line: () => ({ action: 'member.changed', ...anna(), ...RAISED }),
    told: ['members'],
  },
  'an owner adds a member with another role': {
    act: () => add(scene.anna, 'supervisor'),
    line: () => ({ action: 'member.changed', ...anna(), ...RAISED }),
    told: ['members'],
  },
  'an owner takes a role from who had made invites and offers': {
    given: async () => {
      await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
      await invite(scene.ben);
      await invite(scene.ben);
      await addMember(world.services, scene.ben, { ...here(), address: guest.address, role: 'owner' });
    },
    act: () => change(scene.owner, scene.ben, { role: 'supervisor' }),
    line: () => ({
      action: 'member.changed',
      subject: 'Ben',
      subject_id: scene.ben.userId,
      before: { role: 'owner' },
      after: { role: 'supervisor', invites_revoked: 2, offers_revoked: 1 },
    }),
    told: ['members', 'invites', 'offers'],
  },
  'a member names themself': {
    given: () => letIn(world.services, scene, { who: guest }),
    by: () => guest,
    act: () => change(guest, guest, { name: 'Gil' }),
    line: () => ({ action: 'member.changed', ...unnamed(), ...NAMED }),
    told: ['members'],
  },
  'somebody renames themself': {
    by: () => scene.anna,
    act: () => change(scene.anna, scene.anna, { name: 'Anne' }),
    line: () => ({ action: 'member.changed', ...anna(), before: { name: 'Anna' }, after: { name: 'Anne' } }),
    told: ['members'],
  },
  'an owner takes somebody out': {
    act: () => remove(scene.owner, scene.anna),
    line: () => ({ action: 'member.left', ...anna(), before: { role: 'reviewer' } }),
    told: ['members'],
  },
  'somebody leaves': {
    by: () => scene.anna,
    act: () => remove(scene.anna, scene.anna),
    line: () => ({ action: 'member.left', ...anna(), before: { role: 'reviewer' } }),
    told: ['members'],
  },
  'an owner invites': {
    act: () => invite(),
    line: () => ({ action: 'invite.made', after: { role: 'reviewer', address: null, hours: 24 } }),
    told: ['invites'],
  },
  'an owner invites a wallet': {
    act: () => invite(scene.owner, { address: guest.address }),
    line: () => ({
      action: 'invite.made',
      subject: displayName(guest),
      after: { role: 'reviewer', address: guest.address, hours: 24 },
    }),
    told: ['invites'],
  },
  'an owner revokes an invite': {
    given: async () => (await invite()).invite.id,
    act: (inviteId: string) => revokeInvite(world.services, scene.owner, { ...here(), inviteId }),
    line: () => ({ action: 'invite.revoked', before: { role: 'reviewer', address: null } }),
    told: ['invites'],
  },
  'somebody joins by an invite': {
    given: async () => (await invite()).token,
    by: () => guest,
    act: (token: string) => acceptInvite(world.services, guest, token),
    line: () => ({ action: 'member.joined', ...unnamed(), after: { role: 'reviewer', by_invite_of: 'Olga' } }),
    told: ['members'],
  },
  'a member is raised by an invite': {
    given: async () => (await invite(scene.owner, { role: 'supervisor' })).token,
    by: () => scene.anna,
    act: (token: string) => acceptInvite(world.services, scene.anna, token),
    line: () => ({
      action: 'member.changed',
      ...anna(),
      before: { role: 'reviewer' },
      after: { role: 'supervisor', by_invite_of: 'Olga' },
    }),
    told: ['members'],
  },
  'a key is made': {
    act: () => key(),
    line: () => ({ action: 'key.made', subject: 'Nightly', after: LAST4 }),
    told: ['keys'],
  },
  'a key is revoked': {
    given: async () => (await key()).key.id,
    act: revokeKey,
    line: () => ({ action: 'key.revoked', subject: 'Nightly', before: LAST4 }),
    told: ['keys'],
  },
  'a source is made': {
    act: () => source(),
    line: () => ({ action: 'source.made', subject: 'Mailbox' }),
    told: ['sources'],
  },
  'a source is removed': {
    given: async () => (await source()).source.id,
    act: (sourceId: string) => removeInboundSource(world.services, scene.owner, { ...here(), sourceId }),
    line: () => ({ action: 'source.removed', subject: 'Mailbox' }),
    told: ['sources'],
  },
};

describe('CL1: one line of who, when, before and after, and one fact', () => {
  it.each(Object.entries(CASES))('%s', async (_, { given, act, by = () => scene.owner, line, told }) => {
    const made = (await given?.()) as never;
    const [lines, facts] = [await linesOf(world, scene.projectId), await toldOf()];
    world.clock.pass(60_000);
    const from = world.clock.now();
    await act(made);
    const [now, ...others] = (await linesOf(world, scene.projectId)).slice(lines.length);
    const who = { changed_by: by().userId, changed_by_name: displayName(by()) };
    const named = /^(key|source|invite)/.test(now?.action ?? '');
    const nothing = {
      subject: null,
      subject_id: named ? (expect.any(String) as string) : null,
      before: null,
      after: null,
    };
    expect(now).toEqual({ ...nothing, ...line(), ...who, changed_at: now?.changed_at });
    expect(now?.changed_at.getTime()).toBeGreaterThanOrEqual(from.getTime());
    expect(now?.changed_at.getTime()).toBeLessThanOrEqual(world.clock.now().getTime());
    expect(others).toEqual([]);
    expect(await toldOf()).toEqual([...facts, told]);
  });

  it('a new project begins its log with all it was made with', async () => {
    const projectId = await createProject(world.services, guest, { name: 'Claims', audit_rate: 0.5 });
    expect(await linesOf(world, projectId)).toEqual([
      {
        action: 'project.created',
        subject: null,
        subject_id: null,
        before: null,
        after: { ...DEFAULT_SETTINGS, name: 'Claims', audit_rate: 0.5 },
        changed_by: guest.userId,
        changed_by_name: displayName(guest),
        changed_at: expect.any(Date) as Date,
      },
    ]);
    const facts = (await ledgerOf(world, projectId)).map(({ data }) => [data.changed, data.settings_version]);
    expect(facts).toEqual([[['created', 'members'], 1]]);
  });
});
