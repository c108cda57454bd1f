// The key ring: which texts can be decrypted, and that nothing else can.
import { createCipheriv, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeKeyRingText } from '../../test/fixtures/key-ring-text.ts';
import { decrypt, parseKeyRing, encrypt } from './key-ring.ts';

const KEY_A = Buffer.alloc(32, 0xa1).toString('base64');
const KEY_B = Buffer.alloc(32, 0xb2).toString('base64');
const RING = parseKeyRing(`a:${KEY_A}`);
const AAD = 'webhook_endpoint|7f000001|42|secret';
const SECRET = 'whsec_c2VjcmV0';

const body = (encrypted: string) => Buffer.from(encrypted.split('.')[1] ?? '', 'base64url');
const withBody = (bytes: Uint8Array) => `a.${Buffer.from(bytes).toString('base64url')}`;

describe('K3: encryption', () => {
  it('decrypts any text under the same aad', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (plain, aad) => {
        expect(decrypt(RING, encrypt(RING, plain, aad), aad)).toBe(plain);
      }),
    );
  });

  it('consists of the kid, then an IV of 12, the ciphertext and a tag of 16 bytes', () => {
    const encrypted = encrypt(RING, SECRET, AAD);
    expect(encrypted).toMatch(/^a\.[A-Za-z0-9_-]+$/);
    expect(body(encrypted)).toHaveLength(12 + SECRET.length + 16);
    expect(encrypted).not.toContain(SECRET);
  });

  it('decrypts what plain AES-256-GCM made with the same key', () => {
    const iv = Buffer.alloc(12, 3);
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 0xa1), iv).setAAD(Buffer.from(AAD));
    const text = Buffer.concat([cipher.update(SECRET), cipher.final()]);
    expect(decrypt(RING, withBody(Buffer.concat([iv, text, cipher.getAuthTag()])), AAD)).toBe(SECRET);
  });

  it('never uses an IV twice', () => {
    const ivs = Array.from({ length: 1000 }, () => body(encrypt(RING, SECRET, AAD)).toString('hex', 0, 12));
    expect(new Set(ivs).size).toBe(1000);
  });
});

describe('K3: rotation: the first key encrypts, all decrypt', () => {
  const old = encrypt(RING, SECRET, AAD);
  const rotated = parseKeyRing(`b:${KEY_B},a:${KEY_A}`);

  it('new texts name the first key, old ones can still be decrypted', () => {
    expect(encrypt(rotated, SECRET, AAD)).toMatch(/^b\./);
    expect(decrypt(rotated, old, AAD)).toBe(SECRET);
    expect(decrypt(rotated, encrypt(rotated, SECRET, AAD), AAD)).toBe(SECRET);
  });

  it('the error names the key that is missing', () => {
    expect(() => decrypt(parseKeyRing(`b:${KEY_B}`), old, AAD)).toThrow('SECRET_KEYS has no key with the kid a.');
  });

  it('a text under the same kid with a different key cannot be decrypted', () => {
    expect(() => decrypt(parseKeyRing(`a:${KEY_B}`), old, AAD)).toThrow('cannot be decrypted');
  });

  it('a text renamed to another kid of the ring cannot be decrypted', () => {
    expect(() => decrypt(rotated, old.replace('a.', 'b.'), AAD)).toThrow('cannot be decrypted');
  });
});

