// Ed25519 against RFC 8032 and against the forgeries that plain tweetnacl accepts.
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeAddress, newAddress, verifySignature } from './ed25519.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex');
const utf8 = (text: string) => new TextEncoder().encode(text);

const RFC8032 = [
  {
    name: 'TEST 1',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: new Uint8Array(),
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    name: 'TEST 2',
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: hex('72'),
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    name: 'TEST 3',
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: hex('af82'),
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  {
    name: 'TEST SHA(abc)',
    key: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    message: new Uint8Array(createHash('sha512').update('abc').digest()),
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  },
];

/**
 * Every encoding of a small-order point that a lenient decoder accepts: the
 * eight, and six more with y >= p or x = 0 and the sign set.
 */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
];

const { publicKey: KEY, secretKey: SECRET } = ed25519.keygen(new Uint8Array(32).fill(7));
const MESSAGE = utf8('the message');
const SIGNATURE = ed25519.sign(MESSAGE, SECRET);
const L = ed25519.Point.Fn.ORDER;

const littleEndian = (number: bigint) => hex(number.toString(16).padStart(64, '0')).toReversed();
const withScalar = (signature: Uint8Array, change: (scalar: bigint) => bigint) => {
  const scalar = BigInt(`0x${toHex(signature.slice(32).toReversed())}`);
  return Uint8Array.from([...signature.slice(0, 32), ...littleEndian(change(scalar))]);
};

