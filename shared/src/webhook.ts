// Signs and verifies webhooks (docs/spec/webhooks.md#outbound). Receivers may copy this file.

export const HEADERS = {
  /** Lower-case hex HMAC-SHA256 of the raw body; the key is the secret exactly as shown. */
  signature: 'x-webhook-signature',
  /** The same with the other secret, during a secret rotation. */
  signatureSecondary: 'x-webhook-signature-secondary',
  /** The same on every retry and replay: receivers ignore IDs they have seen. */
  id: 'webhook-id',
  /** Unix seconds of this attempt. */
  timestamp: 'webhook-timestamp',
  /** Standard Webhooks: `v1,<base64>` per secret, separated by a space. */
  standard: 'webhook-signature',
  attempt: 'x-webhook-attempt',
} as const;

export const SECRET_PREFIX = 'whsec_';
/** Accepted deviation of a timestamp in seconds, in both directions. */
export const TOLERANCE_SECONDS = 300;

/** 32 bytes in canonical base64: the two spare bits of the last letter are zero. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/;

const utf8 = new TextEncoder();
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Signs one attempt. `secrets[0]` is the one receivers check first; a second one signs the secondary headers.
 * `timestamp` is in unix seconds. Uses WebCrypto, which is available everywhere.
 */
export async function signWebhook(
  message: { id: string; timestamp: number; attempt: number; body: string },
  secrets: readonly [string, ...string[]],
): Promise<Record<string, string>> {
  const plain = async (secret: string) => hexOf(await hmacSha256(utf8.encode(secret), message.body));
  const signed = `${message.id}.${message.timestamp}.${message.body}`;
  const standard = async (secret: string) => `v1,${toBase64(await hmacSha256(standardKey(secret), signed))}`;
  const [first, second] = secrets;
  return signedHeaders(message, {
    plain: await plain(first),
    plainSecondary: second === undefined ? undefined : await plain(second),
    standard: await Promise.all(secrets.map(standard)),
  });
}

/** The signatures of one attempt, as in its headers. */
export interface Signatures {
  plain: string;
  /** With the other secret, while there are two. */
  plainSecondary: string | undefined;
  standard: readonly string[];
}

/** The headers of one attempt: the event ID, the timestamp and the signatures. */
export function signedHeaders(
  { id, timestamp, attempt }: { id: string; timestamp: number; attempt: number },
  { plain, plainSecondary, standard }: Signatures,
): Record<string, string> {
  return {
    [HEADERS.signature]: plain,
    [HEADERS.id]: id,
    [HEADERS.timestamp]: String(timestamp),
    [HEADERS.standard]: standard.join(' '),
    [HEADERS.attempt]: String(attempt),
    ...(plainSecondary === undefined ? {} : { [HEADERS.signatureSecondary]: plainSecondary }),
  };
}

/** The body as received, never re-serialized; a text counts by its UTF-8 bytes. */
export type RawBody = string | Uint8Array;

export interface Verifier {
  /** The secret exactly as shown. */
  secret: string;
  /** Unix seconds. */
  now: number;
}

/**
 * Verifies a received webhook: raw body, and headers with lower-case names. True when either `x-webhook-signature`
 * header is valid and the Standard Webhooks headers, if sent, are valid within 300 s.
 */
export async function verifyWebhook(
  body: RawBody,
  headers: Record<string, string | undefined>,
  { secret, now }: Verifier,
): Promise<boolean> {
  const plain = [headers[HEADERS.signature], headers[HEADERS.signatureSecondary]];
  const plainHolds = await anyHolds(plain, (value) => verifyHex(body, value, secret));
  if (headers[HEADERS.standard] === undefined) return plainHolds;
  return plainHolds && (await verifyStandard(body, headers, { secret, now }));
}

/** Standard Webhooks: the three headers over `id.timestamp.body`. */
export async function verifyStandard(
  body: RawBody,
  headers: Record<string, string | undefined>,
  { secret, now }: Verifier,
): Promise<boolean> {
  const id = headers[HEADERS.id];
  const timestamp = headers[HEADERS.timestamp];
  if (id === undefined || timestamp === undefined || judgeTimestamp(timestamp, now) !== 'timely') return false;
  const signed = joined(`${id}.${timestamp}.`, body);
  const key = await hmacKey(standardKey(secret));
  return anyHolds((headers[HEADERS.standard] ?? '').split(' '), (value) => {
    const [, signature] = SIGNATURE.exec(value) ?? [];
    return signature === undefined ? Promise.resolve(false) : check(key, fromBase64(signature), signed);
  });
}

/**
 * Judges a `webhook-timestamp` at `now` (unix seconds): within 300 s in both directions, beyond them, or not a
 * timestamp.
 */
export function judgeTimestamp(text: string, now: number): 'timely' | 'expired' | 'malformed' {
  if (!/^\d{1,12}$/.test(text)) return 'malformed';
  return Math.abs(now - Number(text)) > TOLERANCE_SECONDS ? 'expired' : 'timely';
}

/** The plain scheme: 64 lower-case hex digits over the body alone. */
export async function verifyHex(body: RawBody, signature: string, secret: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return check(await hmacKey(utf8.encode(secret)), bytes, joined('', body));
}

async function anyHolds(values: (string | undefined)[], holds: (value: string) => Promise<boolean>): Promise<boolean> {
  const sent = values.filter((value) => value !== undefined);
  const answers = await Promise.all(sent.map(holds));
  return answers.includes(true);
}

/** `subtle.verify` compares in constant time. */
function check(key: CryptoKey, signature: Bytes, signed: Bytes): Promise<boolean> {
  return crypto.subtle.verify('HMAC', key, signature, signed);
}

function joined(text: string, body: RawBody): Bytes {
  const head = utf8.encode(text);
  const tail = typeof body === 'string' ? utf8.encode(body) : body;
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** The Standard Webhooks key is the base64 part of `whsec_…`; any other secret counts by its own bytes. */
export function standardKey(secret: string): Bytes {
  return secret.startsWith(SECRET_PREFIX) ? fromBase64(secret.slice(SECRET_PREFIX.length)) : utf8.encode(secret);
}

/** HMAC-SHA256 of a text's UTF-8 bytes. */
async function hmacSha256(key: Bytes, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(key), utf8.encode(text)));
}

function hmacKey(bytes: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
