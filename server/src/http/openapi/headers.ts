// The response headers of the public API, described once and referred to by name.
import type { Endpoint } from '@countersign/shared/api/endpoint';
import type { ZodOpenApiHeadersObject } from 'zod-openapi';

/** Component name to header, for `components.headers`. */
export const HEADER_COMPONENTS = {
  RequestId: {
    description: 'Names this request in our log: the `x-request-id` that was sent, or one of ours.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: '5b0f6f0e-3f0c-4a58-9d5e-0c8f4b3e2a17',
  },
  RateLimit: {
    description:
      'What is left of the limit: `r` requests; in `t` seconds it is whole again, or, on a 429, there is room again.',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' },
    example: '"default";r=59998;t=1',
  },
  RateLimitPolicy: {
    description:
      'The limit: `q` requests in `w` seconds; each item of a batch and each case of a regression run counts as one.',
    schema: { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
    example: '"default";q=60000;w=60',
  },
  RetryAfter: {
    description: 'Seconds after which the request is worth another try.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  IdempotentReplayed: {
    description: 'There when the `Idempotency-Key` was known: nothing was submitted or begun a second time.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  PreferenceApplied: {
    description: 'The part of `Prefer` that was honoured.',
    schema: { type: 'string', pattern: '^wait=\\d+$' },
    example: 'wait=30',
  },
} as const satisfies ZodOpenApiHeadersObject;

const refer = (name: keyof typeof HEADER_COMPONENTS) => ({ $ref: `#/components/headers/${name}` });

/** Headers by the occasion on which an answer carries them. */
export const HEADER = {
  limited: { RateLimit: refer('RateLimit'), 'RateLimit-Policy': refer('RateLimitPolicy') },
  retryAfter: { 'Retry-After': refer('RetryAfter') },
  replayed: { 'Idempotent-Replayed': refer('IdempotentReplayed') },
  waited: { 'Preference-Applied': refer('PreferenceApplied') },
} as const;

/** What every answer of this endpoint can carry: an answer to a known key or source says what that one has left. */
export function headersOfAll({ auth }: Pick<Endpoint, 'auth'>): ZodOpenApiHeadersObject {
  return { 'x-request-id': refer('RequestId'), ...(auth === 'api_key' || auth === 'signature' ? HEADER.limited : {}) };
}
