// Makes the secrets that sign webhooks, and signs with them.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { type Hmac, SECRET_PREFIX } from '@countersign/shared/webhook';

const SECRET_BYTES = 32;

/** A new webhook secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks spells it. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * HMAC-SHA256 at once: a job for WebCrypto's threads costs many times what hashing a webhook does. By a key object, because
 * Node finds out that bytes are none by two exceptions, which cost three times what the hashing does.
 */
export const hmacSha256: Hmac = (key, text) => createHmac('sha256', createSecretKey(key)).update(text).digest();
