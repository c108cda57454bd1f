// Tests every error code of the contract over HTTP: status, shape, pointer, and no internal details.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { claimItem, decideItem, extendDeadline } from '@countersign/shared/routes/queue';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { challenge, verify } from '@countersign/shared/routes/session';
import { ERRORS, type ErrorCode } from '@countersign/shared/errors';
import type { Problem } from '@countersign/shared/schemas/parts/problem';
import { createDatabase } from '../../../src/db/database.ts';
import { openOrm } from '../../../src/db/orm.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../builders.ts';
import { browser, checked, makeWallet, person, signedChallenge, type Person } from '../../client.ts';
import { deliveryOf } from '../webhooks/pending-deliveries.ts';
import { withOpenTransaction, insertKeyStatement } from '../support/blocking-transaction.ts';
import { trioOf } from '../webhooks/inbound-sender.ts';
import { endAllClaims } from '../support/database-helpers.ts';
import { ask, serve, type Raw, type Sent, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { nowhere } from '../../../../scripts/lib/processes/postgres-client.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let anna: Person;
let ben: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  [anna, ben] = [await person(served.testEnv), await person(served.testEnv)];
  project = await openProject(await person(served.testEnv), {
    settings: { undo_window_seconds: 30, media_hosts: ['gone.example'] },
  });
  await join(project, anna, 'supervisor');
  await join(project, ben);
});
beforeEach(() => endAllClaims(inside));
afterAll(() => served.close());

const SOME_ID = '0197f1a0-0000-7000-8000-000000000001';
const JSON_TYPE = { 'content-type': 'application/json' };
const INSIDE =
  /\bat .+:\d+:\d+|node_modules|[/\\](src|home|usr|work)[/\\]|\.[jt]s\b|\b(select|insert|update|delete from|relation|constraint|syntax)\b|[A-Z]\w+Exception|ECONN/i;

const cookieOf = (who: Person) => ({ cookie: who.cookieHeader(), origin: served.testEnv.baseUrl });
const keyOf = () => ({ 'x-api-key': project.pipeline.apiKey });
const submitting = (overrides: object = {}) =>
  JSON.stringify({ project_id: project.id, ...aSubmission(), ...overrides });
const post = (body: string, headers: Record<string, string> = {}, path = '/api/public/items'): Sent => ({
  method: 'POST',
  path,
  headers: { ...JSON_TYPE, ...keyOf(), ...headers },
  body,
});
const onPage = (who: Person, sent: Omit<Sent, 'headers'> & { headers?: Record<string, string> }): Sent => ({
  ...sent,
  headers: { ...(sent.body === undefined ? {} : JSON_TYPE), ...cookieOf(who), ...sent.headers },
});

async function claimedBy(who: Person, overrides: object = {}): Promise<{ id: string; fence: number }> {
  const { id } = await project.pipeline.submit(aSubmission(overrides));
  const { fence } = await who.call(claimItem, { params: { id } });
  return { id, fence };
}
const decision = (id: string, body: object): Omit<Sent, 'headers'> => ({
  method: 'POST',
  path: `/api/items/${id}/decision`,
  body: JSON.stringify(body),
});

async function mediaOf(url: string): Promise<Sent> {
  const { id } = await project.pipeline.submit(aSubmission({ input: url }));
  return onPage(anna, { method: 'GET', path: `/api/items/${id}/media?url=${encodeURIComponent(url)}` });
}

/** A code that no endpoint returns yet, and why. */
const NOT_YET: Partial<Record<ErrorCode, string>> = {};

