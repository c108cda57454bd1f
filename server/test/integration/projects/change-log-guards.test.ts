// Tests the change log as a whole: refused changes add no entry, entries never change, and it has no secret.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/crypto/tokens.ts';
import { displayName } from '../../../src/domain/access/actor.ts';
import { User } from '../../../src/db/entities/user.ts';
import { acceptInvite, createInvite, revokeInvite } from '../../../src/usecases/access/invites.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { createInboundSource, removeInboundSource } from '../../../src/usecases/credentials/inbound-sources.ts';
import { acceptOffer, declineOffer, revokeOffer } from '../../../src/usecases/access/offers.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { joinDemo, seedDemo } from '../../../src/usecases/projects/seed-demo.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { eventLogOf, changeLogOf } from '../support/database-helpers.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const SOURCES = join(import.meta.dirname, '../../../src');

const testEnv = useServices();
let fixture: ProjectFixture;
let guest: MemberActor;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
  guest = await aPerson(testEnv.services);
});

const here = () => ({ projectId: fixture.projectId });
const memberKey = (who: MemberActor) => ({ ...here(), userId: who.userId, role: undefined, name: undefined });
const rename = (by: MemberActor, who: MemberActor, name: string) =>
  changeMember(testEnv.services, by, { ...memberKey(who), name });
const changeTarget = (target_minutes: number, by = fixture.owner, settingsVersion = 1) =>
  changeSettings(testEnv.services, by, { ...here(), settingsVersion, changes: { target_minutes } });
const key = (by = fixture.owner, name = 'Nightly') => createApiKey(testEnv.services, by, { ...here(), name });
const invite = (by = fixture.owner, address: string | null = null) =>
  createInvite(testEnv.services, by, { ...here(), role: 'reviewer', address, hours: 24 });
const add = (who: MemberActor, by = fixture.owner) =>
  addMember(testEnv.services, by, { ...here(), address: who.address, role: 'reviewer' });

/** Makes the database refuse rows of this project in the table; the returned function ends that. */
async function refuseRows(table: string, projectId: string): Promise<() => Promise<void>> {
  await testEnv.sql(`create function refuse_row() returns trigger language plpgsql as
    $$ begin if new.project_id = '${projectId}' then raise exception 'refused by the test'; end if; return new; end $$`);
  await testEnv.sql(`create trigger refuse_row before insert on ${table} for each row execute function refuse_row()`);
  return async () => void (await testEnv.sql('drop function refuse_row cascade'));
}

