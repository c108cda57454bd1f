// Generates webhook secrets and signs with them.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SECRET_PREFIX, signedHeaders, standardKey } from '@countersign/shared/webhook';

const SECRET_BYTES = 32;

/** A new webhook secret: `whsec_` and 32 random bytes in base64, the format of Standard Webhooks. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** A secret that is ready to sign: its key for the plain signature, and the one for that of Standard Webhooks. */
export interface SigningKeys {
  plain: KeyObject;
  standard: KeyObject;
}

/** Makes key objects: given raw bytes, Node throws and catches two exceptions per HMAC, which takes three times as long as hashing. */
export const signingKeysOf = (secret: string): SigningKeys => ({
  plain: createSecretKey(Buffer.from(secret, 'utf8')),
  standard: createSecretKey(standardKey(secret)),
});

/**
 * Returns the headers that `signWebhook` returns, synchronously and with keys that are made once for many attempts: handing a
 * job to WebCrypto's threads takes many times as long as hashing a webhook.
 */
export function signWithKeys(
  message: { id: string; timestamp: number; attempt: number; body: string },
  keys: readonly [SigningKeys, ...SigningKeys[]],
): Record<string, string> {
  const { id, timestamp, body } = message;
  const [plain, plainSecondary] = keys.map((key) => createHmac('sha256', key.plain).update(body).digest('hex'));
  const signed = `${id}.${timestamp}.${body}`;
  const standard = keys.map((key) => `v1,${createHmac('sha256', key.standard).update(signed).digest('base64')}`);
  return signedHeaders(message, { plain: plain ?? '', plainSecondary, standard });
}
