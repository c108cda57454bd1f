// The key ring turns (K3): what an old key sealed is sealed anew, a portion at a time, and whoever changes a secret meanwhile wins.
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { refuseMissingKeys } from '../../src/build-services.ts';
import { type KeyRing, makeKeyRingText, open, parseKeyRing, seal } from '../../src/crypto/key-ring.ts';
import { kidsInUse, SEALED_COLUMNS } from '../../src/db/sealed-texts.ts';
import { sourceContext } from '../../src/domain/inbound.ts';
import { secretContext } from '../../src/domain/webhook-secrets.ts';
import { createInboundSource, removeInboundSource } from '../../src/usecases/inbound-sources.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../src/usecases/rotate-webhook-secret.ts';
import type { Services } from '../../src/usecases/services.ts';
import { createResealer } from '../../src/worker/reseal.ts';
import { aScene, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const KEYS = { a: randomBytes(32).toString('base64'), b: randomBytes(32).toString('base64') };
const ringOf = (...kids: (keyof typeof KEYS)[]) => parseKeyRing(kids.map((kid) => `${kid}:${KEYS[kid]}`).join(','));
const [A, BA, B] = [ringOf('a'), ringOf('b', 'a'), ringOf('b')];

let scene: Scene;
let logged: { level: number; msg: string; [key: string]: unknown }[];

/** A process with this ring. */
function under(keyRing: KeyRing): Services {
  const write = (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[number]);
  return { ...world.services, keyRing, log: pino({ level: 'info' }, { write }) };
}

beforeEach(async () => {
  // Nothing of an earlier test is sealed here, nor with other keys.
  await world.sql('delete from inbound_source');
  await world.sql('delete from webhook_endpoint');
  logged = [];
  scene = await aScene(under(A));
});

interface Row {
  current: string;
  next: string | null;
  previous: string | null;
}
const endpoint = async (projectId = scene.projectId) => {
  const [row] = await world.sql<Row>('select current, next, previous from webhook_endpoint where project_id = ?', [
    projectId,
  ]);
  if (row === undefined) throw new Error('Every project has an endpoint.');
  return row;
};
const reveal = (ring: KeyRing, sealed: string | null) => open(ring, sealed ?? '', secretContext(scene.projectId));
const kids = () => world.services.db.read(kidsInUse);

/** Every column of the database in which something lies that this key sealed. */
async function columnsSealedWith(kid: string): Promise<string[]> {
  const columns = await world.sql<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'character varying') order by 1, 2`,
  );
  const holding: string[] = [];
  for (const { table, column } of columns) {
    const found = await world.sql(`select 1 from "${table}" where "${column}" ~ '^${kid}[.][A-Za-z0-9_-]{40}' limit 1`);
    if (found.length > 0) holding.push(`${table}.${column}`);
  }
  return holding;
}

/** Runs a whole round; answers how many portions it took. */
async function round(services: Services, resealer = createResealer(services)): Promise<number> {
  let portions = 0;
  while ((await resealer.runOnce()).again === true) portions += 1;
  return portions;
}
const said = (part: string) => logged.filter(({ msg }) => msg.includes(part));

describe('K3: a ring that turned', () => {
  it('seals every secret anew with its first key, wherever it lies; then the old key may go', async () => {
    const old = under(A);
    const [first, second] = [await rotate(old), await rotate(old)];
    await promoteWebhookSecret(old, scene.owner, scene.projectId);
    const third = await rotate(old);
    const { projectId } = scene;
    const made = { projectId, name: 'Mail' };
    const { source, secret } = await createInboundSource(old, scene.owner, made);
    const removed = await createInboundSource(old, scene.owner, made);
    await removeInboundSource(old, scene.owner, { projectId, sourceId: removed.source.id });
    expect(await kids()).toEqual(['a']);
    expect(await columnsSealedWith('a')).toEqual(
      SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
    );

    await round(under(BA));
    expect(await kids()).toEqual(['b']);
    expect(await columnsSealedWith('a')).toEqual([]);
    const { current, next, previous } = await endpoint();
    expect([current, next, previous].map((sealed) => reveal(B, sealed))).toEqual([second, third, first]);
    const [kept] = await world.sql<{ secret: string }>('select secret from inbound_source where id = ?', [source.id]);
    expect(open(B, kept?.secret ?? '', sourceContext({ id: source.id, projectId }))).toBe(secret);
    expect(said('may go')).toMatchObject([{ level: 30, kid: 'b', unused: ['a'] }]);
    expect(JSON.stringify(logged)).not.toContain(current);
  });

  const rotate = async (services: Services) =>
    (await rotateWebhookSecret(services, scene.owner, scene.projectId)).secret;

  it('says once that the old key may go, and nothing where there is no old key', async () => {
    const resealer = createResealer(under(BA));
    for (let times = 0; times < 3; times += 1) await round(under(BA), resealer);
    expect(said('may go')).toHaveLength(1);
    logged.length = 0;
    await round(under(B));
    expect(logged).toEqual([]);
  });

  it('goes in portions, and passes by what does not open', async () => {
    const scenes = [scene];
    for (let more = 0; more < 4; more += 1) scenes.push(await aScene(under(A)));
    const broken = scenes[2]?.projectId ?? '';
    const { current } = await endpoint(broken);
    const damaged = `${current.slice(0, -2)}${current.endsWith('AA') ? 'BB' : 'AA'}`;
    await world.sql('update webhook_endpoint set current = ? where project_id = ?', [damaged, broken]);
    // Five texts in portions of two are three; the other three columns are empty.
    expect(await round(under(BA), createResealer(under(BA), 2))).toBe(6);
    expect(await kids()).toEqual(['a', 'b']);
    expect((await endpoint(broken)).current).toBe(damaged);
    for (const { projectId } of scenes)
      if (projectId !== broken) expect((await endpoint(projectId)).current).toMatch(/^b\./);
    expect(said('do not open')).toMatchObject([{ level: 40, count: 1, at: [`webhook_endpoint.current ${broken}`] }]);
    expect(said('may go')).toEqual([]);
    expect(JSON.stringify(logged)).not.toContain(damaged.slice(2, 20));
  });

  it('a secret that is made at the same moment wins', async () => {
    await rotate(under(A));
    const { read, write } = world.services.db;
    let second = '';
    // Between the reading of a portion and its writing somebody rolls a new secret in and lets it sign.
    const overtaken: Services['db'] = {
      ...world.services.db,
      read,
      write: async (work) => {
        if (second === '') {
          second = await rotate(under(A));
          await promoteWebhookSecret(under(A), scene.owner, scene.projectId);
        }
        return write(work);
      },
    };
    const resealer = createResealer({ ...under(BA), db: overtaken });
    await resealer.runOnce();
    expect(reveal(BA, (await endpoint()).current)).toBe(second);
    await round(under(BA), resealer);
    await round(under(BA), resealer);
    expect(reveal(B, (await endpoint()).current)).toBe(second);
    expect(await kids()).toEqual(['b']);
  });

  it('is turned by several workers at once without loss', async () => {
    const scenes = await Promise.all(Array.from({ length: 6 }, () => aScene(under(A))));
    await Promise.all([1, 2, 3].map((portion) => round(under(BA), createResealer(under(BA), portion))));
    expect(await kids()).toEqual(['b']);
    for (const { projectId } of scenes) {
      const { current } = await endpoint(projectId);
      expect(open(B, current, secretContext(projectId))).toMatch(/^whsec_/);
    }
  });
});

describe('K3: a ring without a key that is needed', () => {
  it('refuses the start in one sentence that names the key; one that has it starts', async () => {
    await expect(refuseMissingKeys(under(B))).rejects.toThrow(
      'SECRET_KEYS has no key a, which secrets in the database are sealed with: put it back.',
    );
    await refuseMissingKeys(under(BA));
    await round(under(BA));
    await refuseMissingKeys(under(B));
    await expect(refuseMissingKeys(under(A))).rejects.toThrow('SECRET_KEYS has no key b,');
  });

  it('says nothing of a text that is not in our format: it may be anything', async () => {
    await world.sql('update webhook_endpoint set current = ?', ['whsec_plain']);
    expect(await kids()).toEqual([]);
    await refuseMissingKeys(under(B));
    await round(under(B));
    expect(said('do not open')).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('whsec_plain');
  });

  it('opens nothing that another ring sealed', () => {
    const foreign = parseKeyRing(makeKeyRingText());
    expect(() => open(B, seal(foreign, 'x', 'place'), 'place')).toThrow('has no key with the kid');
  });
});