describe('CL1: no entry without a change', () => {
  it('a refused change adds none', async () => {
    const before = await changeLogOf(testEnv, fixture.projectId);
    const { services } = testEnv;
    const { owner, anna, ben } = fixture;
    const refused: [string, () => Promise<unknown>][] = [
      ['stale_settings', () => changeTarget(5, owner, 7)],
      ['forbidden', () => changeTarget(5, anna)],
      ['not_found', () => changeTarget(5, guest)],
      [
        'validation_failed',
        () => changeSettings(services, owner, { ...here(), settingsVersion: 1, changes: { auto_threshold: 0.1 } }),
      ],
      ['forbidden', () => key(anna)],
      ['not_found', () => revokeApiKey(services, owner, { ...here(), keyId: guest.userId })],
      ['forbidden', () => createInboundSource(services, anna, { ...here(), name: 'Mailbox' })],
      ['forbidden', () => invite(anna)],
      ['validation_failed', () => invite(owner, 'nowhere')],
      ['not_found', () => acceptInvite(services, guest, 'A'.repeat(43))],
      ['forbidden', () => add(guest, anna)],
      ['not_found', () => acceptOffer(services, guest, guest.userId)],
      ['not_found', () => declineOffer(services, guest, guest.userId)],
      ['not_found', () => revokeOffer(services, owner, { ...here(), offerId: guest.userId })],
      ['forbidden', () => rename(owner, ben, 'Benno')],
      ['forbidden', () => removeMember(services, anna, memberKey(ben))],
      ['forbidden', () => removeMember(services, owner, memberKey(owner))],
      ['validation_failed', () => changeMember(services, owner, { ...memberKey(owner), role: 'reviewer' })],
      // The name is refused, so the role does not change either.
      ['forbidden', () => changeMember(services, owner, { ...memberKey(ben), role: 'owner', name: 'Benno' })],
    ];
    for (const [code, attempt] of refused) await expect(attempt(), String(attempt)).rejects.toMatchObject({ code });
    expect(await changeLogOf(testEnv, fixture.projectId)).toEqual(before);
  });

  it('a change of nothing writes no entry and no event', async () => {
    const { token } = await invite();
    const { key: made } = await key();
    await revokeApiKey(testEnv.services, fixture.owner, { ...here(), keyId: made.id });
    const before = [await changeLogOf(testEnv, fixture.projectId), await eventLogOf(testEnv, fixture.projectId)];
    await changeTarget(60);
    await add(fixture.anna);
    await rename(fixture.anna, fixture.anna, 'Anna');
    await changeMember(testEnv.services, fixture.owner, { ...memberKey(fixture.anna), role: 'reviewer' });
    await acceptInvite(testEnv.services, fixture.anna, token);
    await revokeApiKey(testEnv.services, fixture.owner, { ...here(), keyId: made.id });
    expect([await changeLogOf(testEnv, fixture.projectId), await eventLogOf(testEnv, fixture.projectId)]).toEqual(
      before,
    );
  });

  it.each(['project_change', 'event'])('a change whose row in %s cannot be written is rolled back', async (table) => {
    const before = await changeLogOf(testEnv, fixture.projectId);
    const release = await refuseRows(table, fixture.projectId);
    const { services } = testEnv;
    const attempts = {
      settings: () => changeTarget(5),
      key: () => key(),
      source: () => createInboundSource(services, fixture.owner, { ...here(), name: 'Mailbox' }),
      invite: () => invite(),
      offer: () => add(guest),
      name: () => rename(fixture.anna, fixture.anna, 'Anne'),
      leaving: () => removeMember(services, fixture.anna, memberKey(fixture.anna)),
    };
    for (const [name, attempt] of Object.entries(attempts))
      await expect(attempt(), name).rejects.toMatchObject({
        message: expect.stringContaining('refused by the test') as string,
      });
    await release();
    expect(await changeLogOf(testEnv, fixture.projectId)).toEqual(before);
    const counts = await testEnv.sql(
      `select p.settings_version::int as version,
         (select count(*)::int from api_key where project_id = p.id) as keys,
         (select count(*)::int from inbound_source where project_id = p.id) as sources,
         (select count(*)::int from invite where project_id = p.id) as invites,
         (select count(*)::int from offer where project_id = p.id) as offers,
         (select count(*)::int from member where project_id = p.id) as members,
         (select name from app_user where id = ?) as name
       from project p where p.id = ?`,
      [fixture.anna.userId, fixture.projectId],
    );
    expect(counts).toEqual([{ version: 1, keys: 1, sources: 0, invites: 0, offers: 0, members: 4, name: 'Anna' }]);
  });

  it('one of ten owners’ changes on one version succeeds, and writes one entry', async () => {
    const before = await changeLogOf(testEnv, fixture.projectId);
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => changeTarget(100 + index)));
    const won = results.findIndex(({ status }) => status === 'fulfilled');
    const lines = (await changeLogOf(testEnv, fixture.projectId)).slice(before.length);
    expect(lines.map(({ before: from, after }) => [from, after])).toEqual([
      [{ target_minutes: 60 }, { target_minutes: 100 + won }],
    ]);
  });
});

describe('CL1: an entry never changes', () => {
  it('an entry shows a person under their name of that time', async () => {
    await grantRole(testEnv.services, fixture, { who: fixture.anna, role: 'owner' });
    await changeTarget(5, fixture.anna);
    await rename(fixture.anna, fixture.anna, 'Anne');
    const lines = (await changeLogOf(testEnv, fixture.projectId)).slice(-2);
    expect(lines.map(({ subject, changed_by_name }) => [subject, changed_by_name])).toEqual([
      ['v2', 'Anna'],
      ['Anna', 'Anna'],
    ]);
  });

  it('a change of role and name adds two entries', async () => {
    await grantRole(testEnv.services, fixture, { who: guest, role: 'owner' });
    await changeMember(testEnv.services, guest, { ...memberKey(guest), role: 'supervisor', name: 'Gil' });
    const lines = (await changeLogOf(testEnv, fixture.projectId)).slice(-2);
    expect(lines.map(({ subject, after }) => [subject, after])).toEqual([
      [displayName(guest), { name: 'Gil' }],
      ['Gil', { role: 'supervisor' }],
    ]);
  });

  it('the log has the actions of the demo: keys created at a start, and sign-ins', async () => {
    const seed = { name: 'Demo', webhookUrl: 'http://127.0.0.1:4001/hook', settings: {} };
    const { projectId } = await seedDemo(testEnv.services, seed);
    await seedDemo(testEnv.services, { ...seed, webhookUrl: 'http://127.0.0.1:4002/hook' });
    const user = await testEnv.services.db.read((em) => em.findOneOrFail(User, { id: guest.userId }));
    for (let times = 0; times < 2; times += 1)
      await testEnv.services.db.write((tx) => joinDemo(testEnv.services, tx, user));
    const lines = (await changeLogOf(testEnv, projectId)).map(({ action, changed_by_name }) => [
      action,
      changed_by_name,
    ]);
    expect(lines).toEqual([
      ['project.created', 'Demo host'],
      ['key.made', 'Demo host'],
      ['settings.changed', 'Demo host'],
      ['key.revoked', 'Demo host'],
      ['key.made', 'Demo host'],
      ['member.joined', displayName(guest)],
    ]);
  });
});

