// Tests key rotation: secrets are re-encrypted in batches, and a concurrent change of a secret wins (K3).
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { type KeyRing, decrypt, parseKeyRing, encrypt } from '../../../src/crypto/key-ring.ts';
import { makeKeyRingText } from '../../fixtures/key-ring-text.ts';
import { kidsInUse, ENCRYPTED_COLUMNS } from '../../../src/db/encrypted-columns.ts';
import { sourceContext } from '../../../src/domain/webhooks/inbound.ts';
import { secretContext } from '../../../src/domain/webhooks/signing.ts';
import { createInboundSource, removeInboundSource } from '../../../src/usecases/credentials/inbound-sources.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { keyFaultOf } from '../../../src/key-fault.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { createReencryptor } from '../../../src/worker/reencrypt-secrets.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const KEYS = { a: randomBytes(32).toString('base64'), b: randomBytes(32).toString('base64') };
const keyRingOf = (...kids: (keyof typeof KEYS)[]) => parseKeyRing(kids.map((kid) => `${kid}:${KEYS[kid]}`).join(','));
const [A, BA, B] = [keyRingOf('a'), keyRingOf('b', 'a'), keyRingOf('b')];

let fixture: ProjectFixture;
let logged: { level: number; msg: string; [key: string]: unknown }[];

/** A process with this key ring. */
function under(keyRing: KeyRing): Services {
  const write = (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[number]);
  return { ...testEnv.services, keyRing, log: pino({ level: 'info' }, { write }) };
}

beforeEach(async () => {
  // Removes every secret of earlier tests.
  await testEnv.sql('delete from inbound_source');
  await testEnv.sql('delete from webhook_endpoint');
  logged = [];
  fixture = await createProjectFixture(under(A));
});

interface Row {
  current: string;
  next: string | null;
  previous: string | null;
}
const endpoint = async (projectId = fixture.projectId) => {
  const [row] = await testEnv.sql<Row>('select current, next, previous from webhook_endpoint where project_id = ?', [
    projectId,
  ]);
  if (row === undefined) throw new Error('Every project has an endpoint.');
  return row;
};
const reveal = (ring: KeyRing, encrypted: string | null) =>
  decrypt(ring, encrypted ?? '', secretContext(fixture.projectId));
const kids = () => testEnv.services.db.read(kidsInUse);

