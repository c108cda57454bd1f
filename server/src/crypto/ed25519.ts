// Ed25519 as strict as sign-in requires: decodes addresses to keys, and accepts only signatures by the key's owner.
import { createHash, generateKeyPairSync } from 'node:crypto';
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { isAddress } from '../domain/access/sign-in.ts';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The group order L and the field prime p = 2^255 - 19, as little-endian bytes. */
const GROUP_ORDER = bytes('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');
const FIELD_PRIME = bytes('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f');

/**
 * The y coordinates of the eight small-order points. Anyone can forge signatures for these keys. The sign bit is not part of y,
 * so these five also cover the encodings with x = 0 and the sign set, which tweetnacl accepts.
 */
const SMALL_ORDER_Y = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

/** The 32 key bytes of an address, or null when it is not the canonical encoding of a usable key (S6). Never throws. */
export function decodeAddress(address: string): Uint8Array | null {
  // Decoding takes quadratic time, so the format, and with it the length, is checked first.
  if (!isAddress(address)) return null;
  const key = bs58.decodeUnsafe(address);
  if (key?.length !== KEY_BYTES || bs58.encode(key) !== address) return null;
  return isUsableKey(key) ? key : null;
}

/**
 * Whether `signature` (64 bytes) over `message` was made with the secret of `publicKey` (32 bytes). Rejects what tweetnacl
 * accepts: small-order keys, keys in a non-canonical encoding, and S not below L. Never throws.
 */
export function verifySignature(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false;
    if (!isBelow(signature.subarray(32), GROUP_ORDER) || !isUsableKey(publicKey)) return false;
    return nacl.sign.detached.verify(message, signature, publicKey);
  } catch {
    return false;
  }
}

function isUsableKey(key: Uint8Array): boolean {
  const y = Buffer.from(key);
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  return isBelow(y, FIELD_PRIME) && !SMALL_ORDER_Y.has(y.toString('hex'));
}

/** Whether a little-endian number is smaller than another of the same length. */
function isBelow(number: Uint8Array, limit: Uint8Array): boolean {
  return Buffer.compare(number.toReversed(), limit.toReversed()) < 0;
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

/** The address of a new key pair whose secret is discarded: an owner that can never sign in. */
export function newAddress(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return bs58.encode(Buffer.from(x, 'base64url'));
}

/** The same address for the same name; it is a hash, so nobody has its secret. */
export function nobodysAddress(name: string): string {
  const hash = createHash('sha256').update(name).digest();
  // Below the field prime, as keys are.
  hash.writeUInt8(hash.readUInt8(31) & 0x3f, 31);
  return bs58.encode(hash);
}
