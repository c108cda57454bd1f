// API keys: their format, and that no typing mistake reaches the database.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashApiKey, isWellFormedApiKey, last4, makeApiKey } from './api-key.ts';
import { BASE62, sha256Hex } from './tokens.ts';

const PREFIX_LENGTH = 4;
const LENGTH = 42;
const anyKey = fc.constant(null).map(() => makeApiKey());
const anyPlace = fc.integer({ min: PREFIX_LENGTH, max: LENGTH - 1 });

describe('K1: an API key', () => {
  it('consists of csk_, 32 letters and digits, and six characters of checksum', () => {
    expect(makeApiKey()).toMatch(/^csk_[0-9A-Za-z]{38}$/);
  });

  it('is always well formed when generated', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(isWellFormedApiKey(key)).toBe(true);
      }),
    );
  });

  it('is different each time one is generated', () => {
    expect(new Set(Array.from({ length: 1000 }, makeApiKey)).size).toBe(1000);
  });

  it('has as its checksum the padded base62 CRC-32 of the random part, as computed independently', () => {
    // From Python's zlib.crc32: 2700251856 and 7507330.
    expect(isWellFormedApiKey('csk_000000000000000000000000000000002wjyrI')).toBe(true);
    expect(isWellFormedApiKey('csk_WNapJRWhMmXK07SjSMJYPLokhaV7fwOO00VUzy')).toBe(true);
  });
});

describe('K1: a mistyped API key', () => {
  it('when any one character of the random part or checksum is replaced by any other', () => {
    const key = makeApiKey();
    for (let index = PREFIX_LENGTH; index < LENGTH; index += 1) {
      const typos = Array.from(BASE62, (digit) => key.slice(0, index) + digit + key.slice(index + 1));
      expect(typos.filter((typo) => isWellFormedApiKey(typo))).toEqual([key]);
    }
  });

  it('when any one character of any key is replaced', () => {
    fc.assert(
      fc.property(anyKey, anyPlace, fc.constantFrom(...BASE62), (key, index, digit) => {
        const typo = key.slice(0, index) + digit + key.slice(index + 1);
        expect(isWellFormedApiKey(typo)).toBe(typo === key);
      }),
    );
  });

  it('when two adjacent characters of any key are swapped', () => {
    const place = fc.integer({ min: PREFIX_LENGTH, max: LENGTH - 2 });
    fc.assert(
      fc.property(anyKey, place, (key, index) => {
        const typo = key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2);
        expect(isWellFormedApiKey(typo)).toBe(typo === key);
      }),
    );
  });

  it.each<[string, (key: string) => string]>([
    ['a character missing', (key) => key.slice(0, -1)],
    ['a character too many', (key) => `${key}0`],
    ['a space before it', (key) => ` ${key}`],
    ['a line break after it', (key) => `${key}\n`],
    ['the prefix in capitals', (key) => key.replace('csk_', 'CSK_')],
    ['another prefix', (key) => key.replace('csk_', 'csp_')],
    ['no prefix', (key) => key.slice(4)],
    ['the key twice, as repeated headers arrive', (key) => `${key}, ${key}`],
    ['a character that is not a letter or digit', (key) => `${key.slice(0, 10)}-${key.slice(11)}`],
    ['a letter of another alphabet', (key) => `${key.slice(0, 10)}\u0430${key.slice(11)}`],
    ['no characters', () => ''],
    ['100 000 characters', (key) => key + 'a'.repeat(100_000)],
  ])('is refused with %s', (_what, change) => {
    expect(isWellFormedApiKey(change(makeApiKey()))).toBe(false);
  });
});

describe('a valid checksum alone is not enough', () => {
  it.each([
    ['31 characters', 'csk_00000000000000000000000000000004WZ4EQ'],
    ['33 characters', 'csk_00000000000000000000000000000000026BYXP'],
    ['characters that are not letters or digits', 'csk_--------------------------------1hgAQs'],
    ['nothing', 'csk_000000'],
  ])('of a key with %s', (_what, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });
});

describe('K2: what is stored of an API key', () => {
  it('is its SHA-256 and its last four characters', () => {
    const key = makeApiKey();
    expect(hashApiKey(key)).toBe(sha256Hex(key));
    expect(hashApiKey('csk_abc')).toBe('c773b81ef04a4af745e3bcc4e88a484981b120598ebef14c6e5553e6f3b74b17');
    expect(last4(key)).toBe(key.slice(38));
  });
});