/** How each code is reached, and the other fields of its problem. */
const REACHED: Partial<Record<ErrorCode, () => Promise<Sent | Raw>>> = {
  invalid_json: async () => post('{"project_id":'),
  invalid_header: async () => post(submitting(), { 'idempotency-key': 'x'.repeat(256) }),
  invalid_cursor: async () => onPage(anna, { method: 'GET', path: '/api/queue?after=nonsense' }),
  invalid_id: async () => onPage(anna, { method: 'GET', path: '/api/items/demo' }),
  api_key_missing: async () => ({ method: 'POST', path: '/api/public/items', headers: JSON_TYPE, body: submitting() }),
  api_key_invalid: async () => post(submitting(), { 'x-api-key': `csk_${'a'.repeat(38)}` }),
  signature_invalid: async () => {
    const body = { challenge_id: SOME_ID, address: makeWallet().address, signed_message: 'AAAA', signature: 'AAAA' };
    const origin = served.testEnv.baseUrl;
    return { method: 'POST', path: '/api/auth/verify', headers: { ...JSON_TYPE, origin }, body: JSON.stringify(body) };
  },
  signature_missing: async () => post('{}', {}, `/api/public/inbound/${SOME_ID}`),
  signature_expired: async () => {
    const headers = trioOf('whsec_c2VjcmV0', '{}', { at: new Date(Date.now() - 301_000) });
    return post('{}', headers, `/api/public/inbound/${SOME_ID}`);
  },
  session_missing: async () => ({ method: 'GET', path: '/api/projects', headers: { cookie: '__Host-sid=none' } }),
  request_timeout: async () => {
    const patience = { headersMs: 100, requestMs: 100, checkEveryMs: 20, silenceMs: 60_000 };
    const slow = await serve(inside.services, { patience });
    const headers = { ...JSON_TYPE, ...keyOf(), 'content-length': '1000' };
    const raw = await ask(slow, { method: 'POST', path: '/api/public/items', headers, body: '{' });
    await slow.close();
    return raw;
  },
  rate_limited: async () => {
    const limiter = createMemoryLimiter(policiesOf(1), inside.clock);
    const strict = await serve({ ...inside.services, limiter });
    await ask(strict, { method: 'GET', path: `/api/public/items/${SOME_ID}`, headers: keyOf() });
    const raw = await ask(strict, post(submitting()));
    await strict.close();
    return raw;
  },
  project_mismatch: async () => post(submitting({ project_id: SOME_ID })),
  forbidden: async () => onPage(ben, { method: 'GET', path: `/api/projects/${project.id}/deliveries` }),
  blocked: () => signInBlocked(),
  origin_refused: async () =>
    onPage(anna, { method: 'POST', path: '/api/queue/claim-next', headers: { origin: 'https://evil.test' } }),
  not_found: async () => onPage(anna, { method: 'GET', path: `/api/items/${SOME_ID}` }),
  method_not_allowed: async () => ({ method: 'PUT', path: '/api/public/items', headers: keyOf() }),
  idempotency_in_progress: () => whileKeyIsLocked(() => ask(served, post(submitting(), { 'idempotency-key': 'held' }))),
  claim_held: async () => onPage(ben, { method: 'POST', path: `/api/items/${(await claimedBy(anna)).id}/claim` }),
  claim_lost: async () => {
    const { id, fence } = await claimedBy(anna);
    return onPage(ben, decision(id, { fence, action: 'approve' }));
  },
  too_many_claims: async () => {
    for (let held = 0; held < MAX_CLAIMS; held += 1) await claimedBy(anna);
    const { id } = await project.pipeline.submit(aSubmission());
    return onPage(anna, { method: 'POST', path: `/api/items/${id}/claim` });
  },
  already_revised: async () => {
    // Routing rejects it, so there is no decision of this ID to revise.
    const { id } = await project.pipeline.submit(aSubmission({ confidence: 0 }));
    const body = JSON.stringify({ action: 'reject', reason: 'Policy', revises: SOME_ID });
    return onPage(anna, { method: 'POST', path: `/api/items/${id}/revise`, body });
  },
  already_decided: async () => {
    const { id, fence } = await claimedBy(anna);
    await anna.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
    return onPage(anna, decision(id, { fence, action: 'approve' }));
  },
  expired: async () => {
    const { id, fence } = await claimedBy(anna, { deadline_seconds: 600 });
    await inside.sql(`update item set deadline = now() - '1ms'::interval where id = ?`, [id]);
    return onPage(anna, decision(id, { fence, action: 'approve' }));
  },
  already_extended: async () => {
    const { id } = await project.pipeline.submit(aSubmission({ deadline_seconds: 600 }));
    const body = { seconds: 600 };
    await anna.call(extendDeadline, { params: { id }, body });
    return onPage(anna, { method: 'POST', path: `/api/items/${id}/extend`, body: JSON.stringify(body) });
  },
  stale_settings: async () => settingsChange({ settings_version: 0, name: 'Late' }),
  delivery_under_way: async () => {
    const sending = await openProject(project.owner, { settings: { webhook_url: 'http://receiver.test/' } });
    const { id: itemId } = await sending.pipeline.submit(aSubmission());
    const id = await deliveryOf(inside, { projectId: sending.id, itemId });
    await inside.sql(`update delivery set status = 'sending' where id = ?`, [id]);
    return onPage(project.owner, { method: 'POST', path: `/api/deliveries/${id}/send-now` });
  },
  rotation_in_progress: async () => {
    const params = { id: project.id };
    for (let times = 0; times < 2; times += 1) await project.owner.call(rotateWebhookSecret, { params });
    return onPage(project.owner, { method: 'POST', path: `/api/projects/${project.id}/webhook/rotate` });
  },
  undo_window_passed: async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    await review(anna, id);
    await inside.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ?', [id]);
    return onPage(anna, { method: 'POST', path: `/api/items/${id}/decision/undo` });
  },
  payload_too_large: async () => post(submitting({ input: 'x'.repeat(256 * 1024) })),
  unsupported_media_type: async () => post(submitting(), { 'content-type': 'text/plain' }),
  validation_failed: async () => post(submitting({ confidence: 2, risk_flag: ['legal'] })),
  schema_invalid: async () => post(submitting({ answer_schema: { type: 'text' } })),
  answer_invalid: async () => {
    const { id, fence } = await claimedBy(anna, { answer_schema: { type: 'null' } });
    return onPage(anna, decision(id, { fence, action: 'approve' }));
  },
  idempotency_key_reused: async () => {
    await ask(served, post(submitting(), { 'idempotency-key': 'once' }));
    return post(submitting(), { 'idempotency-key': 'once' });
  },
  webhook_url_refused: async () => settingsChange({ settings_version: 1, webhook_url: 'https://10.0.0.1/' }),
  unchanged_edit: async () => {
    const { id, fence } = await claimedBy(anna);
    const { suggestion } = await project.pipeline.read(id);
    return onPage(anna, decision(id, { fence, action: 'edit', output: suggestion, reason: 'Wrong fact' }));
  },
  media_refused: async () => mediaOf('https://unlisted.example/a.png'),
  media_unavailable: async () => mediaOf('https://gone.example/a.png'),
  internal: () => onBroken({ db: { ...inside.services.db, read: failing, write: failing } }),
  unavailable: () => withoutDatabase(),
};

