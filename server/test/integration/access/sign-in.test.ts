// Tests the rules of sign-in, in the use cases and over HTTP: whose challenge, how often, until when, over which bytes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { challenge, readSession, verify } from '@countersign/shared/routes/session';
import type { SignInInput } from '@countersign/shared/schemas/session';
import { signInText } from '@countersign/shared/sign-in-text';
import { CHALLENGE_SECONDS } from '../../../src/domain/access/sign-in.ts';
import { createSecurityLog } from '../../../src/usecases/credentials/security-log.ts';
import {
  signIn,
  startSignIn,
  type Challenge,
  type SignedChallenge,
} from '../../../src/usecases/credentials/sign-in.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { browser, makeWallet, person, signedChallenge } from '../../client.ts';
import { logWatch, watchedLogger } from '../../log-watch.ts';
import { base64, signedInput } from './sign-in-input.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const BINDER = '__Host-siws';
const SESSION = '__Host-sid';
let served: Served;

// Each test has its own server: on a busy machine a reused connection may be closing.
beforeEach(async () => {
  served = await serve(inside.services);
});
afterEach(() => served.close());

const refused = (signed: SignedChallenge, services: Services = inside.services) =>
  expect(signIn(services, signed)).rejects.toMatchObject({ code: 'signature_invalid' });

const start = () => startSignIn(inside.services);
const users = (address: string) => inside.sql<{ id: string }>('select id from app_user where address = ?', [address]);
const sessions = (address: string) =>
  inside.sql('select s.id from session s join app_user u on u.id = s.user_id where u.address = ?', [address]);
const consumed = async ({ id }: Challenge) => {
  const [row] = await inside.sql<{ used: boolean }>(
    'select consumed_at is not null as used from auth_challenge where id = ?',
    [id],
  );
  return row?.used;
};