/** Forges without a secret: R = S*B verifies for every message whose hash is divisible by the small order of the key. */
function forge(message: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  return Array.from({ length: 100 }, (_, index) => {
    const scalar = BigInt(index + 1);
    return Uint8Array.from([...ed25519.Point.BASE.multiply(scalar).toBytes(), ...littleEndian(scalar)]);
  }).find((signature) => nacl.sign.detached.verify(message, signature, key));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('verifySignature', () => {
  it.each(RFC8032)('accepts the signature of RFC 8032: $name', ({ key, message, signature }) => {
    expect(verifySignature(message, hex(signature), hex(key))).toBe(true);
  });

  it('accepts a signature by any key over any message, also as Buffers', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 200 }), (secret, message) => {
        const signature = ed25519.sign(message, secret);
        const key = ed25519.getPublicKey(secret);
        expect(verifySignature(message, signature, key)).toBe(true);
        expect(verifySignature(Buffer.from(message), Buffer.from(signature), Buffer.from(key))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('rejects any flipped bit of message, signature or key', () => {
    const parts = { message: MESSAGE, signature: SIGNATURE, key: KEY };
    const anyBit = fc
      .constantFrom('message' as const, 'signature' as const, 'key' as const)
      .chain((part) => fc.tuple(fc.constant(part), fc.nat(parts[part].length * 8 - 1)));
    fc.assert(
      fc.property(anyBit, ([part, bit]) => {
        const flipped = parts[part].map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        const changed = { ...parts, [part]: flipped };
        expect(verifySignature(changed.message, changed.signature, changed.key)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('rejects an S that is not below L, which tweetnacl would accept (S6)', () => {
    const malleated = withScalar(SIGNATURE, (scalar) => scalar + L);
    expect(nacl.sign.detached.verify(MESSAGE, malleated, KEY)).toBe(true);
    expect(verifySignature(MESSAGE, malleated, KEY)).toBe(false);
    expect(verifySignature(MESSAGE, SIGNATURE, KEY)).toBe(true);
  });

  it.each(SMALL_ORDER)(
    'rejects the small-order key %s, which tweetnacl accepts without any secret (S6)',
    (encoding) => {
      const forged = forge(MESSAGE, hex(encoding));
      expect(forged).toBeDefined();
      expect(verifySignature(MESSAGE, forged ?? new Uint8Array(), hex(encoding))).toBe(false);
    },
  );

  it.each([0, 1, 31, 63, 65, 128])('rejects a signature of %i bytes before any arithmetic', (length) => {
    const verify = vi.spyOn(nacl.sign.detached, 'verify');
    expect(verifySignature(MESSAGE, Uint8Array.from([...SIGNATURE, ...new Uint8Array(64)]).slice(0, length), KEY)).toBe(
      false,
    );
    expect(verify).not.toHaveBeenCalled();
  });

  it.each([0, 31, 33, 64])('rejects a key of %i bytes before any arithmetic', (length) => {
    const verify = vi.spyOn(nacl.sign.detached, 'verify');
    expect(verifySignature(MESSAGE, SIGNATURE, Uint8Array.from([...KEY, ...KEY]).slice(0, length))).toBe(false);
    expect(verify).not.toHaveBeenCalled();
  });

  it.each([undefined, null, 1, 'text', [], {}, { length: 64 }, new Uint16Array(64)])(
    'returns false and does not throw when an argument is %o',
    (value) => {
      const wrong = value as Uint8Array;
      expect(verifySignature(wrong, SIGNATURE, KEY)).toBe(false);
      expect(verifySignature(MESSAGE, wrong, KEY)).toBe(false);
      expect(verifySignature(MESSAGE, SIGNATURE, wrong)).toBe(false);
    },
  );
});

describe('decodeAddress', () => {
  it('returns the key that the address encodes, for any key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (secret) => {
        const key = ed25519.getPublicKey(secret);
        expect(toHex(decodeAddress(bs58.encode(key)))).toBe(toHex(key));
      }),
      { numRuns: 10 },
    );
  });

  it.each(SMALL_ORDER)('rejects the small-order key %s', (encoding) => {
    expect(decodeAddress(bs58.encode(hex(encoding)))).toBeNull();
  });

  it.each(['4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM', '11111111111111111111111111111111'])(
    'rejects %s, a known key that anyone can sign for',
    (address) => {
      expect(decodeAddress(address)).toBeNull();
    },
  );

  it('rejects a key with y above the field prime: a key has one encoding', () => {
    const key = hex(`f0${'ff'.repeat(30)}7f`);
    expect(decodeAddress(bs58.encode(key))).toBeNull();
  });

  it.each([31, 33])('rejects %i bytes although the length in characters fits', (length) => {
    const address = bs58.encode(new Uint8Array(length).fill(200).fill(0, 0, length - 30));
    expect(address.length).toBeGreaterThanOrEqual(32);
    expect(address.length).toBeLessThanOrEqual(44);
    expect(decodeAddress(address)).toBeNull();
  });

  it('rejects 44 characters that encode more than 32 bytes', () => {
    expect(decodeAddress('z'.repeat(44))).toBeNull();
  });

  it('rejects 20 000 or 100 000 characters before the quadratic decoding starts', () => {
    const decode = vi.spyOn(bs58, 'decodeUnsafe');
    expect(decodeAddress('z'.repeat(20_000))).toBeNull();
    expect(decodeAddress('1'.repeat(100_000))).toBeNull();
    expect(decode).not.toHaveBeenCalled();
    expect(decodeAddress(bs58.encode(KEY))).not.toBeNull();
    expect(decode).toHaveBeenCalledOnce();
  });

  it('accepts only the text that the key encodes back to, where a decoder accepts two', () => {
    vi.spyOn(bs58, 'decodeUnsafe').mockReturnValue(KEY);
    expect(decodeAddress(bs58.encode(KEY.toReversed()))).toBeNull();
    expect(decodeAddress(bs58.encode(KEY))).toBe(KEY);
  });

  it('rejects anything that is not base58', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60 }).filter((text) => /[^1-9A-HJ-NP-Za-km-z]/.test(text)),
        (text) => {
          expect(decodeAddress(text)).toBeNull();
        },
      ),
    );
  });
});

/** Half of all byte strings of this length are no point of the curve. */
function isPoint(key: Uint8Array): boolean {
  try {
    return ed25519.Point.fromBytes(key).isTorsionFree();
  } catch {
    return false;
  }
}

describe('a new address', () => {
  it('is the encoding of a usable key, another one each time', () => {
    const addresses = Array.from({ length: 20 }, newAddress);
    for (const address of addresses) expect(decodeAddress(address)).toSatisfy(isPoint);
    expect(new Set(addresses).size).toBe(20);
  });
});
