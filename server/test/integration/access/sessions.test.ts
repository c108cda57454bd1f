// Tests a person's sessions over HTTP: list active ones, end one or all others, and never another person's.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  challenge,
  endOneSession,
  endOtherSessions,
  endSession,
  listSessions,
  readSession,
  verify,
} from '@countersign/shared/routes/session';
import { browser, makeWallet, person, type Person, signedChallenge } from '../../client.ts';
import { IDLE_MS } from '../../../src/db/live-session.ts';
import { ABSOLUTE_MS } from '../../../src/usecases/credentials/sessions.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const NOBODY = '00000000-0000-7000-8000-000000000000';

const inside = useServices();
let served: Served;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterAll(() => served.close());

const signedIn = (wallet = makeWallet(), userAgent = '') =>
  person(served.testEnv, wallet, { headers: { 'user-agent': userAgent } });
const sessionsOf = async (who: Person) => (await who.call(listSessions)).data;
const idOf = (who: Person) => who.cookies.get('__Host-sid')?.split('.')[0] ?? '';
const isIn = async (who: Person) => (await who.attempt(readSession)).ok;

describe('the list of sessions', () => {
  it('names each browser and marks the current session, the last seen first, and reveals nothing more', async () => {
    const first = await signedIn(makeWallet(), FIREFOX);
    inside.clock.pass(1000);
    const second = await signedIn(first.wallet, '<script>alert(1)</script>');
    const rows = await sessionsOf(second);
    expect(rows).toMatchObject([
      { id: idOf(second), current: true, device: null, expires_at: second.session.expires_at },
      { id: idOf(first), current: false, device: 'Firefox on Linux', expires_at: first.session.expires_at },
    ]);
    expect((await sessionsOf(first)).map(({ current }) => current)).toEqual([false, true]);
    const stored = await inside.sql<object>('select * from session where id = ?', [idOf(second)]);
    expect(JSON.stringify(stored)).not.toContain('script');
    expect(Object.keys(stored[0] ?? {}).filter((name) => /ip|address|agent/.test(name))).toEqual([]);
  });

  it('A3: lists no session that ended, was idle too long or is too old, next to active ones', async () => {
    const idle = await signedIn();
    inside.clock.pass(IDLE_MS - 60_000);
    const busy = await signedIn(idle.wallet);
    expect(await sessionsOf(busy)).toHaveLength(2);
    inside.clock.pass(120_000);
    expect((await sessionsOf(busy)).map(({ id }) => id)).toEqual([idOf(busy)]);
    for (let passed = 0; passed < ABSOLUTE_MS; passed += IDLE_MS / 2) {
      inside.clock.pass(IDLE_MS / 2);
      await busy.attempt(readSession);
    }
    await busy.refused('session_missing', listSessions);
    expect(await sessionsOf(await signedIn(idle.wallet))).toHaveLength(1);
  });

  it('says when a session was last seen, to the minute', async () => {
    const [one, other] = await Promise.all([signedIn(), signedIn()]);
    const again = await signedIn(one.wallet);
    const seen = async () => (await sessionsOf(again)).find(({ id }) => id === idOf(one))?.last_seen_at ?? '';
    const before = await seen();
    inside.clock.pass(90_000);
    await other.call(readSession);
    expect(await seen()).toBe(before);
    await one.call(readSession);
    expect(Date.parse(await seen())).toBeGreaterThanOrEqual(Date.parse(before) + 90_000);
  });
});

describe('ending a session', () => {
  it('A4: ends that one alone, and returns not_found the second time', async () => {
    const [keeps, goes, stays] = [await signedIn(), await signedIn(), await signedIn()];
    const lost = await signedIn(keeps.wallet);
    const cookie = lost.cookieHeader();
    await keeps.call(endOneSession, { params: { id: idOf(lost) } });
    await browser(served.testEnv).refused('session_missing', readSession, {}, { headers: { cookie } });
    await keeps.refused('not_found', endOneSession, { params: { id: idOf(lost) } });
    expect(await sessionsOf(keeps)).toHaveLength(1);
    expect(await Promise.all([keeps, goes, stays].map(isIn))).toEqual([true, true, true]);
  });

  it('of another person returns 404 and ends nothing', async () => {
    const [mine, theirs] = [await signedIn(), await signedIn()];
    await mine.refused('not_found', endOneSession, { params: { id: idOf(theirs) } });
    await mine.refused('not_found', endOneSession, { params: { id: NOBODY } });
    await mine.refused('invalid_id', endOneSession, { params: { id: 'x' } });
    expect(await isIn(theirs)).toBe(true);
  });

  it('of the current browser is signing out: the cookie is cleared too', async () => {
    const leaver = await signedIn();
    await leaver.call(endOneSession, { params: { id: idOf(leaver) } });
    expect(leaver.cookies.has('__Host-sid')).toBe(false);
    const other = await signedIn();
    await other.call(endSession);
    expect(other.cookies.has('__Host-sid')).toBe(false);
  });

  it('A4: signing in again ends the previous session of this browser, and no other', async () => {
    const [page, elsewhere] = [await signedIn(), await signedIn()];
    const before = page.cookieHeader();
    const again = await page.call(challenge);
    await page.call(verify, { body: signedChallenge(makeWallet(), again) });
    await browser(served.testEnv).refused('session_missing', readSession, {}, { headers: { cookie: before } });
    expect(await Promise.all([page, elsewhere].map(isIn))).toEqual([true, true]);

    // A failed sign-in ends nothing.
    const kept = await elsewhere.call(challenge);
    const wrong = { ...signedChallenge(makeWallet(), kept), signature: Buffer.alloc(64, 7).toString('base64') };
    await elsewhere.refused('signature_invalid', verify, { body: wrong });
    expect(await isIn(elsewhere)).toBe(true);
  });

  it('A4: all others end, this one and other people’s do not', async () => {
    const [here, theirs] = [await signedIn(), await signedIn()];
    const others = [await signedIn(here.wallet), await signedIn(here.wallet)];
    await here.call(endOtherSessions);
    expect(await Promise.all(others.map(isIn))).toEqual([false, false]);
    expect(await Promise.all([here, theirs].map(isIn))).toEqual([true, true]);
    expect((await sessionsOf(here)).map(({ current }) => current)).toEqual([true]);
    await here.call(endOtherSessions);
  });
});