/** Everything people and pipelines were ever shown of this project, and what is stored of it. */
async function everySecret(): Promise<string[]> {
  const { services } = testEnv;
  const { owner } = fixture;
  const made = await key();
  await revokeApiKey(services, owner, { ...here(), keyId: made.key.id });
  const source = await createInboundSource(services, owner, { ...here(), name: 'Mailbox' });
  await removeInboundSource(services, owner, { ...here(), sourceId: source.source.id });
  const [used, revoked] = [await invite(), await invite(owner, fixture.ben.address)];
  await acceptInvite(services, guest, used.token);
  await revokeInvite(services, owner, { ...here(), inviteId: revoked.invite.id });
  await rename(guest, guest, 'Gil');
  await removeMember(services, guest, memberKey(guest));
  await changeTarget(5);
  const rotations = [await rotateWebhookSecret(services, owner, { projectId: fixture.projectId })];
  rotations.push(await rotateWebhookSecret(services, owner, { projectId: fixture.projectId }));
  await promoteWebhookSecret(services, owner, fixture);
  const encrypted = await testEnv.sql<Record<string, string | null>>(
    `select e.current, e.next, e.previous, s.secret, k.hash from webhook_endpoint e
     join inbound_source s on s.project_id = e.project_id join api_key k on k.project_id = e.project_id where e.project_id = ?`,
    [fixture.projectId],
  );
  const shown = [made.text, source.secret, used.token, revoked.token, ...rotations.map(({ secret }) => secret)];
  const stored = encrypted.flatMap((row) => Object.values(row)).filter((text) => text !== null);
  return [...shown, ...shown.map(sha256Hex), ...stored];
}

/** Long enough to be useful to an attacker, short enough to find a truncated secret. */
const PIECE = 12;

describe('CL2: no secret', () => {
  it('no entry has a secret, a part or a hash of one, after every kind of change', async () => {
    const secrets = await everySecret();
    const rows = await testEnv.sql<object>('select * from project_change where project_id = ?', [fixture.projectId]);
    const log = JSON.stringify(rows);
    expect(secrets.length).toBeGreaterThan(12);
    for (const secret of secrets) {
      const bare = secret.replace(/^(csk|whsec)_/, '');
      for (let at = 0; at + PIECE <= bare.length; at += 1) expect(log).not.toContain(bare.slice(at, at + PIECE));
    }
  });
});

describe('CL2: append-only', () => {
  it('no code changes or deletes an entry, except for erased people (KE6) and long-deleted projects (KE7)', () => {
    const sources = globSync('**/*.ts', { cwd: SOURCES, exclude: ['db/migrations/**'] });
    expect(sources).toContain('db/record-change.ts');
    const texts = sources.map((file) => [file, readFileSync(join(SOURCES, file), 'utf8')] as const);
    const touching = /(update|delete from|truncate)\s+"?project_change|native(Update|Delete)\(\s*ProjectChange/i;
    const changing = texts.filter(([, text]) => touching.test(text)).map(([file]) => file);
    expect(changing.sort()).toEqual(['db/retention/pseudonymize-user.ts', 'db/retention/purge-project.ts']);
    const inserting = texts.filter(([, text]) => /insert\(\s*ProjectChange/.test(text)).map(([file]) => file);
    expect(inserting).toEqual(['db/record-change.ts']);
  });
});