/** The fields of a problem beyond its code. */
const CHECKS: Partial<Record<ErrorCode, (problem: Problem, raw: Raw) => void>> = {
  validation_failed: ({ errors }) =>
    expect(errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['#/confidence', 'too_big'],
      ['#/risk_flag', 'unknown_field'],
    ]),
  webhook_url_refused: ({ errors }) => expect(errors?.[0]?.pointer).toBe('#/webhook_url'),
  claim_held: ({ holder, expires_at }) => {
    expect(holder?.user_id).toBe(anna.id);
    expect(new Date(expires_at ?? 0).getTime()).toBeGreaterThan(Date.now());
  },
  claim_lost: ({ holder }) => expect(holder?.user_id).toBe(anna.id),
  too_many_claims: ({ detail }) => expect(detail).toBe('You have claimed 3 items. Decide or release one first.'),
  method_not_allowed: ({ detail }, { headers }) => {
    expect(detail).toBe('Use one of: POST, HEAD, GET.');
    expect(headers.get('allow')).toBe('POST, HEAD, GET');
  },
  rate_limited: (_, { headers }) => expect(headers.get('retry-after')).toBe('60'),
  unavailable: (_, { headers }) => expect(headers.get('retry-after')).toBe('1'),
  idempotency_in_progress: (_, { headers }) => expect(headers.get('retry-after')).toBe('1'),
};

