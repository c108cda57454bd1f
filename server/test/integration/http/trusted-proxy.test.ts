// Tests the service behind proxies: cookies are secure (A2), and no client chooses its address (A11).
import { afterEach, describe, expect, it } from 'vitest';
import { challenge, endSession, readSession, verify } from '@countersign/shared/routes/session';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { browser, makeWallet, signedChallenge } from '../../client.ts';
import { movableClock } from '../../contracts/limiter.contract.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
afterEach(() => served.close());

/** A cookie as it was set: its name and its flags, lower-cased and sorted. */
function flagsOf(line: string): { name: string; flags: string[] } {
  const [pair = '', ...flags] = line.split(/; */);
  const plain = flags.map((flag) => flag.toLowerCase()).filter((flag) => !/^(?:max-age|expires)=/.test(flag));
  return { name: pair.split('=')[0] ?? '', flags: plain.sort() };
}

const FLAGS = (sameSite: string) => ['httponly', 'path=/', `samesite=${sameSite}`, 'secure'];

describe('A2: the cookies', () => {
  it.each<[what: string, baseUrl: string, proxyHops: number, headers: Record<string, string>]>([
    ['no proxy, on this machine', 'http://localhost:3000', 0, {}],
    ['a proxy with TLS that says so', 'https://review.test', 1, { 'x-forwarded-proto': 'https' }],
    ['a proxy with TLS that says nothing', 'https://review.test', 1, {}],
    ['a proxy with TLS that says something else', 'https://review.test', 1, { 'x-forwarded-proto': 'http' }],
    ['two proxies', 'https://review.test', 2, { 'x-forwarded-proto': 'https, http', forwarded: 'proto=http' }],
    ['an unconfigured proxy', 'https://review.test', 0, { 'x-forwarded-proto': 'http' }],
  ])('are for this host, safe connections and no script: behind %s', async (_, baseUrl, proxyHops, headers) => {
    served = await serve({ ...inside.services, baseUrl }, { proxyHops });
    const page = browser(served.testEnv);
    const given = await page.attempt(challenge, {}, { headers });
    if (!given.ok) throw new Error(given.text);
    expect(given.headers.getSetCookie().map(flagsOf)).toEqual([{ name: '__Host-siws', flags: FLAGS('strict') }]);
    const signedIn = await page.attempt(verify, { body: signedChallenge(makeWallet(), given.reply) }, { headers });
    expect(signedIn.status).toBe(200);
    const set = signedIn.headers.getSetCookie().map(flagsOf);
    expect(set).toContainEqual({ name: '__Host-sid', flags: FLAGS('lax') });
    for (const { flags } of set) expect(flags).toEqual(expect.arrayContaining(['httponly', 'path=/', 'secure']));
    await page.call(readSession, {}, { headers });
    // Clearing a cookie must match its flags, or browsers keep it.
    const out = await page.attempt(endSession, {}, { headers });
    expect(out.headers.getSetCookie().map(flagsOf)).toContainEqual({ name: '__Host-sid', flags: FLAGS('lax') });
    expect(page.cookies.has('__Host-sid')).toBe(false);
    expect(served.failures).toEqual([]);
  });
});

describe('A11: the address of a client', () => {
  const few = { quota: 2, windowSeconds: 60 };
  const open = async (proxyHops: number) => {
    const limiter = createMemoryLimiter({ ...policiesOf(60_000), verify: few }, movableClock());
    served = await serve({ ...inside.services, limiter }, { proxyHops });
  };
  const refusalCodeOf = async (headers: Record<string, string | string[]>) => {
    const own = { origin: served.testEnv.baseUrl, 'content-type': 'application/json' };
    return (
      await ask(served, { method: 'POST', path: '/api/auth/verify', headers: { ...own, ...headers }, body: '{}' })
    ).status;
  };
  const from = (address: string | string[]) => refusalCodeOf({ 'x-forwarded-for': address });
  const usedUp = async (address: string) => {
    expect([await from(address), await from(address), await from(address)]).toEqual([422, 422, 429]);
  };

  it.each<[hops: number, behind: string]>([
    [1, ''],
    [2, ', 10.0.0.2'],
    [3, ', 10.0.0.3, 10.0.0.2'],
  ])(
    'with %i trusted proxies is counted from the right; forged entries further left have no effect',
    async (hops, behind) => {
      await open(hops);
      await usedUp(`203.0.113.9${behind}`);
      const forged = [
        '198.51.100.1',
        '198.51.100.2, 198.51.100.3',
        'x',
        '',
        ', ,',
        '::1',
        '127.0.0.1',
        'x'.repeat(4000),
      ];
      for (const left of forged) expect(await from(`${left}, 203.0.113.9${behind}`), left.slice(0, 40)).toBe(429);
      expect(await from(['198.51.100.4', `203.0.113.9${behind}`]), 'in a separate header line').toBe(429);
      expect(await from(`203.0.113.9, 203.0.113.10${behind}`), 'the next one is another').toBe(422);
    },
  );

  it('without a trusted proxy is the address of the connection, with any headers', async () => {
    await open(0);
    await usedUp('192.0.2.1');
    for (const header of [
      'x-forwarded-for',
      'forwarded',
      'x-real-ip',
      'cf-connecting-ip',
      'true-client-ip',
      'x-client-ip',
    ])
      expect(await refusalCodeOf({ [header]: header === 'forwarded' ? 'for=192.0.2.2' : '192.0.2.2' }), header).toBe(
        429,
      );
  });
});
