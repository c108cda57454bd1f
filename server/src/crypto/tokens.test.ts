// Tokens: their format, their distribution, and the comparison.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASE62, randomBase62, randomToken, sameHex, sha256Hex } from './tokens.ts';

describe('a random token (A1)', () => {
  it('is 32 bytes in base64url, or as many as requested', () => {
    expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(randomToken(16), 'base64url')).toHaveLength(16);
  });

  it('is different each time one is generated', () => {
    expect(new Set(Array.from({ length: 1000 }, () => randomToken())).size).toBe(1000);
  });
});

describe('random letters and digits (S2)', () => {
  it('have the requested length and contain nothing else', () => {
    expect(randomBase62(24)).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(randomBase62(0)).toBe('');
    expect(new Set(BASE62).size).toBe(62);
  });

  it('are equally frequent: no digit of the alphabet is favoured', () => {
    const drawn = 62_000;
    const counts = new Map<string, number>();
    for (const character of randomBase62(drawn)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = drawn / 62;
    const chiSquare = Array.from(BASE62, (digit) => ((counts.get(digit) ?? 0) - expected) ** 2 / expected);
    // 61 degrees of freedom: above 150 by chance once in 10^9 runs; a byte modulo 62 gives about 450.
    expect(chiSquare.reduce((sum, part) => sum + part)).toBeLessThan(150);
  });
});

describe('SHA-256 in hex', () => {
  it('matches FIPS 180', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('hashes a string by its UTF-8 bytes, and bytes as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const hex = createHash('sha256').update(text, 'utf8').digest('hex');
        expect(sha256Hex(text)).toBe(hex);
        expect(sha256Hex(new TextEncoder().encode(text))).toBe(hex);
      }),
    );
  });
});

describe('comparing hex (K5)', () => {
  const HEX = sha256Hex('secret');

  it('accepts the same text', () => {
    expect(sameHex(HEX, sha256Hex('secret'))).toBe(true);
  });

  it('rejects any one different digit', () => {
    fc.assert(
      fc.property(fc.nat(63), fc.constantFrom(...'0123456789abcdef'), (index, digit) => {
        const other = HEX.slice(0, index) + digit + HEX.slice(index + 1);
        expect(sameHex(HEX, other)).toBe(other === HEX);
        expect(sameHex(other, HEX)).toBe(other === HEX);
      }),
    );
  });

  it.each([
    ['upper case', HEX.toUpperCase()],
    ['a digit less', HEX.slice(1)],
    ['two digits less', HEX.slice(2)],
    ['a digit more', `${HEX}0`],
    ['a line break after it', `${HEX}\n`],
    ['a letter beyond f', `${HEX.slice(0, 63)}g`],
    ['two of them, as repeated headers arrive', `${HEX}, ${HEX}`],
    ['nothing', ''],
    ['a text of 100 000 digits', 'a'.repeat(100_000)],
  ])('rejects %s, also against itself, and does not throw', (_what, text) => {
    expect(sameHex(HEX, text)).toBe(false);
    expect(sameHex(text, HEX)).toBe(false);
    expect(sameHex(text, text)).toBe(false);
  });

  it.each([undefined, null, 5, [HEX], {}])('rejects %o and does not throw', (value) => {
    expect(sameHex(HEX, value as string)).toBe(false);
    expect(sameHex(value as string, value as string)).toBe(false);
  });
});
