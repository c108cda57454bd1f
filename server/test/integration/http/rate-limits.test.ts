// Tests rate limits over HTTP: who is counted together, what responses say, and that waiting for Retry-After works.
import { type Item, parseList } from 'structured-headers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeApiKey } from '../../../src/crypto/api-key.ts';
import { type Policies, policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { createKeyCache } from '../../../src/usecases/credentials/key-cache.ts';
import { makeWallet, person } from '../../client.ts';
import { movableClock } from '../../contracts/limiter.contract.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const NO_ITEM = '/api/public/items/0197f1a0-0000-7000-8000-000000000001';
let fixture: ProjectFixture;
let served: Served;
let clock: ReturnType<typeof movableClock>;

beforeAll(async () => {
  fixture = await createProjectFixture(inside.services);
});
afterEach(() => served.close());

const few = { quota: 4, windowSeconds: 60 };

/** A separate server with empty buckets and caches; its clock moves only when a test moves it. */
async function open(policies: Partial<Policies> = {}, proxyHops = 0): Promise<void> {
  clock = movableClock();
  const limiter = createMemoryLimiter({ ...policiesOf(60_000), ...policies }, clock);
  served = await serve({ ...inside.services, limiter, keys: createKeyCache(clock) }, { proxyHops });
}

const perMinute = (quota: number) => ({ default: { quota, windowSeconds: 60 } });

const get = (headers: Record<string, string>, path = NO_ITEM) => ask(served, { method: 'GET', path, headers });
const withKey = (key = fixture.apiKey) => get({ 'x-api-key': key });

async function times<T>(count: number, one: (n: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let done = 0; done < count; done += 50) {
    const some = Array.from({ length: Math.min(50, count - done) }, (_, n) => one(done + n));
    all.push(...(await Promise.all(some)));
  }
  return all;
}

/** How often each status came. */
const counted = (raws: Raw[]) =>
  Object.fromEntries([...Map.groupBy(raws, ({ status }) => status)].map(([status, those]) => [status, those.length]));

/** The one member of a structured list, as name and parameters. */
function member(raw: Raw, name: string): Record<string, unknown> {
  const list = parseList(raw.headers.get(name) ?? '');
  expect(list).toHaveLength(1);
  const [policy, parameters] = list[0] as Item;
  return { policy, ...Object.fromEntries(parameters) };
}

describe('with a key', () => {
  it('RL1: every response says what is left, as structured fields; t is when the quota is full again', async () => {
    await open(perMinute(60));
    const answers = [
      await withKey(),
      await get({ 'x-api-key': fixture.apiKey }, '/api/public/items/nonsense'),
      await ask(served, { method: 'POST', path: '/api/public/items', headers: { 'x-api-key': fixture.apiKey } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 400]);
    for (const [n, answer] of answers.entries()) {
      expect(member(answer, 'ratelimit-policy')).toEqual({ policy: 'default', q: 60, w: 60 });
      expect(member(answer, 'ratelimit')).toEqual({ policy: 'default', r: 59 - n, t: n + 1 });
    }
  });

  it('RL1: a request over the limit gets 429, and succeeds after Retry-After, not before', async () => {
    await open(perMinute(20));
    const answers = await times(25, () => withKey());
    expect(counted(answers)).toEqual({ 404: 20, 429: 5 });
    const refused = answers.find(({ status }) => status === 429) as Raw;
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBe(3);
    expect(member(refused, 'ratelimit')).toEqual({ policy: 'default', r: 0, t: wait });
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining('3 s') as string,
    });
    clock.pass((wait - 1) * 1000);
    expect((await withKey()).status).toBe(429);
    clock.pass(1000);
    expect((await withKey()).status).toBe(404);
  });

  it('each key has its own limit, from any address', async () => {
    await open(perMinute(2), 1);
    const { text: other } = await createApiKey(inside.services, fixture.owner, {
      projectId: fixture.projectId,
      name: 'Two',
    });
    const from = (key: string, n: number) => get({ 'x-api-key': key, 'x-forwarded-for': `192.0.2.${n}` });
    expect(counted(await times(4, (n) => from(fixture.apiKey, n)))).toEqual({ 404: 2, 429: 2 });
    expect(counted(await times(4, (n) => from(other, n)))).toEqual({ 404: 2, 429: 2 });
  });

  it('RL1: a batch costs its items, and one larger than the quota passes when no other request does', async () => {
    await open(perMinute(20));
    const batch = async (items: number) => {
      const headers = { 'x-api-key': fixture.apiKey, 'content-type': 'application/json' };
      const body = JSON.stringify({ items: Array.from({ length: items }, () => ({})) });
      const raw = await ask(served, { method: 'POST', path: '/api/public/items/batch', headers, body });
      return [raw.status, member(raw, 'ratelimit').r, raw.headers.get('retry-after')];
    };
    expect(await batch(1)).toEqual([200, 19, null]);
    expect(await batch(15)).toEqual([200, 4, null]);
    // The request itself was counted; its other items do not fit, and are not.
    expect(await batch(6)).toEqual([429, 3, '9']);
    clock.pass(9000);
    expect(await batch(6)).toEqual([200, 0, null]);
    expect(await batch(3)).toEqual([429, 0, '3']);
    clock.pass(60_000);
    expect(await batch(500)).toEqual([200, 0, null]);
  });
});

