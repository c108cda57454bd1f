// The change log beyond single lines: what is refused or fails leaves none, what was written stays, and no secret is in it.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/crypto/tokens.ts';
import { displayName } from '../../src/domain/actor.ts';
import { User } from '../../src/db/entities/user.ts';
import { acceptInvite } from '../../src/usecases/accept-invite.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { createApiKey, revokeApiKey } from '../../src/usecases/api-keys.ts';
import { changeMember, removeMember } from '../../src/usecases/change-member.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { createInboundSource, removeInboundSource } from '../../src/usecases/inbound-sources.ts';
import { createInvite, revokeInvite } from '../../src/usecases/invites.ts';
import { acceptOffer, declineOffer, revokeOffer } from '../../src/usecases/offers.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../src/usecases/rotate-webhook-secret.ts';
import { joinDemo, seedDemo } from '../../src/usecases/seed-demo.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { ledgerOf, linesOf } from './looking.ts';
import { aPerson, aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const SOURCES = join(import.meta.dirname, '../../src');

const world = useServices();
let scene: Scene;
let guest: MemberActor;

beforeEach(async () => {
  scene = await aScene(world.services);
  guest = await aPerson(world.services);
});

const here = () => ({ projectId: scene.projectId });
const seat = (who: MemberActor) => ({ ...here(), userId: who.userId, role: undefined, name: undefined });
const rename = (by: MemberActor, who: MemberActor, name: string) =>
  changeMember(world.services, by, { ...seat(who), name });
const retarget = (target_minutes: number, by = scene.owner, settingsVersion = 1) =>
  changeSettings(world.services, by, { ...here(), settingsVersion, changes: { target_minutes } });
const key = (by = scene.owner, name = 'Nightly') => createApiKey(world.services, by, { ...here(), name });
const invite = (by = scene.owner, address: string | null = null) =>
  createInvite(world.services, by, { ...here(), role: 'reviewer', address, hours: 24 });
const add = (who: MemberActor, by = scene.owner) =>
  addMember(world.services, by, { ...here(), address: who.address, role: 'reviewer' });

/** From now on the database takes no row of this project into the table; the answer ends that. */
async function refuseRows(table: string, projectId: string): Promise<() => Promise<void>> {
  await world.sql(`create function refuse_row() returns trigger language plpgsql as
    $$ begin if new.project_id = '${projectId}' then raise exception 'refused by the test'; end if; return new; end $$`);
  await world.sql(`create trigger refuse_row before insert on ${table} for each row execute function refuse_row()`);
  return async () => void (await world.sql('drop function refuse_row cascade'));
}

describe('CL1: no line without a change', () => {
  it('what is refused leaves none', async () => {
    const before = await linesOf(world, scene.projectId);
    const { services } = world;
    const { owner, anna, ben } = scene;
    const refused: [string, () => Promise<unknown>][] = [
      ['stale_settings', () => retarget(5, owner, 7)],
      ['forbidden', () => retarget(5, anna)],
      ['not_found', () => retarget(5, guest)],
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
      ['forbidden', () => removeMember(services, anna, seat(ben))],
      ['forbidden', () => removeMember(services, owner, seat(owner))],
      ['validation_failed', () => changeMember(services, owner, { ...seat(owner), role: 'reviewer' })],
      // The name is refused, so the role is not given either.
      ['forbidden', () => changeMember(services, owner, { ...seat(ben), role: 'owner', name: 'Benno' })],
    ];
    for (const [code, attempt] of refused) await expect(attempt(), String(attempt)).rejects.toMatchObject({ code });
    expect(await linesOf(world, scene.projectId)).toEqual(before);
  });

  it('what changes nothing leaves none, and is not told either', async () => {
    const { token } = await invite();
    const { key: made } = await key();
    await revokeApiKey(world.services, scene.owner, { ...here(), keyId: made.id });
    const before = [await linesOf(world, scene.projectId), await ledgerOf(world, scene.projectId)];
    await retarget(60);
    await add(scene.anna);
    await rename(scene.anna, scene.anna, 'Anna');
    await changeMember(world.services, scene.owner, { ...seat(scene.anna), role: 'reviewer' });
    await acceptInvite(world.services, scene.anna, token);
    await revokeApiKey(world.services, scene.owner, { ...here(), keyId: made.id });
    expect([await linesOf(world, scene.projectId), await ledgerOf(world, scene.projectId)]).toEqual(before);
  });

  it.each(['project_change', 'event'])('a change whose row in %s cannot be written is not made', async (table) => {
    const before = await linesOf(world, scene.projectId);
    const release = await refuseRows(table, scene.projectId);
    const { services } = world;
    const attempts = {
      settings: () => retarget(5),
      key: () => key(),
      source: () => createInboundSource(services, scene.owner, { ...here(), name: 'Mailbox' }),
      invite: () => invite(),
      offer: () => add(guest),
      name: () => rename(scene.anna, scene.anna, 'Anne'),
      leaving: () => removeMember(services, scene.anna, seat(scene.anna)),
    };
    for (const [name, attempt] of Object.entries(attempts))
      await expect(attempt(), name).rejects.toMatchObject({
        message: expect.stringContaining('refused by the test') as string,
      });
    await release();
    expect(await linesOf(world, scene.projectId)).toEqual(before);
    const counts = await world.sql(
      `select p.settings_version::int as version,
         (select count(*)::int from api_key where project_id = p.id) as keys,
         (select count(*)::int from inbound_source where project_id = p.id) as sources,
         (select count(*)::int from invite where project_id = p.id) as invites,
         (select count(*)::int from offer where project_id = p.id) as offers,
         (select count(*)::int from member where project_id = p.id) as members,
         (select name from app_user where id = ?) as name
       from project p where p.id = ?`,
      [scene.anna.userId, scene.projectId],
    );
    expect(counts).toEqual([{ version: 1, keys: 1, sources: 0, invites: 0, offers: 0, members: 4, name: 'Anna' }]);
  });

  it('of ten owners’ changes on one version one counts, and one line is written', async () => {
    const before = await linesOf(world, scene.projectId);
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => retarget(100 + index)));
    const won = results.findIndex(({ status }) => status === 'fulfilled');
    const lines = (await linesOf(world, scene.projectId)).slice(before.length);
    expect(lines.map(({ before: from, after }) => [from, after])).toEqual([
      [{ target_minutes: 60 }, { target_minutes: 100 + won }],
    ]);
  });
});

