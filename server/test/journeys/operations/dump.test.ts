// Tests that a database dump gives no access: no session, key or secret is in it, and nothing in it is accepted.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInboundSource, receiveInbound } from '@countersign/shared/routes/inbound';
import { acceptInvite, createInvite } from '@countersign/shared/routes/invites';
import {
  createApiKey,
  promoteWebhookSecret,
  revokeApiKey,
  rotateWebhookSecret,
} from '@countersign/shared/routes/projects';
import { listItems } from '@countersign/shared/routes/public';
import { challenge, endOneSession, listSessions, readSession, verify } from '@countersign/shared/routes/session';
import { aSubmission, openProject, review, type OpenProject } from '../../builders.ts';
import { browser, makeWallet, person, pipeline, type Person, signedChallenge } from '../../client.ts';
import { hexOf } from '../../integration/webhooks/inbound-sender.ts';
import { logWatch } from '../../log-watch.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { pgDump, readAllTables, type Secret, secretsIn, spellingsOf } from './dump-search.ts';

const RING_KEY = randomBytes(32).toString('base64');
const testEnv = useTestEnvironment({ env: { SECRET_KEYS: `k1:${RING_KEY}` } });

let receiver: Receiver;
let project: OpenProject;
let source: { id: string; secret: string };
/** A browser that has requested a challenge and not signed it yet. */
let waiting: ReturnType<typeof browser>;
let asked: { challenge_id: string; input: Parameters<typeof signedChallenge>[1]['input'] };
let dumps: string[];
let tables: string;

const wait = async (id: string) => receiver.next(id);

/** People, invites, keys, sources, rotations, items, decisions, deliveries: everything that shows a secret. */
async function everything(): Promise<void> {
  const owner = await person(testEnv);
  project = await openProject(owner, { receiver });
  const params = { id: project.id };
  await anotherPerson(owner);
  const gone = await owner.call(createApiKey, { params, body: { name: 'Gone' } });
  await owner.call(revokeApiKey, { params: { ...params, key_id: gone.id } });
  const made = await owner.call(createInboundSource, { params, body: { name: 'Mail' } });
  source = { id: made.id, secret: made.inbound_secret };
  expect(await send(source.secret)).toBe(201);
  // One webhook is signed by the first secret, one by both; then the second is promoted, and a third is pending.
  await decided(owner);
  const second = await owner.call(rotateWebhookSecret, { params });
  await decided(owner);
  await owner.call(promoteWebhookSecret, { params });
  receiver.trust(project.id, second.webhook_secret);
  await owner.call(rotateWebhookSecret, { params });
  await decided(owner);
  waiting = browser(testEnv);
  asked = await waiting.call(challenge);
}

/** A person who joins by an invite, in two browsers, one of whose sessions is ended; another invite stays open. */
async function anotherPerson(owner: Person): Promise<void> {
  const invite = () => owner.call(createInvite, { params: { id: project.id }, body: { role: 'reviewer' } });
  const guest = await person(testEnv);
  await guest.call(acceptInvite, { params: { token: (await invite()).token } });
  await invite();
  await person(testEnv, guest.wallet);
  const { data } = await guest.call(listSessions);
  await guest.call(endOneSession, { params: { id: data.find(({ current }) => !current)?.id ?? '' } });
}

async function decided(owner: Person): Promise<void> {
  const { id } = await project.pipeline.submit(aSubmission(), {
    idempotencyKey: `key-of-${project.id}` + randomBytes(4).toString('hex'),
  });
  await review(owner, id, 'edit');
  await wait(id);
}

async function send(secret: string): Promise<number> {
  const body = JSON.stringify(aSubmission());
  const path = receiveInbound.path.replace(':source_id', source.id);
  const headers = { 'content-type': 'application/json', ...hexOf(secret, body) };
  return (await fetch(testEnv.url() + path, { method: 'POST', headers, body })).status;
}

beforeAll(async () => {
  receiver = await startReceiver();
  await everything();
  tables = await readAllTables(testEnv);
  dumps = [tables, (await pgDump(testEnv)) ?? ''];
});
afterAll(() => receiver.close());

const secrets = (): Secret[] => [...logWatch.shown(), { kind: 'a key of SECRET_KEYS', text: RING_KEY }];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('K2, K3, A1, PM3: a dump of the database', () => {
  it('has everything: each kind of secret was shown, and its stored form is present', () => {
    const kinds = new Set(secrets().map(({ kind }) => kind));
    const all = [
      '__Host-sid',
      '__Host-siws',
      'a key of SECRET_KEYS',
      'api_key',
      'inbound_secret',
      'token',
      'webhook_secret',
    ];
    expect([...kinds].sort()).toEqual(all.sort());
    for (const dump of dumps.filter((text) => text !== '')) {
      expect(dump).toContain(sha256(project.pipeline.apiKey));
      expect(dump).toContain(project.owner.cookies.get('__Host-sid')?.split('.')[0]);
      expect(dump).toContain('k1.');
    }
  });

  it('contains no secret that was ever shown, in any encoding', () => {
    for (const dump of dumps) expect(secretsIn(dump, secrets())).toEqual([]);
  });

  it('is searched in a way that would find a secret', () => {
    for (const { kind, text } of secrets()) {
      const secret = text.split('.').at(-1) ?? '';
      for (const spelled of spellingsOf(secret).concat(Buffer.from(secret).toString('hex').toUpperCase()))
        expect(secretsIn(`${tables} ("x${spelled}y")`, [{ kind, text }]), kind).toEqual([kind]);
    }
  });
});

describe('K2, A1, PM3: the stored form of a secret, as found in a dump', () => {
  /** Every hash and every encrypted text in it. */
  const texts = () => [...new Set(tables.match(/\b[0-9a-f]{64}\b|\bk1\.[\w-]+/g) ?? [])];
  const bytesOf = (text: string) => [
    text,
    Buffer.from(text, 'hex').toString('base64url'),
    Buffer.from(text, 'hex').toString('base64'),
  ];

  it('does not work as a session', async () => {
    const ids = [...tables.matchAll(/^session \(([0-9a-f-]{36}),/gm)].map(([, id]) => id ?? '');
    expect(ids.length).toBeGreaterThan(1);
    for (const id of ids)
      for (const secret of texts().flatMap(bytesOf))
        await browser(testEnv).refused(
          'session_missing',
          readSession,
          {},
          { headers: { cookie: `__Host-sid=${id}.${secret}` } },
        );
  });

  it('does not work as a key, an invite or the secret of a source', async () => {
    expect(texts().length).toBeGreaterThan(5);
    for (const text of texts().flatMap(bytesOf)) {
      for (const apiKey of [text, `csk_${text}`]) {
        const keyHolder = pipeline(testEnv, { projectId: project.id, apiKey });
        expect((await keyHolder.attempt(listItems)).status).toBe(401);
      }
      await project.owner.refused('not_found', acceptInvite, { params: { token: text } });
      expect([await send(text), await send(`whsec_${text}`)]).toEqual([401, 401]);
    }
    expect(await send(source.secret)).toBe(201);
  });

  it('does not work as a browser with a challenge', async () => {
    const body = signedChallenge(makeWallet(), asked);
    for (const binder of texts().flatMap(bytesOf))
      await browser(testEnv).refused(
        'signature_invalid',
        verify,
        { body },
        { headers: { cookie: `__Host-siws=${binder}` } },
      );
    await waiting.call(verify, { body });
  });
});