describe('without a valid key', () => {
  it('RL2: unknown, mistyped and missing keys are limited to 600 a minute per address, then 429', async () => {
    await open();
    // A new unknown key each time: concurrent requests with the same one share a lookup, and cost one.
    const kinds = [() => makeApiKey(), () => 'csk_typo', () => ''];
    const answers = await times(630, (n) => get({ 'x-api-key': kinds[n % 3]?.() ?? '' }));
    expect(counted(answers)).toEqual({ 401: 600, 429: 30 });
    const refused = answers.at(-1) as Raw;
    expect(member(refused, 'ratelimit-policy')).toEqual({ policy: 'unknown-key', q: 600, w: 60 });
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  it('RL2: they do not block a key in use, nor one of another address', async () => {
    await open({ 'unknown-key': few }, 1);
    const from = (address: string, key: string) => get({ 'x-api-key': key, 'x-forwarded-for': address });
    expect((await from('192.0.2.1', fixture.apiKey)).status).toBe(404);
    await times(3, () => from('192.0.2.1', 'csk_typo'));
    // Long enough for the key to be looked up again, and too short for a refill.
    clock.pass(4000);
    expect((await from('192.0.2.1', 'csk_typo')).status).toBe(429);
    expect((await from('192.0.2.1', fixture.apiKey)).status).toBe(404);
    expect((await from('192.0.2.2', 'csk_typo')).status).toBe(401);
  });

  it('unknown, revoked and malformed keys get the same 401', async () => {
    await open();
    const { key, text } = await createApiKey(inside.services, fixture.owner, {
      projectId: fixture.projectId,
      name: 'Old',
    });
    await revokeApiKey(inside.services, fixture.owner, { projectId: fixture.projectId, keyId: key.id });
    const answers = await Promise.all([makeApiKey(), text, 'csk_typo', `${text}x`].map((sent) => withKey(sent)));
    const neutral = answers.map(({ status, headers, text: body }) => {
      const { request_id: id, ...rest } = JSON.parse(body) as { request_id: string };
      const shown = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
      return { status, shown, body: body.replace(id, ''), rest };
    });
    expect(neutral[0]).toMatchObject({ status: 401, rest: { code: 'api_key_invalid' } });
    for (const other of neutral) expect(other).toEqual(neutral[0]);
  });
});

describe('sign-in', () => {
  const refusalCodeOf = (path: string, address: string) =>
    ask(served, {
      method: 'POST',
      path,
      headers: { origin: served.testEnv.baseUrl, 'content-type': 'application/json', 'x-forwarded-for': address },
      body: '{}',
    });

  it.each([
    ['/api/auth/challenge', 'challenge', 200],
    ['/api/auth/verify', 'verify', 422],
  ])('RL2: %s is limited to 600 in ten seconds per address', async (path, policy, usual) => {
    await open({}, 1);
    expect(counted(await times(610, () => refusalCodeOf(path, '198.51.100.7')))).toEqual({ [usual]: 600, 429: 10 });
    const refused = await refusalCodeOf(path, '198.51.100.7');
    expect(member(refused, 'ratelimit-policy')).toEqual({ policy, q: 600, w: 10 });
    expect((await refusalCodeOf(path, '198.51.100.8')).status).toBe(usual);
    clock.pass(1000);
    expect((await refusalCodeOf(path, '198.51.100.7')).status).toBe(usual);
  });

  it('RL2: addresses are distinguished as the trusted proxy says, and cannot be forged', async () => {
    await open({ verify: few }, 1);
    const same = ['203.0.113.9', '10.0.0.1, 203.0.113.9', '1.1.1.1,2.2.2.2, 203.0.113.9', '::ffff:203.0.113.9'];
    await times(4, (n) => refusalCodeOf('/api/auth/verify', same[n % same.length] ?? ''));
    for (const address of same) expect((await refusalCodeOf('/api/auth/verify', address)).status, address).toBe(429);
    expect((await refusalCodeOf('/api/auth/verify', '203.0.113.10')).status).toBe(422);
  });

  it('RL2: an IPv6 client counts by its /64, and an invalid address by its connection', async () => {
    await open({ verify: few }, 1);
    await times(4, (n) => refusalCodeOf('/api/auth/verify', `2001:db8:1:2:${n.toString(16)}::${n.toString(16)}`));
    expect((await refusalCodeOf('/api/auth/verify', '2001:db8:1:2:ffff:ffff:ffff:ffff')).status).toBe(429);
    expect((await refusalCodeOf('/api/auth/verify', '2001:db8:1:3::1')).status).toBe(422);
    await times(4, (n) => refusalCodeOf('/api/auth/verify', `made-up-${n}`));
    expect((await refusalCodeOf('/api/auth/verify', 'another')).status).toBe(429);
  });

  it('RL5: new accounts are counted by address, and a known wallet signs in all the same', async () => {
    await open({ 'new-account': few }, 1);
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const known = makeWallet();
    const wallets = [known, makeWallet(), makeWallet(), makeWallet()];
    for (const wallet of wallets) await person(served.testEnv, wallet, from('198.51.100.7'));
    await expect(person(served.testEnv, makeWallet(), from('198.51.100.7'))).rejects.toThrow('rate_limited');
    await person(served.testEnv, known, from('198.51.100.7'));
    await person(served.testEnv, makeWallet(), from('198.51.100.8'));
  });

  it('RL2: without a trusted proxy no header sets the address', async () => {
    await open({ verify: few });
    await times(4, (n) => refusalCodeOf('/api/auth/verify', `192.0.2.${n}`));
    expect((await refusalCodeOf('/api/auth/verify', '192.0.2.251')).status).toBe(429);
  });
});

describe('no limit applies', () => {
  it('to health and the description of the API', async () => {
    await open(perMinute(1));
    for (const path of ['/healthz', '/readyz', '/api/public/openapi.json', '/api/meta']) {
      const answers = await times(3, () => get({}, path));
      for (const { status, headers } of answers)
        expect([path, status, headers.get('ratelimit')]).toEqual([path, 200, null]);
    }
  });
});
