// Makes the secrets that sign webhooks.
import { randomBytes } from 'node:crypto';
import { SECRET_PREFIX } from '@countersign/shared/webhook';

const SECRET_BYTES = 32;

/** A new webhook secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks spells it. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}
