// Encrypts secrets at rest: AES-256-GCM with a ring of keys, of which the first encrypts and all decrypt (K3).
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Passed wherever a cipher is created: without it Node accepts tags as short as four bytes. */
const TAG = { authTagLength: 16 };

/** Keys by id, the encrypting one first. Logs and `JSON.stringify` cannot show their bytes. */
export type KeyRing = readonly [RingKey, ...RingKey[]];
interface RingKey {
  kid: string;
  key: KeyObject;
}

/**
 * Parses `SECRET_KEYS`: `kid:base64,kid2:base64`, each key 32 bytes, spaces around entries allowed. Throws an Error whose one
 * sentence says what is wrong; it names entries by their position, never by their text.
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text.trim() === '' ? [] : text.split(',');
  const [first, ...others] = entries.map((entry, index) => parseEntry(entry.trim(), index + 1));
  if (first === undefined) throw new Error('SECRET_KEYS is empty; it needs at least one kid:base64 entry.');
  const ring: KeyRing = [first, ...others];
  if (new Set(ring.map(({ kid }) => kid)).size < ring.length) {
    throw new Error('SECRET_KEYS has two entries with the same kid.');
  }
  return ring;
}

function parseEntry(entry: string, position: number): RingKey {
  const match = /^([A-Za-z0-9_-]{1,32}):(.*)$/.exec(entry);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new Error(
      `SECRET_KEYS entry ${position} must be kid:base64, the kid being 1 to 32 letters, digits, "-" or "_".`,
    );
  }
  const bytes = Buffer.from(match[2], 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== match[2]) {
    throw new Error(`SECRET_KEYS entry ${position} must have a key of ${KEY_BYTES} bytes in padded base64.`);
  }
  return { kid: match[1], key: createSecretKey(bytes) };
}

/**
 * Encrypts `plain` with the first key. `aad` names the place of the text (table|project|row|field): it is not in the result, and
 * decryption requires the same `aad`. Returns `kid.base64url` of IV, ciphertext and tag, different each time.
 */
export function encrypt(ring: KeyRing, plain: string, aad: string): string {
  const [{ kid, key }] = ring;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, TAG).setAAD(Buffer.from(aad, 'utf8'));
  const encrypted = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${kid}.${encrypted.toString('base64url')}`;
}

/**
 * Decrypts a result of `encrypt` with the key it names. Throws an Error when the
 * text was changed, `aad` differs, or the key is missing.
 */
export function decrypt(ring: KeyRing, encrypted: string, aad: string): string {
  const [, kid, data] = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/.exec(encrypted) ?? [];
  if (kid === undefined || data === undefined) throw new Error('The encrypted text is not in the expected format.');
  const entry = ring.find((candidate) => candidate.kid === kid);
  if (entry === undefined) throw new Error(`SECRET_KEYS has no key with the kid ${kid}.`);
  const bytes = Buffer.from(data, 'base64url');
  // Base64 has unused bits at its end: without this check a changed last character could still decrypt.
  if (bytes.length < IV_BYTES + TAG.authTagLength || bytes.toString('base64url') !== data) {
    throw new Error('The encrypted text is not in the expected format.');
  }
  try {
    return decryptBytes(entry.key, bytes, aad);
  } catch {
    throw new Error('The encrypted text cannot be decrypted: it was changed, or it belongs to another record.');
  }
}

function decryptBytes(key: KeyObject, bytes: Buffer, aad: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), TAG)
    .setAAD(Buffer.from(aad, 'utf8'))
    .setAuthTag(bytes.subarray(-TAG.authTagLength));
  const plain = decipher.update(bytes.subarray(IV_BYTES, -TAG.authTagLength));
  return Buffer.concat([plain, decipher.final()]).toString('utf8');
}
