// Tests API keys, sessions and the reviewer pool.
import { beforeAll, describe, expect, it } from 'vitest';
import { newAddress } from '../../../src/crypto/ed25519.ts';
import { hashApiKey, makeApiKey } from '../../../src/crypto/api-key.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { signOut } from '../../../src/usecases/credentials/end-sessions.ts';
import { listApiKeys, readPool } from '../../../src/usecases/access/list-members.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import type { MemberActor, Services } from '../../../src/usecases/services.ts';
import { IDLE_MS } from '../../../src/db/live-session.ts';
import { ABSOLUTE_MS, createSession, findSession } from '../../../src/usecases/credentials/sessions.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

describe('an API key', () => {
  const invalid = { code: 'api_key_invalid' };

  it('K2: gives access to its own project, and is stored only as its hash and last four characters', async () => {
    const { key, text } = await createApiKey(testEnv.services, fixture.owner, {
      projectId: fixture.projectId,
      name: 'CI',
    });
    expect(await checkApiKey(testEnv.services, text)).toEqual({
      kind: 'api_key',
      keyId: key.id,
      projectId: fixture.projectId,
      ownerId: fixture.owner.userId,
      name: 'CI',
      scopes: ['submit', 'read'],
      expiresAt: null,
    });
    const rows = await testEnv.sql<object>('select * from api_key where id = ?', [key.id]);
    expect(rows).toEqual([expect.objectContaining({ hash: hashApiKey(text), last4: text.slice(-4), name: 'CI' })]);
    expect(JSON.stringify(rows)).not.toContain(text);
  });

  it('an API key that is missing, mistyped or unknown is refused, the last two with the same response', async () => {
    await expect(checkApiKey(testEnv.services, undefined)).rejects.toMatchObject({ code: 'api_key_missing' });
    await expect(checkApiKey(testEnv.services, '')).rejects.toMatchObject({ code: 'api_key_missing' });
    const unknown = await checkApiKey(testEnv.services, makeApiKey()).catch((error: unknown) => error);
    const mistyped = await checkApiKey(testEnv.services, `${fixture.apiKey.slice(0, -1)}!`).catch(
      (error: unknown) => error,
    );
    expect(unknown).toMatchObject(invalid);
    expect(mistyped).toEqual(unknown);
  });

  it('with a typo is refused before the database is asked', async () => {
    let asked = 0;
    const watched = (services: Services): Services => ({
      ...services,
      db: { ...services.db, read: (work) => ((asked += 1), services.db.read(work)) },
    });
    const typo = fixture.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    await expect(checkApiKey(watched(testEnv.services), typo)).rejects.toMatchObject(invalid);
    expect(asked).toBe(0);
    await checkApiKey(watched(testEnv.services), fixture.apiKey);
    expect(asked).toBeGreaterThan(0);
  });

  it('an API key that is revoked is refused from the next request on; revoking twice appends one event', async () => {
    const { projectId, owner } = fixture;
    const { key, text } = await createApiKey(testEnv.services, owner, { projectId, name: 'Old' });
    await checkApiKey(testEnv.services, text);
    await revokeApiKey(testEnv.services, owner, { projectId, keyId: key.id });
    await expect(checkApiKey(testEnv.services, text)).rejects.toMatchObject(invalid);
    const changeEvents = () =>
      testEnv.sql(`select id from event where project_id = ? and type = 'project.changed'`, [projectId]);
    const before = await changeEvents();
    await revokeApiKey(testEnv.services, owner, { projectId, keyId: key.id });
    expect(await changeEvents()).toEqual(before);
    expect((await listApiKeys(testEnv.services, owner, projectId)).map((one) => one.key.id)).toContain(key.id);
  });

  it('of another project cannot be revoked, and returns 404', async () => {
    const other = await createProjectFixture(testEnv.services);
    const keyId = other.pipeline.keyId;
    const revoking = revokeApiKey(testEnv.services, fixture.owner, { projectId: fixture.projectId, keyId });
    await expect(revoking).rejects.toMatchObject({ code: 'not_found' });
    expect(await checkApiKey(testEnv.services, other.apiKey)).toMatchObject({ keyId });
  });

  it('records its last use to the minute', async () => {
    const { key, text } = await createApiKey(testEnv.services, fixture.owner, {
      projectId: fixture.projectId,
      name: 'Busy',
    });
    const used = async () =>
      (
        await testEnv.sql<{ at: string | null }>('select last_used_at::text as at from api_key where id = ?', [key.id])
      )[0]?.at;
    expect(await used()).toBeNull();
    await checkApiKey(testEnv.services, text);
    const first = await used();
    testEnv.clock.pass(59_000);
    await checkApiKey(testEnv.services, text);
    expect(await used()).toBe(first);
    testEnv.clock.pass(3_000);
    await checkApiKey(testEnv.services, text);
    expect(await used()).not.toBe(first);
  });
});

