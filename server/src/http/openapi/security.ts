// How callers of the public API show who they are, as OpenAPI says it.
import type { Auth } from '@countersign/shared/api/endpoint';
import { HEADERS } from '@countersign/shared/webhook';

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'A key of the project, made on its page. It begins with `csk_`, is shown once and can be revoked there. It may submit, read or both, and may have an end.',
  },
  bodySignature: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.signature,
    description: 'HMAC-SHA256 of the raw body in lower-case hex, by the secret of the source exactly as shown.',
  },
  standardWebhooks: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.standard,
    description: 'Standard Webhooks, with `webhook-id` and `webhook-timestamp` (within 300 seconds) beside it.',
  },
} as const;

type Requirement = { [scheme in keyof typeof SECURITY_SCHEMES]?: string[] };

/** Which schemes let a caller in: any one of the list; an empty list asks for nothing. */
export const SECURITY: Record<Auth, Requirement[]> = {
  none: [],
  // The dashboard's cookie: no part of the public API.
  session: [],
  api_key: [{ apiKey: [] }],
  signature: [{ bodySignature: [] }, { standardWebhooks: [] }],
};