describe('every error code', () => {
  it('is either reached below or listed with the reason why not yet', () => {
    const listed = [...Object.keys(REACHED), ...Object.keys(NOT_YET)];
    expect([...new Set(listed)].sort()).toEqual(Object.keys(ERRORS).sort());
  });

  const codes = (Object.keys(REACHED) as ErrorCode[]).filter((code) => NOT_YET[code] === undefined);
  it.each(codes)('a request reaches the error code %s', async (code) => {
    const reached = await REACHED[code]?.();
    if (reached === undefined) throw new Error('It is reached.');
    const raw = 'status' in reached ? reached : await ask(served, reached);
    expect(raw.status).toBe(ERRORS[code].status);
    const answer = checked({ reply: null, status: 0 }, raw);
    if (answer.ok) throw new Error('It is a refusal.');
    expect(answer.problem).toMatchObject({ code, title: ERRORS[code].title, type: `urn:countersign:error:${code}` });
    expect(raw.text).not.toMatch(INSIDE);
    expect(raw.headers.get('cache-control')).toBe('no-store');
    CHECKS[code]?.(answer.problem, raw);
  });

  it('except `internal` logged no error', () => {
    expect(served.failures).toEqual([]);
  });
});

describe('another member’s name and a stranger’s project', () => {
  it('PM: an invisible object returns the same 404 as a missing one', async () => {
    const stranger = await person(served.testEnv);
    const paths = [`/api/projects/${project.id}`, `/api/projects/${SOME_ID}`, `/api/projects/${project.id}/members`];
    const bodies = await Promise.all(
      paths.map(async (path) => (await ask(served, onPage(stranger, { method: 'GET', path }))).text),
    );
    const neutral = bodies.map((text) => ({ ...(JSON.parse(text) as Problem), instance: '', request_id: '' }));
    expect(neutral[0]).toMatchObject({ code: 'not_found' });
    expect(neutral[1]).toEqual(neutral[0]);
    expect(neutral[2]).toEqual(neutral[0]);
    await stranger.refused('not_found', addMember, {
      params: { id: project.id },
      body: { address: makeWallet().address, role: 'owner' },
    });
  });
});

/** A wallet that the operator blocked signs in, with a valid signature. */
async function signInBlocked(): Promise<Raw> {
  const wallet = makeWallet();
  const { id } = await person(served.testEnv, wallet);
  await inside.sql('update app_user set blocked_at = now() where id = ?', [id]);
  const page = browser(served.testEnv);
  const body = JSON.stringify(signedChallenge(wallet, await page.call(challenge, {})));
  const headers = { origin: served.testEnv.baseUrl, cookie: page.cookieHeader(), 'content-type': 'application/json' };
  return ask(served, { method: 'POST', path: verify.path, headers, body });
}

function settingsChange(body: object): Sent {
  return onPage(project.owner, { method: 'PATCH', path: `/api/projects/${project.id}`, body: JSON.stringify(body) });
}

const failing = () => Promise.reject(new Error('relation "item" does not exist at /srv/app/db.ts:7:1'));

/** The response of an app some of whose services fail. */
async function onBroken(broken: Partial<typeof inside.services>): Promise<Raw> {
  const other = await serve({ ...inside.services, ...broken });
  const raw = await ask(other, { method: 'GET', path: '/api/projects', headers: cookieOf(anna) });
  await other.close();
  return raw;
}

/** The response of an app whose database does not answer. */
async function withoutDatabase(): Promise<Raw> {
  const orm = await openOrm({ connection: nowhere(), poolSize: 1 });
  const raw = await onBroken({ db: createDatabase(orm, { clock: inside.clock, ids: inside.services.ids }) });
  await orm.close();
  return raw;
}

/** Sends a request while another one has written the key `held` without a commit. */
async function whileKeyIsLocked(request: () => Promise<Raw>): Promise<Raw> {
  const { id } = await project.pipeline.submit(aSubmission());
  const place = { projectId: project.id, operation: 'submit', key: 'held' };
  return withOpenTransaction(inside, insertKeyStatement(place, { itemId: id, bodySha256: '' }), request);
}