describe('K3: tampering', () => {
  const encrypted = encrypt(RING, SECRET, AAD);

  it('rejects any one flipped bit of IV, ciphertext or tag: every one is tried', () => {
    const bytes = body(encrypted);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(() => decrypt(RING, withBody(flipped), AAD), `bit ${bit}`).toThrow('cannot be decrypted');
    }
  });

  it('rejects any one flipped bit of the text itself, unused bits of base64 included: every one is tried', () => {
    // Lengths with zero, two and four unused bits in the last character.
    for (const plain of ['', 'x', 'xy']) {
      const text = Buffer.from(encrypt(RING, plain, AAD), 'latin1');
      for (let bit = 0; bit < text.length * 8; bit += 1) {
        const flipped = text.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(() => decrypt(RING, Buffer.from(flipped).toString('latin1'), AAD), `bit ${bit} of ${plain}`).toThrow(
          Error,
        );
      }
    }
  });

  it.each(Array.from({ length: 16 }, (_, length) => length))('rejects a tag cut to %i of its 16 bytes', (length) => {
    const bytes = body(encrypted);
    expect(() => decrypt(RING, withBody(bytes.subarray(0, bytes.length - 16 + length)), AAD)).toThrow(Error);
    // Cut so short that the rest could be an IV and a short tag with no ciphertext.
    expect(() => decrypt(RING, withBody(bytes.subarray(0, 12 + length)), AAD)).toThrow('not in the expected format');
  });

  it.each([
    ['none', ''],
    ['another one', 'webhook_endpoint|7f000001|43|secret'],
    ['a longer one', `${AAD}|`],
    ['a shorter one', AAD.slice(0, -1)],
  ])('rejects the aad: %s', (_what, aad) => {
    expect(() => decrypt(RING, encrypted, aad)).toThrow('cannot be decrypted');
  });

  it.each([
    '',
    '.',
    'a.',
    '.abcd',
    'a',
    `${encrypted}.`,
    `${encrypted}=`,
    `${encrypted}\n`,
    ` ${encrypted}`,
    encrypted.slice(2),
    encrypted.replace('.', ':'),
    `${'k'.repeat(33)}.${encrypted.slice(2)}`,
    encrypted + 'A'.repeat(4),
  ])('rejects the format: %j', (text) => {
    expect(() => decrypt(RING, text, AAD)).toThrow(Error);
  });
});

describe('SECRET_KEYS', () => {
  it('decrypts with the earlier key after a new one was put before it', () => {
    const text = makeKeyRingText();
    const rotated = parseKeyRing(`${makeKeyRingText()},${text}`);
    expect(rotated).toHaveLength(2);
    expect(decrypt(rotated, encrypt(parseKeyRing(text), SECRET, AAD), AAD)).toBe(SECRET);
  });

  it('may have spaces around its entries and a line break at its end', () => {
    expect(parseKeyRing(` a:${KEY_A} , b:${KEY_B}\n`).map(({ kid }) => kid)).toEqual(['a', 'b']);
  });

  const random = randomBytes(32).toString('base64');

  it.each([
    ['', 'SECRET_KEYS is empty; it needs at least one kid:base64 entry.'],
    [' \n', 'SECRET_KEYS is empty; it needs at least one kid:base64 entry.'],
    [`a:${random},`, 'SECRET_KEYS entry 2 must be kid:base64, the kid being 1 to 32 letters, digits, "-" or "_".'],
    [random, 'SECRET_KEYS entry 1 must be kid:base64, the kid being 1 to 32 letters, digits, "-" or "_".'],
    [`:${random}`, 'SECRET_KEYS entry 1 must be kid:base64, the kid being 1 to 32 letters, digits, "-" or "_".'],
    [`a.b:${random}`, 'SECRET_KEYS entry 1 must be kid:base64, the kid being 1 to 32 letters, digits, "-" or "_".'],
    ['a:', 'SECRET_KEYS entry 1 must have a key of 32 bytes in padded base64.'],
    [`a:${random.slice(0, 40)}`, 'SECRET_KEYS entry 1 must have a key of 32 bytes in padded base64.'],
    [`a:${random.replace('=', '')}`, 'SECRET_KEYS entry 1 must have a key of 32 bytes in padded base64.'],
    [`a:${random}=`, 'SECRET_KEYS entry 1 must have a key of 32 bytes in padded base64.'],
    [`a:${random}${random}`, 'SECRET_KEYS entry 1 must have a key of 32 bytes in padded base64.'],
    [
      `a:${KEY_A},b:${randomBytes(16).toString('base64')}`,
      'SECRET_KEYS entry 2 must have a key of 32 bytes in padded base64.',
    ],
    [`a:${randomBytes(32).toString('hex')}`, 'SECRET_KEYS entry 1 must have a key of 32 bytes in padded base64.'],
    [`a:${KEY_A},a:${KEY_B}`, 'SECRET_KEYS has two entries with the same kid.'],
  ])('rejects %j with one sentence without key material', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(new Error(message));
  });

  it('does not show parsed keys in logs', () => {
    const shown = inspect(RING, { depth: 9, showHidden: true }) + JSON.stringify(RING);
    expect(shown).toContain('a');
    expect(shown).not.toContain(KEY_A.slice(0, 8));
    expect(shown).not.toMatch(/a1[ ,]*a1|161, ?161/i);
  });
});
