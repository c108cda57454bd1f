// Random texts that cannot be guessed, their hashes, and a comparison in constant time.
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** The 62 digits of base62, in ascending order of value. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `bytes` random bytes (default 32, 256 bit) in base64url: session tokens, binders (A1). */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** `length` random letters and digits, each of the 62 equally likely: nonces (S2: 24 or more), key texts. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}

/** SHA-256 as 64 lower-case hex digits; a string is hashed by its UTF-8 bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Compares two SHA-256 or HMAC-SHA256 hex texts in constant time. Anything but 64 lower-case hex digits is rejected (K5). */
export function sameHex(a: string, b: string): boolean {
  return isHex64(a) && isHex64(b) && timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

function isHex64(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
