// Generates webhook secrets and signs with them.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { type Hmac, SECRET_PREFIX } from '@countersign/shared/webhook';

const SECRET_BYTES = 32;

/** A new webhook secret: `whsec_` and 32 random bytes in base64, the format of Standard Webhooks. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * HMAC-SHA256, synchronously: a job for WebCrypto's threads costs many times what hashing a webhook does. It passes a key object,
 * because Node tests raw bytes by two exceptions, which cost three times the hashing.
 */
export const hmacSha256: Hmac = (key, text) => createHmac('sha256', createSecretKey(key)).update(text).digest();