describe('the challenge', () => {
  it('S1: is the one the server stores; a submission contains no copy of its fields', async () => {
    const wallet = makeWallet();
    const page = browser(served.testEnv);
    const given = await page.call(challenge, {});
    const [row] = await inside.sql<{ input: SignInInput | string; binder_hash: string }>(
      'select input, binder_hash from auth_challenge where id = ?',
      [given.challenge_id],
    );
    expect(typeof row?.input === 'string' ? JSON.parse(row.input) : row?.input).toEqual(given.input);
    const input = { ...given.input, domain: 'evil.test' };
    const body = { ...signedChallenge(wallet, { ...given, input }), input };
    const refusal = await page.refused('validation_failed', verify, { body });
    expect(JSON.stringify(refusal.errors)).toContain('input');
    await page.call(verify, { body: signedChallenge(wallet, given) });
  });

  it('S2: has a nonce of 24 letters and digits, a new one each time, for five minutes', async () => {
    const all = await Promise.all(Array.from({ length: 60 }, start));
    for (const { input } of all) {
      expect(input.nonce).toMatch(/^[A-Za-z0-9]{24}$/);
      expect(Date.parse(input.expirationTime) - Date.parse(input.issuedAt)).toBe(300_000);
    }
    expect(24 * Math.log2(62)).toBeGreaterThan(128);
    expect(new Set(all.map(({ input }) => input.nonce)).size).toBe(60);
    expect(new Set(all.map(({ binder }) => binder)).size).toBe(60);
  });

  it('S3: opens one session however many submit it at once, to however many processes', async () => {
    const other = await inside.another();
    const wallet = makeWallet();
    const given = await start();
    const signed = signedInput(given, wallet);
    const at = (n: number) => (n % 2 === 1 ? other.services : inside.services);
    const tries = Array.from({ length: 50 }, (_, n) => signIn(at(n), signed));
    const settled = await Promise.allSettled(tries);
    await other.close();
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await sessions(wallet.address)).toHaveLength(1);
  });

  it('S3: is used up before the signature is checked: a wrong one spends it, and a replay of a good one opens nothing', async () => {
    const wallet = makeWallet();
    const spent = await start();
    await refused({ ...signedInput(spent, wallet), signature: base64(new Uint8Array(64)) });
    expect(await consumed(spent)).toBe(true);
    await refused(signedInput(spent, wallet));

    const good = signedInput(await start(), wallet);
    await signIn(inside.services, good);
    await refused(good);
    expect(await sessions(wallet.address)).toHaveLength(1);
  });

  it('S4: of another browser neither signs one in nor is used up: nobody is signed in as another person', async () => {
    const attacker = makeWallet();
    const [theirs, ours] = [await start(), await start()];
    const signed = signedInput(theirs, attacker);
    for (const binder of [ours.binder, undefined, '', `${theirs.binder}x`]) await refused({ ...signed, binder });
    // The other way round: our message, signed by us, in a browser that carries the attacker's cookie.
    await refused({ ...signedInput(ours), binder: theirs.binder });
    expect([await consumed(theirs), await consumed(ours)]).toEqual([false, false]);
    expect(await sessions(attacker.address)).toEqual([]);
    await signIn(inside.services, signed);
  });

  it('S4: is bound by a cookie that no script reads and no other site sends; the database stores only its hash', async () => {
    const page = browser(served.testEnv);
    const { headers } = await page.attempt(challenge, {});
    const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${BINDER}=`));
    const [pair = '', ...flags] = (line ?? '').split('; ').map((part) => part.toLowerCase());
    expect(flags).toEqual(expect.arrayContaining(['path=/', 'secure', 'httponly', 'samesite=strict']));
    expect(flags.some((flag) => flag.startsWith('domain'))).toBe(false);
    const expires = Date.parse(flags.find((flag) => flag.startsWith('expires='))?.slice(8) ?? '');
    expect(Math.abs(expires - Date.now() - CHALLENGE_SECONDS * 1000)).toBeLessThan(10_000);
    const rows = await inside.sql<object>('select * from auth_challenge');
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(pair.split('=')[1]);
  });

  it.each<Record<string, string>>([
    { host: 'evil.test' },
    { host: 'app.test:x@evil.test' },
    { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.test;proto=https' },
    { referer: 'https://evil.test/' },
  ])('S7: names the configured site, with any headers: %o', async (headers) => {
    const sent = { 'content-type': 'application/json', origin: served.testEnv.baseUrl, ...headers };
    const answer = await ask(served, { method: 'POST', path: '/api/auth/challenge', headers: sent, body: '{}' });
    expect(answer.text).not.toContain('evil');
    // An invalid Host is refused outright.
    if (!('host' in headers)) expect(answer.status).toBe(200);
    if (answer.status === 200)
      expect(JSON.parse(answer.text)).toMatchObject({
        input: { domain: 'countersign.test', uri: 'http://countersign.test' },
      });
  });

  it('S8: is valid from its issue, give or take a minute, to its expiry, by the server’s clock', async () => {
    const issued = Date.now();
    const at = (ms: number): Services => ({ ...inside.services, clock: { now: () => new Date(issued + ms) } });
    const fresh = async () => signedInput(await startSignIn(at(0)));
    const end = CHALLENGE_SECONDS * 1000;
    await refused(await fresh(), at(end));
    await refused(await fresh(), at(86_400_000));
    await refused(await fresh(), at(-60_001));
    await signIn(at(end - 1), await fresh());
    await signIn(at(-60_000), await fresh());
  });

  it('S8: has no text in which a wallet could add a start of validity', async () => {
    const wallet = makeWallet();
    const given = await start();
    const text = `${signInText(given.input, wallet.address)}\nNot Before: ${given.input.issuedAt}`;
    const signed = { signedMessage: base64(text), signature: base64(wallet.sign(Buffer.from(text))) };
    await refused({ ...signedInput(given, wallet), ...signed });
  });
});

describe('the person (S9)', () => {
  it('S9: is the address in its one spelling: every other one is refused, and creates no user', async () => {
    const wallet = makeWallet();
    await signIn(inside.services, signedInput(await start(), wallet));
    const others = [`1${wallet.address}`, ` ${wallet.address}`, `${wallet.address}\n`, wallet.address.toLowerCase()];
    for (const address of others) {
      const given = await start();
      const text = Buffer.from(signInText(given.input, address));
      const signed = { address, signedMessage: base64(text), signature: base64(wallet.sign(text)) };
      await refused({ ...signedInput(given, wallet), ...signed });
      expect(await users(address)).toEqual([]);
    }
  });

  it('S9: differs by case: two addresses that match in lower case are two people', async () => {
    const { address } = makeWallet();
    const swapped = address.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const each of [address, swapped]) {
      const id = inside.services.ids.uuid();
      await inside.sql('insert into app_user (id, address, created_at) values (?, ?, now())', [id, each]);
    }
    expect((await users(address))[0]?.id).not.toBe((await users(swapped))[0]?.id);
  });

  it('S9: is the same however many sign-ins run at once, each with its own token', async () => {
    const wallet = makeWallet();
    const signed = await Promise.all(Array.from({ length: 8 }, async () => signedInput(await start(), wallet)));
    const opened = await Promise.all(signed.map((each) => signIn(inside.services, each)));
    expect(new Set(opened.map(({ user }) => user.id)).size).toBe(1);
    expect(new Set(opened.map(({ session }) => session.token)).size).toBe(8);
    expect(await users(wallet.address)).toHaveLength(1);
  });

  it('S9: gets a new token at every sign-in, which ends the session held before, and the cookie of the challenge', async () => {
    const page = await person(served.testEnv);
    const held = page.cookies.get(SESSION) ?? '';
    const given = await page.call(challenge, {});
    const { headers } = await page.attempt(verify, { body: signedChallenge(page.wallet, given) });
    expect(page.cookies.get(SESSION)).not.toBe(held);
    expect(page.cookies.has(BINDER)).toBe(false);
    const dropped = headers.getSetCookie().find((cookie) => cookie.startsWith(`${BINDER}=`));
    expect(Date.parse(/expires=([^;]+)/i.exec(dropped ?? '')?.[1] ?? '')).toBeLessThanOrEqual(Date.now());
    await page.call(readSession);
    const old = { headers: { cookie: `${SESSION}=${held}` } };
    await browser(served.testEnv).refused('session_missing', readSession, {}, old);
  });
});

describe('the log (S13)', () => {
  it('S13: records success and failure, and contains nothing one could sign in with', async () => {
    const lines: string[] = [];
    const security = createSecurityLog(watchedLogger((line) => lines.push(line)));
    const services = { ...inside.services, security };
    const wallet = makeWallet();
    const [good, bad] = [signedInput(await startSignIn(services), wallet), signedInput(await startSignIn(services))];
    const { session, user } = await signIn(services, good);
    await refused({ ...bad, signature: good.signature }, services);
    const logEntries = lines.map((line) => JSON.parse(line) as { msg: string });
    expect(logEntries).toMatchObject([
      { msg: 'signed in', user: user.id },
      { msg: 'sign-in refused', challenge: bad.challengeId },
    ]);
    const all = lines.join('');
    for (const secret of [good.signature, good.signedMessage, good.binder, bad.binder, session.token]) {
      expect(all).not.toContain(secret);
      logWatch.secret('a part of a sign-in', String(secret));
    }
  });
});