describe('CL1: what was done stays as it was written', () => {
  it('a name is the one of that time', async () => {
    await letIn(world.services, scene, { who: scene.anna, role: 'owner' });
    await retarget(5, scene.anna);
    await rename(scene.anna, scene.anna, 'Anne');
    const lines = (await linesOf(world, scene.projectId)).slice(-2);
    expect(lines.map(({ subject, changed_by_name }) => [subject, changed_by_name])).toEqual([
      ['v2', 'Anna'],
      ['Anna', 'Anna'],
    ]);
  });

  it('a role and a name given in one change are two lines', async () => {
    await letIn(world.services, scene, { who: guest, role: 'owner' });
    await changeMember(world.services, guest, { ...seat(guest), role: 'supervisor', name: 'Gil' });
    const lines = (await linesOf(world, scene.projectId)).slice(-2);
    expect(lines.map(({ subject, after }) => [subject, after])).toEqual([
      [displayName(guest), { name: 'Gil' }],
      ['Gil', { role: 'supervisor' }],
    ]);
  });

  it('the demo’s own doings are in it: keys made anew at a start, and who signs in', async () => {
    const seed = { name: 'Demo', webhookUrl: 'http://127.0.0.1:4001/hook', settings: {} };
    const { projectId } = await seedDemo(world.services, seed);
    await seedDemo(world.services, { ...seed, webhookUrl: 'http://127.0.0.1:4002/hook' });
    const user = await world.services.db.read((em) => em.findOneOrFail(User, { id: guest.userId }));
    for (let times = 0; times < 2; times += 1)
      await world.services.db.write((tx) => joinDemo(world.services, tx, user));
    const lines = (await linesOf(world, projectId)).map(({ action, changed_by_name }) => [action, changed_by_name]);
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
  const { services } = world;
  const { owner } = scene;
  const made = await key();
  await revokeApiKey(services, owner, { ...here(), keyId: made.key.id });
  const source = await createInboundSource(services, owner, { ...here(), name: 'Mailbox' });
  await removeInboundSource(services, owner, { ...here(), sourceId: source.source.id });
  const [used, revoked] = [await invite(), await invite(owner, scene.ben.address)];
  await acceptInvite(services, guest, used.token);
  await revokeInvite(services, owner, { ...here(), inviteId: revoked.invite.id });
  await rename(guest, guest, 'Gil');
  await removeMember(services, guest, seat(guest));
  await retarget(5);
  const rotations = [await rotateWebhookSecret(services, owner, scene.projectId)];
  rotations.push(await rotateWebhookSecret(services, owner, scene.projectId));
  await promoteWebhookSecret(services, owner, scene.projectId);
  const sealed = await world.sql<Record<string, string | null>>(
    `select e.current, e.next, e.previous, s.secret, k.hash from webhook_endpoint e
     join inbound_source s on s.project_id = e.project_id join api_key k on k.project_id = e.project_id where e.project_id = ?`,
    [scene.projectId],
  );
  const shown = [made.text, source.secret, used.token, revoked.token, ...rotations.map(({ secret }) => secret)];
  const stored = sealed.flatMap((row) => Object.values(row)).filter((text) => text !== null);
  return [...shown, ...shown.map(sha256Hex), ...stored];
}

/** Long enough to be of use to somebody, short enough to find a secret that was cut. */
const PIECE = 12;

describe('CL2: no secret', () => {
  it('is in any line, nor a piece or a hash of one, whatever was done', async () => {
    const secrets = await everySecret();
    const rows = await world.sql<object>('select * from project_change where project_id = ?', [scene.projectId]);
    const log = JSON.stringify(rows);
    expect(secrets.length).toBeGreaterThan(12);
    for (const secret of secrets) {
      const bare = secret.replace(/^(csk|whsec)_/, '');
      for (let at = 0; at + PIECE <= bare.length; at += 1) expect(log).not.toContain(bare.slice(at, at + PIECE));
    }
  });
});

describe('CL2: append-only', () => {
  it('nothing in the service changes or takes away a line, but for who is forgotten (KE6) and what is long deleted (KE7)', () => {
    const sources = globSync('**/*.ts', { cwd: SOURCES, exclude: ['db/migrations/**'] });
    expect(sources).toContain('db/log-change.ts');
    const texts = sources.map((file) => [file, readFileSync(join(SOURCES, file), 'utf8')] as const);
    const touching = /(update|delete from|truncate)\s+"?project_change|native(Update|Delete)\(\s*ProjectChange/i;
    const changing = texts.filter(([, text]) => touching.test(text)).map(([file]) => file);
    expect(changing.sort()).toEqual(['db/purge-project.ts', 'db/rename-person.ts']);
    const inserting = texts.filter(([, text]) => /insert\(\s*ProjectChange/.test(text)).map(([file]) => file);
    expect(inserting).toEqual(['db/log-change.ts']);
  });
});