/** Every database column with a text that this key encrypted. */
async function columnsEncryptedWith(kid: string): Promise<string[]> {
  const columns = await testEnv.sql<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'character varying') order by 1, 2`,
  );
  const holding: string[] = [];
  for (const { table, column } of columns) {
    const found = await testEnv.sql(
      `select 1 from "${table}" where "${column}" ~ '^${kid}[.][A-Za-z0-9_-]{40}' limit 1`,
    );
    if (found.length > 0) holding.push(`${table}.${column}`);
  }
  return holding;
}

/** Runs a whole round; returns the number of batches. */
async function round(services: Services, resealer = createReencryptor(services)): Promise<number> {
  let batches = 0;
  while ((await resealer.runOnce()).again === true) batches += 1;
  return batches;
}
const loggedWith = (part: string) => logged.filter(({ msg }) => msg.includes(part));

describe('K3: a rotated key ring', () => {
  it('re-encrypts every secret with its first key; then the old key may be removed', async () => {
    const old = under(A);
    const [first, second] = [await rotate(old), await rotate(old)];
    await promoteWebhookSecret(old, fixture.owner, fixture);
    const third = await rotate(old);
    const { projectId } = fixture;
    const made = { projectId, name: 'Mail' };
    const { source, secret } = await createInboundSource(old, fixture.owner, made);
    const removed = await createInboundSource(old, fixture.owner, made);
    await removeInboundSource(old, fixture.owner, { projectId, sourceId: removed.source.id });
    expect(await kids()).toEqual(['a']);
    expect(await columnsEncryptedWith('a')).toEqual(
      ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
    );

    await round(under(BA));
    expect(await kids()).toEqual(['b']);
    expect(await columnsEncryptedWith('a')).toEqual([]);
    const { current, next, previous } = await endpoint();
    expect([current, next, previous].map((encrypted) => reveal(B, encrypted))).toEqual([second, third, first]);
    const [kept] = await testEnv.sql<{ secret: string }>('select secret from inbound_source where id = ?', [source.id]);
    expect(decrypt(B, kept?.secret ?? '', sourceContext({ id: source.id, projectId }))).toBe(secret);
    expect(loggedWith('remove them')).toMatchObject([{ level: 30, kid: 'b', unused: ['a'] }]);
    expect(JSON.stringify(logged)).not.toContain(current);
  });

  const rotate = async (services: Services) =>
    (await rotateWebhookSecret(services, fixture.owner, { projectId: fixture.projectId })).secret;

  it('says once that the old key may be removed, and nothing without an old key', async () => {
    const resealer = createReencryptor(under(BA));
    for (let times = 0; times < 3; times += 1) await round(under(BA), resealer);
    expect(loggedWith('remove them')).toHaveLength(1);
    logged.length = 0;
    await round(under(B));
    expect(logged).toEqual([]);
  });

  it('runs in batches, and skips what it cannot decrypt', async () => {
    const fixtures = [fixture];
    for (let more = 0; more < 4; more += 1) fixtures.push(await createProjectFixture(under(A)));
    const broken = fixtures[2]?.projectId ?? '';
    const { current } = await endpoint(broken);
    const damaged = `${current.slice(0, -2)}${current.endsWith('AA') ? 'BB' : 'AA'}`;
    await testEnv.sql('update webhook_endpoint set current = ? where project_id = ?', [damaged, broken]);
    // Five texts in batches of two are three; the other three columns are empty.
    expect(await round(under(BA), createReencryptor(under(BA), 2))).toBe(6);
    expect(await kids()).toEqual(['a', 'b']);
    expect((await endpoint(broken)).current).toBe(damaged);
    for (const { projectId } of fixtures)
      if (projectId !== broken) expect((await endpoint(projectId)).current).toMatch(/^b\./);
    expect(loggedWith('cannot be decrypted')).toMatchObject([
      { level: 40, count: 1, at: [`webhook_endpoint.current ${broken}`] },
    ]);
    expect(loggedWith('remove them')).toEqual([]);
    expect(JSON.stringify(logged)).not.toContain(damaged.slice(2, 20));
  });

  it('keeps a secret that is created at the same moment', async () => {
    await rotate(under(A));
    const { read, write } = testEnv.services.db;
    let second = '';
    // Between reading and writing a batch an owner rotates the secret and promotes it.
    const overtaken: Services['db'] = {
      ...testEnv.services.db,
      read,
      write: async (work) => {
        if (second === '') {
          second = await rotate(under(A));
          await promoteWebhookSecret(under(A), fixture.owner, fixture);
        }
        return write(work);
      },
    };
    const resealer = createReencryptor({ ...under(BA), db: overtaken });
    await resealer.runOnce();
    expect(reveal(BA, (await endpoint()).current)).toBe(second);
    await round(under(BA), resealer);
    await round(under(BA), resealer);
    expect(reveal(B, (await endpoint()).current)).toBe(second);
    expect(await kids()).toEqual(['b']);
  });

  it('is applied by several workers at once without loss', async () => {
    const fixtures = await Promise.all(Array.from({ length: 6 }, () => createProjectFixture(under(A))));
    await Promise.all([1, 2, 3].map((batch) => round(under(BA), createReencryptor(under(BA), batch))));
    expect(await kids()).toEqual(['b']);
    for (const { projectId } of fixtures) {
      const { current } = await endpoint(projectId);
      expect(decrypt(B, current, secretContext(projectId))).toMatch(/^whsec_/);
    }
  });
});

describe('K3: a key ring without a needed key', () => {
  it('refuses the start with one sentence that names the key, and starts with it', async () => {
    expect(await keyFaultOf(under(B))).toContain(
      'SECRET_KEYS has no key a, which secrets in the database are encrypted with: put it back.',
    );
    expect(await keyFaultOf(under(BA))).toBeNull();
    await round(under(BA));
    expect(await keyFaultOf(under(B))).toBeNull();
    expect(await keyFaultOf(under(A))).toContain('SECRET_KEYS has no key b,');
  });

  it('refuses another key of the same ID, and starts where one secret of many is damaged', async () => {
    const other = parseKeyRing(`a:${randomBytes(32).toString('base64')}`);
    expect(await keyFaultOf(under(other))).toContain(
      'The key a of SECRET_KEYS is another one than the key that secrets in the database are encrypted with: put that one back.',
    );
    const { projectId } = await createProjectFixture(under(A));
    await testEnv.sql(`update webhook_endpoint set current = 'a.damaged' where project_id = ?`, [projectId]);
    expect(await keyFaultOf(under(A))).toBeNull();
  });

  it('ignores a text in an unknown format', async () => {
    await testEnv.sql('update webhook_endpoint set current = ?', ['whsec_plain']);
    expect(await kids()).toEqual([]);
    expect(await keyFaultOf(under(B))).toBeNull();
    await round(under(B));
    expect(loggedWith('cannot be decrypted')).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('whsec_plain');
  });

  it('decrypts nothing that another key ring encrypted', () => {
    const foreign = parseKeyRing(makeKeyRingText());
    expect(() => decrypt(B, encrypt(foreign, 'x', 'place'), 'place')).toThrow('has no key with the kid');
  });
});