describe('a session', () => {
  const open = () => testEnv.services.db.write((tx) => createSession(testEnv.services, tx, fixture.anna));
  const find = (token: string | undefined) => findSession(testEnv.services, token);

  it('is found by its cookie, and stored as a hash', async () => {
    const { token, expiresAt } = await open();
    expect(await find(token)).toMatchObject({ kind: 'member', userId: fixture.anna.userId, name: 'Anna', expiresAt });
    const secret = token.split('.')[1] ?? '';
    expect(JSON.stringify(await testEnv.sql('select * from session'))).not.toContain(secret);
  });

  it('is found by its token alone', async () => {
    const [{ token }, { token: other }] = [await open(), await open()];
    const [id, secret] = token.split('.');
    const mixed = `${id}.${other.split('.')[1]}`;
    for (const wrong of [
      undefined,
      '',
      '.',
      id,
      `${id}.`,
      mixed,
      `${token}x`,
      `x${token}`,
      token.toUpperCase(),
      `${id} ${secret}`,
    ]) {
      expect(await find(wrong), wrong).toBeNull();
    }
  });

  it('expires after an hour without a request, and is extended by one', async () => {
    const [{ token: idle }, { token: busy }] = [await open(), await open()];
    testEnv.clock.pass(IDLE_MS - 60_000);
    expect(await find(busy)).not.toBeNull();
    testEnv.clock.pass(61_000);
    expect(await find(idle)).toBeNull();
    expect(await find(busy)).not.toBeNull();
  });

  it('expires twelve hours after the sign-in, however active', async () => {
    expect([IDLE_MS, ABSOLUTE_MS]).toEqual([3_600_000, 43_200_000]);
    const { token } = await open();
    for (let passed = 0; passed < ABSOLUTE_MS - 1_800_000; passed += 1_800_000) {
      expect(await find(token)).not.toBeNull();
      testEnv.clock.pass(1_800_000);
    }
    testEnv.clock.pass(1_800_000);
    expect(await find(token)).toBeNull();
  });

  it('ends when its person signs out, that one alone', async () => {
    const [{ token }, { token: elsewhere }] = [await open(), await open()];
    const actor = await find(token);
    if (actor === null) throw new Error('The session is not there.');
    await signOut(testEnv.services, actor);
    expect(await find(token)).toBeNull();
    expect(await find(elsewhere)).not.toBeNull();
  });
});

describe('PM: the reviewer pool', () => {
  const add = (by: MemberActor, change: { address?: string; role?: 'reviewer' | 'supervisor' | 'owner' }) =>
    addMember(testEnv.services, by, {
      projectId: fixture.projectId,
      address: newAddress(),
      role: 'reviewer',
      ...change,
    });
  const roles = async () => {
    const { members } = await readPool(testEnv.services, fixture.owner, fixture.projectId);
    return Object.fromEntries(members.map(({ user, role }) => [user.id, role]));
  };

  it('adds a wallet that never signed in, once it accepts the owner’s offer, and lets the owner change its role', async () => {
    const guest = await aPerson(testEnv.services);
    await grantRole(testEnv.services, fixture, { who: guest });
    expect((await roles())[guest.userId]).toBe('reviewer');
    expect(await add(fixture.owner, { address: guest.address, role: 'supervisor' })).toMatchObject({ kind: 'member' });
    expect((await roles())[guest.userId]).toBe('supervisor');
  });

  it.each(['', 'demo', '0'.repeat(44), `${newAddress().slice(0, -1)}l`, `${newAddress()}xx`])(
    'refuses “%s” as a wallet',
    async (address) => {
      await expect(add(fixture.owner, { address })).rejects.toMatchObject({
        code: 'validation_failed',
        extras: { errors: [{ pointer: '#/address' }] },
      });
    },
  );

  it('refuses changes by others, and returns 404 to a stranger', async () => {
    for (const who of [fixture.supervisor, fixture.anna])
      await expect(add(who, {})).rejects.toMatchObject({ code: 'forbidden' });
    await expect(add(await aPerson(testEnv.services), {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses owner actions by others, by name', async () => {
    const { projectId } = fixture;
    const attempts: ((who: MemberActor) => Promise<unknown>)[] = [
      (who) => createApiKey(testEnv.services, who, { projectId, name: 'x' }),
      (who) => revokeApiKey(testEnv.services, who, { projectId, keyId: fixture.pipeline.keyId }),
      (who) => listApiKeys(testEnv.services, who, projectId),
      (who) => rotateWebhookSecret(testEnv.services, who, { projectId }),
      (who) => promoteWebhookSecret(testEnv.services, who, { projectId }),
      (who) => changeSettings(testEnv.services, who, { projectId, settingsVersion: 1, changes: { name: 'x' } }),
    ];
    const stranger = await aPerson(testEnv.services);
    for (const attempt of attempts) {
      for (const who of [fixture.supervisor, fixture.anna])
        await expect(attempt(who)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(attempt(stranger)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('keeps an owner: nobody lowers their own role', async () => {
    const { address } = fixture.owner;
    await expect(add(fixture.owner, { address, role: 'reviewer' })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(await add(fixture.owner, { address, role: 'owner' })).toMatchObject({ role: 'owner' });
  });

  it('keeps an owner when two of them lower each other’s role at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { projectId, owner, ben } = await createProjectFixture(testEnv.services);
      const make = (by: MemberActor, who: MemberActor, role: 'owner' | 'reviewer') =>
        addMember(testEnv.services, by, { projectId, address: who.address, role });
      await grantRole(testEnv.services, { owner, projectId }, { who: ben, role: 'owner' });
      await Promise.allSettled([make(owner, ben, 'reviewer'), make(ben, owner, 'reviewer')]);
      const owners = await testEnv.sql(`select user_id from member where project_id = ? and role = 'owner'`, [
        projectId,
      ]);
      expect(owners).toHaveLength(1);
    }
  });
});
