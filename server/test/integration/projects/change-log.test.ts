// Tests that every change of a project writes one entry: who, when, before and after, in the same transaction.
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { Role } from '@countersign/shared/enums';
import { displayName } from '../../../src/domain/access/actor.ts';
import { acceptInvite, createInvite, revokeInvite } from '../../../src/usecases/access/invites.ts';
import { changeAccount } from '../../../src/usecases/access/account.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { createInboundSource, removeInboundSource } from '../../../src/usecases/credentials/inbound-sources.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = await aPerson(testEnv.services);
});

const here = () => ({ projectId: fixture.projectId });
const memberKey = (who: MemberActor) => ({ ...here(), userId: who.userId });
const add = (who: MemberActor, role: Role = 'reviewer') =>
  addMember(testEnv.services, fixture.owner, { ...here(), address: who.address, role });
/** They allow direct adding, and share a project with the owner. */
const allow = async (who: MemberActor) => {
  const other = await createProject(testEnv.services, fixture.owner, { name: 'Claims' });
  await grantRole(testEnv.services, { owner: fixture.owner, projectId: other }, { who });
  await changeAccount(testEnv.services, who, { directAdding: true });
};
const change = (by: MemberActor, who: MemberActor, to: { role?: Role; name?: string }) =>
  changeMember(testEnv.services, by, { ...memberKey(who), role: undefined, name: undefined, ...to });
const remove = (by: MemberActor, who: MemberActor) => removeMember(testEnv.services, by, memberKey(who));
const invite = (
  by = fixture.owner,
  { role = 'reviewer', address = null }: { role?: Role; address?: string | null } = {},
) => createInvite(testEnv.services, by, { ...here(), role, address, hours: 24 });
const key = () => createApiKey(testEnv.services, fixture.owner, { ...here(), name: 'Nightly' });
const revokeKey = (keyId: string) => revokeApiKey(testEnv.services, fixture.owner, { ...here(), keyId });
const source = () => createInboundSource(testEnv.services, fixture.owner, { ...here(), name: 'Mailbox' });
const settings = (changes: object, settingsVersion = 1, by = fixture.owner) =>
  changeSettings(testEnv.services, by, { ...here(), settingsVersion, changes });
const settingEvents = async () =>
  (await eventLogOf(testEnv, fixture.projectId)).flatMap(({ type, data }) =>
    type === 'project.changed' ? [data.changed] : [],
  );

const anna = () => ({ subject: 'Anna', subject_id: fixture.anna.userId });
const unnamed = () => ({ subject: displayName(guest), subject_id: guest.userId });
const RAISED = { before: { role: 'reviewer' }, after: { role: 'supervisor' } };
const NAMED = { before: { name: null }, after: { name: 'Gil' } };
const LAST4 = { last4: expect.stringMatching(/^.{4}$/) as string };

