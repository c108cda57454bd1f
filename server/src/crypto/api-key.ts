// Generates and checks API keys: `csk_`, 32 random characters, and a checksum that catches typing mistakes early (K1).
import { crc32 } from 'node:zlib';
import { BASE62, randomBase62, sha256Hex } from './tokens.ts';

const PREFIX = 'csk_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key: 42 characters with 190 random bits. It is shown once; only its `hashApiKey` and `last4` are stored (K2). */
export function makeApiKey(): string {
  const random = randomBase62(RANDOM_LENGTH);
  return PREFIX + random + checksum(random);
}

/** Whether a text has the format of our keys: length, alphabet, checksum. Cheap on any length; says nothing about validity. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text === PREFIX + random + checksum(random);
}

/** The SHA-256 that is stored and looked up in place of the key: 64 lower-case hex digits. */
export function hashApiKey(text: string): string {
  return sha256Hex(text);
}

/** The last four characters, by which people distinguish keys. */
export function last4(text: string): string {
  return text.slice(-4);
}

/** CRC-32 of the random characters in base62, most significant digit first, padded to six. */
function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
