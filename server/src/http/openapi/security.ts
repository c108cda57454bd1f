// The security schemes of the public API for OpenAPI.
import type { Auth } from '@countersign/shared/api/endpoint';
import { HEADERS } from '@countersign/shared/webhook';

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'An API key of the project, created on its page. It starts with `csk_`, is shown once and can be revoked. It may submit, read or both, and may expire.',
  },
  bodySignature: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.signature,
    description: 'HMAC-SHA256 of the raw body in lower-case hex, with the secret of the source exactly as shown.',
  },
  standardWebhooks: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.standard,
    description: 'Standard Webhooks, together with `webhook-id` and `webhook-timestamp` (within 300 seconds).',
  },
} as const;

type Requirement = { [scheme in keyof typeof SECURITY_SCHEMES]?: string[] };

/** Which schemes authenticate a caller: any one of the list; an empty list requires none. */
export const SECURITY: Record<Auth, Requirement[]> = {
  none: [],
  // The cookie of the dashboard is not part of the public API.
  session: [],
  api_key: [{ apiKey: [] }],
  signature: [{ bodySignature: [] }, { standardWebhooks: [] }],
};
