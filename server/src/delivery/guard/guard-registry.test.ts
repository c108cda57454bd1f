// Compares W3 with the IANA registries over random addresses, using code that shares nothing with the guard.
import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ends,
  isWithin,
  type Numeric,
  numeric,
  reachOf,
  REGISTRY,
  spellings,
} from '../../../test/fixtures/address-registry.ts';
import { isPublicAddress } from './guard.ts';

const STRICT = { allowCidrs: [], allowHttp: false };

/** Globally reachable according to the registries, but refused. */
const STRICTER: Record<string, string> = {
  '192.0.0.9/32': 'anycast to the nearest router: not a receiver of webhooks, and inside our own network',
  '192.0.0.10/32': 'the same',
  '168.63.129.16/32': 'a public address, but inside Azure it is the platform of the machine itself',
  '64:ff9b::/96': 'embeds an IPv4 address that a translator would connect to, possibly a private one',
  '2001:1::1/128': 'anycast to the nearest router',
  '2001:1::2/128': 'the same',
  '2001:1::3/128': 'the same',
  '2001:3::/32': 'multicast relays, not receivers; the whole of 2001::/23 is for protocols',
  '2001:4:112::/48': 'a sink for misdirected DNS; the same',
  '2001:20::/28': 'names of hosts that are not routed (ORCHIDv2); the same',
  '2001:30::/28': 'names of drones; the same',
};

const isStricter = (address: Numeric) => Object.keys(STRICTER).some((block) => isWithin(address, block));
const expected = (address: Numeric) => reachOf(address) === 'global' && !isStricter(address);

/** The guard's decision for every spelling of the address, which must be the same. */
function passes(address: Numeric): boolean {
  const texts = spellings(address);
  const passing = texts.filter((text) => isPublicAddress(text, STRICT));
  if (passing.length > 0) expect(passing).toEqual(texts);
  return passing.length > 0;
}

const sizeOf = (bits: number) => 1n << BigInt(bits);
const moved = ({ bits, value }: Numeric, by: bigint): Numeric => ({
  bits,
  value: (((value + by) % sizeOf(bits)) + sizeOf(bits)) % sizeOf(bits),
});

const BLOCKS = [...REGISTRY.map(({ block }) => block), ...Object.keys(STRICTER)];
const block = fc.constantFrom(...BLOCKS);
const anyAddress = fc
  .constantFrom(32 as const, 128 as const)
  .chain((bits) => fc.bigInt({ min: 0n, max: sizeOf(bits) - 1n }).map((value): Numeric => ({ bits, value })));
const globalV6 = fc
  .bigInt({ min: ends('2000::/3').first.value, max: ends('2000::/3').last.value })
  .map((value): Numeric => ({ bits: 128, value }));
const inside = block.chain((text) => {
  const { first, last } = ends(text);
  return fc.bigInt({ min: first.value, max: last.value }).map((value): Numeric => ({ bits: first.bits, value }));
});
/** Up to a few million addresses from an edge, mostly close to it, on either side. */
const nearAnEdge = fc
  .tuple(block, fc.boolean(), fc.integer({ min: 0, max: 22 }), fc.bigInt({ min: -2n, max: 2n }))
  .map(([text, atFirst, power, steps]) => moved(atFirst ? ends(text).first : ends(text).last, steps << BigInt(power)));
/** Every way in which an IPv6 address can embed an IPv4 one. */
const wrapped = fc
  .tuple(
    fc.oneof(inside, anyAddress),
    fc.constantFrom('::ffff:0:0', '::', '::ffff:0:0:0', '64:ff9b::', '64:ff9b:1::', 'fe80::5efe:0:0'),
  )
  .map(([{ value }, prefix]): Numeric => ({ bits: 128, value: numeric(prefix).value + (value & 0xffff_ffffn) }));
const sixToFour = anyAddress.map(({ value }): Numeric => ({
  bits: 128,
  value: numeric('2002::').value + ((value & 0xffff_ffffn) << 80n),
}));

describe('W3: the IANA registries', () => {
  it('parse addresses correctly: known ones, and their own spellings', () => {
    expect(numeric('127.0.0.1').value).toBe(0x7f00_0001n);
    expect(numeric('::ffff:127.0.0.1').value).toBe(0xffff_7f00_0001n);
    expect(numeric('2001:DB8::8:800:200c:417a').value).toBe(0x2001_0db8_0000_0000_0008_0800_200c_417an);
    expect([numeric('::').value, numeric('1::').value]).toEqual([0n, 1n << 112n]);
    for (const text of ['1.2.3', '1.2.3.256', '1:2:3', '1:2:3:4:5:6:7:8:9', '1::fffff']) {
      expect(() => numeric(text), text).toThrow();
    }
    fc.assert(
      fc.property(fc.oneof(anyAddress, nearAnEdge, wrapped), (address) => {
        for (const text of spellings(address)) {
          expect(isIP(text), text).toBe(address.bits === 32 ? 4 : 6);
          expect(numeric(text)).toEqual(address);
        }
      }),
    );
  });

  it('classify well-known addresses correctly', () => {
    const reach = (...texts: string[]) => [...new Set(texts.map((text) => reachOf(numeric(text))))];
    expect(reach('1.1.1.1', '8.8.8.8', '2606:4700::1111', '192.175.48.1', '2620:4f:8000::1')).toEqual(['global']);
    expect(reach('10.1.2.3', '192.168.1.1', '169.254.169.254', '::1', 'fd00::1', 'fe80::1')).toEqual(['local']);
    expect(reach('2002:7f00:1::', '2001::1', '192.88.99.1')).toEqual(['no answer']);
    expect(reach('4000::1', '::7f00:1', 'e000::')).toEqual(['reserved']);
    expect(reach('224.0.0.1', 'ff0e::1')).toEqual(['multicast']);
  });
});

describe('W3: every allowed address is global unicast in the registries; exceptions are stricter', () => {
  it.each(BLOCKS)('at the edges and in the middle of %s', (text) => {
    const { first, last } = ends(text);
    const middle: Numeric = { bits: first.bits, value: (first.value + last.value) / 2n };
    for (const address of [moved(first, -1n), first, middle, last, moved(last, 1n)]) {
      expect(passes(address), spellings(address)[0]).toBe(expected(address));
    }
  });

  it.each(Object.entries(STRICTER))('refuses the global range %s: %s', (text) => {
    const { first, last } = ends(text);
    for (const address of [first, last]) {
      expect(reachOf(address)).toBe('global');
      expect(passes(address)).toBe(false);
    }
  });

  it('over random addresses of both families, most of them near an edge or inside a block', () => {
    const address = fc.oneof(anyAddress, globalV6, inside, nearAnEdge, wrapped, sixToFour);
    fc.assert(
      fc.property(address, (one) => {
        expect(passes(one), spellings(one)[0]).toBe(expected(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never allows metadata services and invalid addresses, even with every exception', () => {
    const policy = { allowCidrs: ['0.0.0.0/0', '::/0'], allowHttp: true };
    fc.assert(
      fc.property(fc.oneof(anyAddress, inside, nearAnEdge), (address) => {
        for (const text of spellings(address)) {
          expect(isPublicAddress(`${text}%1`, policy)).toBe(false);
          expect(isPublicAddress(` ${text}`, policy)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
    for (const text of ['169.254.169.254', 'fd00:ec2::254']) {
      for (const spelling of spellings(numeric(text))) expect(isPublicAddress(spelling, policy), spelling).toBe(false);
    }
  });
});
