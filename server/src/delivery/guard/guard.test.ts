// The SSRF guard's decisions about URLs (W1) and names (W2).
import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { numeric, reachOf } from '../../../test/fixtures/address-registry.ts';
import { Blocked, examineUrl, type GuardPolicy, resolveTarget } from './guard.ts';

const STRICT: GuardPolicy = { allowCidrs: [], allowHttp: false };
const LOOPBACK: GuardPolicy = { allowCidrs: ['127.0.0.0/8', '::1/128'], allowHttp: true };

/** A verdict with this advice. */
const refused = (advice: RegExp) => ({ ok: false, advice: expect.stringMatching(advice) as string });

describe('W1: URLs', () => {
  it.each(['http://127.0.0.1:4000/hooks', 'http://localhost:4000/hooks', 'http://[::1]:4000/'])(
    'accepts plain HTTP only where the operator’s exceptions apply: %s',
    (url) => {
      const policy = { ...LOOPBACK, allowHttp: false };
      expect(examineUrl(url, policy)).toMatchObject({ ok: true });
      expect(examineUrl(url, STRICT)).toMatchObject(refused(/https/));
      expect(examineUrl('http://example.com/hooks', policy)).toMatchObject(refused(/https/));
      expect(examineUrl('http://10.0.0.1/hooks', policy)).toMatchObject(refused(/https/));
    },
  );

  it.each([
    'https://example.com',
    'https://example.com/hooks?a=1&b=%20',
    'https://example.com:443/',
    'https://example.com:80/',
    'https://example.com:1024/',
    'https://example.com:65535/',
    'https://example.com./',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8443/',
    'https://localhost.example.com/',
    'https://notlocalhost/',
    `https://example.com/${'a'.repeat(2_048 - 20)}`,
  ])('accepts the URL %s', (url) => {
    expect(examineUrl(url, STRICT)).toMatchObject({ ok: true });
  });

  it.each([
    ['', /full URL/],
    ['example.com/hooks', /full URL/],
    ['https://', /full URL/],
    ['https://./', /full URL/],
    ['https://exa mple.com/', /spaces/],
    [' https://example.com/', /spaces/],
    ['https://example.com/\n', /spaces/],
    ['https://exam\tple.com/', /spaces/],
    ['https://example.com/\u0000', /spaces/],
    ['https://example.com\\@10.0.0.1/', /backslashes/],
    ['http://example.com/', /Start the URL with https:\/\//],
    ['ftp://example.com/', /https:\/\//],
    ['file:///etc/passwd', /full URL|https:\/\//],
    ['javascript:alert(1)', /full URL|https:\/\//],
    ['gopher://example.com/', /https:\/\//],
    ['https://user@example.com/', /user name/],
    ['https://:secret@example.com/', /user name/],
    ['https://example.com@10.0.0.1/', /user name/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https://example.com:0/', /port/],
    ['https://example.com:22/', /port/],
    ['https://example.com:1023/', /port/],
    ['https://example.com:65536/', /full URL/],
    [`https://example.com/${'a'.repeat(2_048 - 19)}`, /2048/],
  ])('refuses %j and says what to change', (url, advice) => {
    expect(examineUrl(url, STRICT)).toMatchObject({ ...refused(advice), code: 'invalid_url' });
  });

  it.each([
    ...[
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '0x7f.1',
      '0x7f000001',
      '0x7F.0x0.0x0.0x1',
      '2130706433',
      '017700000001',
      '0177.0.0.1',
      '0177.1',
      '127.0.0.1.',
      '127.0.0.1..',
    ],
    ...[
      '0x7f.1..',
      '2130706433..',
      '①②⑦.0.0.1',
      '１２７.０.０.１',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '0',
      '0.0.0.0',
      '3232235521',
      '0xa9fea9fe',
      '169.254.169.254',
      '10.0.0.1',
    ],
    ...[
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[fd00:ec2::254]',
      '[FE80::1]',
      '[fc00::]',
    ],
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'localhost..',
      'api.localhost',
      'ⓛocalhost',
      'localhoſt',
      'local\u00adhost',
    ],
  ])('refuses %s in every spelling of the address', (host) => {
    expect(examineUrl(`https://${host}/`, STRICT)).toMatchObject(refused(/public host/));
    expect(examineUrl(`https://${host}:8443/x`, STRICT)).toMatchObject({ ok: false, code: 'blocked_address' });
  });

  it('applies the operator’s exceptions to URLs: http, loopback, localhost', () => {
    for (const url of ['http://127.0.0.1:4000/', 'http://localhost:4000/', 'https://[::1]/', 'http://example.com/']) {
      expect(examineUrl(url, LOOPBACK)).toMatchObject({ ok: true });
    }
    expect(examineUrl('http://10.0.0.1/', LOOPBACK)).toMatchObject(refused(/public host/));
    expect(examineUrl('ftp://127.0.0.1/', LOOPBACK)).toMatchObject(refused(/https:\/\/ or http:\/\//));
    expect(examineUrl('https://localhost/', { ...STRICT, allowCidrs: ['10.0.0.0/8'] })).toMatchObject(
      refused(/public host/),
    );
  });

  it('removes the trailing dot of a name, so that certificates match', () => {
    expect(examineUrl('https://Example.com.:8443/a?b', STRICT)).toMatchObject({ ok: true });
    const verdict = examineUrl('https://Example.com.:8443/a?b', STRICT);
    expect(verdict.ok && verdict.url.href).toBe('https://example.com:8443/a?b');
  });

  it('handles a hostile length in constant time', () => {
    const parsing = vi.spyOn(URL, 'parse');
    for (const host of [
      '.'.repeat(1_000_000),
      `${'.'.repeat(1_000_000)}a`,
      'ä'.repeat(1_000_000),
      '%31'.repeat(300_000),
    ]) {
      expect(examineUrl(`https://${host}/`, STRICT)).toMatchObject(refused(/2048/));
    }
    expect(parsing).not.toHaveBeenCalled();
    parsing.mockRestore();
    expect(examineUrl(`https://${'.'.repeat(2_000)}a/`, STRICT)).toMatchObject({ ok: true });
  });

  it('never throws, and never accepts a host that is a refused literal', () => {
    const host = fc.oneof(
      fc.ipV4Extended(),
      fc.ipV4(),
      fc.ipV6().map((v6) => `[${v6}]`),
      fc.string({ unit: 'grapheme' }),
    );
    const url = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.tuple(fc.constantFrom('https', 'http', 'ftp'), host).map(([scheme, name]) => `${scheme}://${name}/hooks`),
    );
    fc.assert(
      fc.property(url, (text) => {
        const verdict = examineUrl(text, STRICT);
        if (!verdict.ok) return;
        const host = verdict.url.hostname.replace(/^\[|\]$/g, '');
        expect(verdict.url.protocol).toBe('https:');
        if (isIP(host) !== 0) expect(reachOf(numeric(host))).toBe('global');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('W2: names', () => {
  const url = new URL('https://receiver.example/hooks');
  const answering = (...addresses: string[]) =>
    vi.fn(async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

  it('returns every address of an allowed name, resolved once, without a trailing dot', async () => {
    const lookup = answering('8.8.8.8', '2606:4700:4700::1111');
    const target = await resolveTarget(new URL('https://Receiver.example.:8443/'), STRICT, lookup);
    expect(lookup.mock.calls).toEqual([['receiver.example']]);
    expect(target.addresses).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it.each([
    ['127.0.0.1'],
    ['8.8.8.8', '10.0.0.1'],
    ['2606:4700:4700::1111', '::1'],
    ['8.8.8.8', '::ffff:169.254.169.254'],
    ['8.8.8.8', 'not an address'],
    ['fe80::1%eth0'],
  ])('refuses the name when any address is blocked: %s %s', async (...addresses) => {
    const refused = resolveTarget(url, STRICT, answering(...addresses));
    await expect(refused).rejects.toMatchObject({ name: 'Blocked', code: 'blocked_address' });
  });

  it('reports dns_error for a name without addresses and for a failing lookup', async () => {
    await expect(resolveTarget(url, STRICT, answering())).rejects.toMatchObject({ code: 'dns_error' });
    const failing = resolveTarget(url, STRICT, () => Promise.reject(new Error('ENOTFOUND')));
    await expect(failing).rejects.toBeInstanceOf(Blocked);
    await expect(failing).rejects.toMatchObject({ code: 'dns_error' });
  });

  it('reports dns_error after 3 s for a lookup that never finishes', async () => {
    vi.useFakeTimers();
    try {
      const outcome = expect(resolveTarget(url, STRICT, () => new Promise(() => undefined))).rejects.toMatchObject({
        code: 'dns_error',
      });
      await vi.advanceTimersByTimeAsync(2_999);
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      await outcome;
    } finally {
      vi.useRealTimers();
    }
  });

  it('checks a literal without a lookup', async () => {
    const lookup = answering('8.8.8.8');
    await expect(resolveTarget(new URL('https://127.0.0.1/'), STRICT, lookup)).rejects.toMatchObject({
      code: 'blocked_address',
    });
    await expect(resolveTarget(new URL('https://[::1]/'), STRICT, lookup)).rejects.toMatchObject({
      code: 'blocked_address',
    });
    expect(await resolveTarget(new URL('https://8.8.4.4/'), STRICT, lookup)).toEqual({
      addresses: [{ address: '8.8.4.4', family: 4 }],
    });
    expect(await resolveTarget(new URL('https://[::1]/'), LOOPBACK, lookup)).toEqual({
      addresses: [{ address: '::1', family: 6 }],
    });
    expect(lookup).not.toHaveBeenCalled();
  });
});
