// Tests signing in over HTTP: a challenge counts once, in one browser, from our own page; every failure looks the same.
import { describe, expect, it } from 'vitest';
import { listProjects } from '@countersign/shared/routes/projects';
import { challenge, endSession, readMeta, readSession, verify } from '@countersign/shared/routes/session';
import type { Problem } from '@countersign/shared/schemas/parts/problem';
import { type Browser, browser, makeWallet, person, signedChallenge } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
const BINDER = '__Host-siws';
const SESSION = '__Host-sid';
const NOBODY = '00000000-0000-7000-8000-000000000000';
/** A problem without the parts that differ by request. */
const bare = ({ request_id: _id, ...rest }: Problem) => rest;

type Signed = ReturnType<typeof signedChallenge>;

/** A browser with a challenge, and what its wallet signed. */
async function asked(wallet = makeWallet()): Promise<{ page: Browser; signed: Signed; wallet: typeof wallet }> {
  const page = browser(testEnv);
  const given = await page.call(challenge, {});
  return { page, wallet, signed: signedChallenge(wallet, given) };
}

describe('signing in', () => {
  it('opens a session for the wallet that signed, the same person every time, at every process', async () => {
    const { page, signed, wallet } = await asked();
    await page.refused('session_missing', readSession);
    const opened = await page.call(verify, { body: signed });
    expect(opened.user).toMatchObject({ address: wallet.address });
    for (const process of [0, 1]) expect(await page.call(readSession, {}, { process })).toEqual(opened);
    expect((await person(testEnv, wallet, { process: 1 })).id).toBe(opened.user.id);
    expect(await page.call(listProjects)).toMatchObject({ data: [] });
    expect((await page.call(readMeta)).base_url).toBe(testEnv.baseUrl);
  });

  it('keeps the session in a cookie that only this host over a safe connection gets, and no script', async () => {
    const { page, signed } = await asked();
    const { headers } = await page.attempt(verify, { body: signed });
    const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${SESSION}=`));
    const flags = line
      ?.split('; ')
      .slice(1)
      .map((flag) => flag.toLowerCase());
    expect(flags).toEqual(expect.arrayContaining(['path=/', 'secure', 'httponly', 'samesite=lax']));
    expect(flags?.some((flag) => flag.startsWith('domain'))).toBe(false);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('a challenge', () => {
  it('is valid once: not again after it succeeded, not again after it failed (S3)', async () => {
    const used = await asked();
    const binder = used.page.cookies.get(BINDER) ?? '';
    await used.page.call(verify, { body: used.signed });
    used.page.cookies.set(BINDER, binder);
    await used.page.refused('signature_invalid', verify, { body: used.signed }, { process: 1 });

    const failed = await asked();
    const wrong = { ...failed.signed, signature: Buffer.alloc(64, 7).toString('base64') };
    await failed.page.refused('signature_invalid', verify, { body: wrong });
    await failed.page.refused('signature_invalid', verify, { body: failed.signed });
  });

  it('counts once when it is submitted many times at once', async () => {
    const { page, signed } = await asked();
    const cookie = page.cookieHeader();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, process) =>
        browser(testEnv).attempt(verify, { body: signed }, { process, headers: { cookie } }),
      ),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
  });

  it('is bound to the browser that asked for it, and a stranger with it does not use it up (S4)', async () => {
    const { page, signed } = await asked();
    const stranger = (await asked()).page;
    await stranger.refused('signature_invalid', verify, { body: signed });
    await browser(testEnv).refused('signature_invalid', verify, { body: signed });
    await page.call(verify, { body: signed });
  });

  it('is refused with the same 401 for every fault (S13)', async () => {
    const other = makeWallet();
    const faults: Record<string, (signed: Signed) => Partial<Signed>> = {
      'an unknown challenge': () => ({ challenge_id: NOBODY }),
      'an invalid id': () => ({ challenge_id: 'x' }),
      'a signature of other bytes': () => ({ signature: Buffer.alloc(64).toString('base64') }),
      'a signature that is too short': () => ({ signature: 'AAAA' }),
      'no base64': () => ({ signature: '*'.repeat(88) }),
      "someone else's address": () => ({ address: other.address }),
      'an invalid address': () => ({ address: 'O0lI' }),
      'another text, validly signed': (signed) => resigned(other, signed, (text) => text.replace('mainnet', 'devnet')),
      'the text with a line more': (signed) => resigned(other, signed, (text) => `${text}\n`),
    };
    const refusals = [];
    for (const [name, fault] of Object.entries(faults)) {
      const { page, signed } = await asked();
      const refusal = await page.attempt(verify, { body: { ...signed, ...fault(signed) } });
      expect(refusal, name).toMatchObject({ ok: false, status: 401 });
      expect(page.cookies.has(SESSION), name).toBe(false);
      if (!refusal.ok) refusals.push(bare(refusal.problem));
    }
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  });
});

/** The challenge's text, changed, and signed by a wallet that owns the address it names. */
function resigned(
  wallet: ReturnType<typeof makeWallet>,
  signed: Signed,
  change: (text: string) => string,
): Partial<Signed> {
  const text = Buffer.from(signed.signed_message, 'base64').toString('utf8').replace(signed.address, wallet.address);
  const message = Buffer.from(change(text));
  const signature = Buffer.from(wallet.sign(message)).toString('base64');
  return { address: wallet.address, signed_message: message.toString('base64'), signature };
}

describe('another site', () => {
  it.each([
    ['no Origin', { origin: '' }],
    ['another Origin', { origin: 'https://evil.example' }],
    ['our host by another scheme', { origin: 'https://countersign.test' }],
    ['our host as a prefix', { origin: 'http://countersign.test.evil.example' }],
    ['a null Origin', { origin: 'null' }],
    ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
  ])('changes nothing: %s (A5)', async (_, headers) => {
    const { page, signed } = await asked();
    await page.refused('origin_refused', challenge, {}, { headers });
    await page.refused('origin_refused', verify, { body: signed }, { headers });
    await page.call(verify, { body: signed });
    await page.refused('origin_refused', endSession, {}, { headers });
    await page.call(readSession);
  });
});

describe('signing out', () => {
  it('ends the session everywhere and closes its sockets at every process; others stay', async () => {
    const [leaver, stayer] = [await person(testEnv), await person(testEnv)];
    const again = await person(testEnv, leaver.wallet);
    const [here, there, otherDevice, other] = [
      await connectLive(leaver),
      await connectLive(leaver, { process: 1 }),
      await connectLive(again, { process: 1 }),
      await connectLive(stayer, { process: 1 }),
    ];
    const cookie = leaver.cookieHeader();
    await leaver.call(endSession);
    expect(await Promise.all([here.closed(), there.closed()])).toEqual(Array(2).fill('io server disconnect'));
    expect(leaver.cookies.has(SESSION)).toBe(false);
    for (const process of [0, 1]) {
      await browser(testEnv).refused('session_missing', readSession, {}, { process, headers: { cookie } });
    }
    leaver.cookies.set(SESSION, cookie.slice(SESSION.length + 1));
    await expect(connectLive(leaver)).rejects.toThrow('session_missing');
    await again.call(readSession);
    await stayer.call(readSession);
    expect([otherDevice, other].map((live) => live.isOpen())).toEqual([true, true]);
    for (const live of [here, there, otherDevice, other]) live.close();
  });
});