interface Case {
  /** What must exist before; its result is passed to `act`. */
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
  'an owner adds a person who allowed that': {
    given: () => allow(guest),
    act: () => add(guest),
    line: () => ({ action: 'member.joined', ...unnamed(), after: { role: 'reviewer' } }),
    told: ['members'],
  },
  'an owner assigns a role': {
    act: () => change(fixture.owner, fixture.anna, { role: 'supervisor' }),
    line: () => ({ action: 'member.changed', ...anna(), ...RAISED }),
    told: ['members'],
  },
  'an owner adds a member with another role': {
    act: () => add(fixture.anna, 'supervisor'),
    line: () => ({ action: 'member.changed', ...anna(), ...RAISED }),
    told: ['members'],
  },
  'an owner lowers the role of a member with invites and offers': {
    given: async () => {
      await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
      await invite(fixture.ben);
      await invite(fixture.ben);
      await addMember(testEnv.services, fixture.ben, { ...here(), address: guest.address, role: 'owner' });
    },
    act: () => change(fixture.owner, fixture.ben, { role: 'supervisor' }),
    line: () => ({
      action: 'member.changed',
      subject: 'Ben',
      subject_id: fixture.ben.userId,
      before: { role: 'owner' },
      after: { role: 'supervisor', invites_revoked: 2, offers_revoked: 1 },
    }),
    told: ['members', 'invites', 'offers'],
  },
  'a member names themself': {
    given: () => grantRole(testEnv.services, fixture, { who: guest }),
    by: () => guest,
    act: () => change(guest, guest, { name: 'Gil' }),
    line: () => ({ action: 'member.changed', ...unnamed(), ...NAMED }),
    told: ['members'],
  },
  'a member renames themself': {
    by: () => fixture.anna,
    act: () => change(fixture.anna, fixture.anna, { name: 'Anne' }),
    line: () => ({ action: 'member.changed', ...anna(), before: { name: 'Anna' }, after: { name: 'Anne' } }),
    told: ['members'],
  },
  'an owner removes a member': {
    act: () => remove(fixture.owner, fixture.anna),
    line: () => ({ action: 'member.left', ...anna(), before: { role: 'reviewer' } }),
    told: ['members'],
  },
  'somebody leaves': {
    by: () => fixture.anna,
    act: () => remove(fixture.anna, fixture.anna),
    line: () => ({ action: 'member.left', ...anna(), before: { role: 'reviewer' } }),
    told: ['members'],
  },
  'an owner invites': {
    act: () => invite(),
    line: () => ({ action: 'invite.made', after: { role: 'reviewer', address: null, hours: 24 } }),
    told: ['invites'],
  },
  'an owner invites a wallet': {
    act: () => invite(fixture.owner, { address: guest.address }),
    line: () => ({
      action: 'invite.made',
      subject: displayName(guest),
      after: { role: 'reviewer', address: guest.address, hours: 24 },
    }),
    told: ['invites'],
  },
  'an owner revokes an invite': {
    given: async () => (await invite()).invite.id,
    act: (inviteId: string) => revokeInvite(testEnv.services, fixture.owner, { ...here(), inviteId }),
    line: () => ({ action: 'invite.revoked', before: { role: 'reviewer', address: null } }),
    told: ['invites'],
  },
  'a person joins by an invite': {
    given: async () => (await invite()).token,
    by: () => guest,
    act: (token: string) => acceptInvite(testEnv.services, guest, token),
    line: () => ({ action: 'member.joined', ...unnamed(), after: { role: 'reviewer', by_invite_of: 'Olga' } }),
    told: ['members'],
  },
  'a member’s role is raised by an invite': {
    given: async () => (await invite(fixture.owner, { role: 'supervisor' })).token,
    by: () => fixture.anna,
    act: (token: string) => acceptInvite(testEnv.services, fixture.anna, token),
    line: () => ({
      action: 'member.changed',
      ...anna(),
      before: { role: 'reviewer' },
      after: { role: 'supervisor', by_invite_of: 'Olga' },
    }),
    told: ['members'],
  },
  'a key is created': {
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
  'a source is created': {
    act: () => source(),
    line: () => ({ action: 'source.made', subject: 'Mailbox' }),
    told: ['sources'],
  },
  'a source is removed': {
    given: async () => (await source()).source.id,
    act: (sourceId: string) => removeInboundSource(testEnv.services, fixture.owner, { ...here(), sourceId }),
    line: () => ({ action: 'source.removed', subject: 'Mailbox' }),
    told: ['sources'],
  },
};

describe('CL1: one entry with who, when, before and after, and one event', () => {
  it.each(Object.entries(CASES))(
    'logs %s with who, when, before and after, and one event',
    async (_, { given, act, by = () => fixture.owner, line, told }) => {
      const made = (await given?.()) as never;
      const [lines, events] = [await changeLogOf(testEnv, fixture.projectId), await settingEvents()];
      testEnv.clock.pass(60_000);
      const from = testEnv.clock.now();
      await act(made);
      const [now, ...others] = (await changeLogOf(testEnv, fixture.projectId)).slice(lines.length);
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
      expect(now?.changed_at.getTime()).toBeLessThanOrEqual(testEnv.clock.now().getTime());
      expect(others).toEqual([]);
      expect(await settingEvents()).toEqual([...events, told]);
    },
  );

  it('a new project starts its log with all it was created with', async () => {
    const projectId = await createProject(testEnv.services, guest, { name: 'Claims', audit_rate: 0.5 });
    expect(await changeLogOf(testEnv, projectId)).toEqual([
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
    const events = (await eventLogOf(testEnv, projectId)).map(({ data }) => [data.changed, data.settings_version]);
    expect(events).toEqual([[['created', 'members'], 1]]);
  });
});
