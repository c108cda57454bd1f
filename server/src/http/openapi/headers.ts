// The response headers of the public API, described once and referenced by name.
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import type { ZodOpenApiHeadersObject } from 'zod-openapi';

/** Component name to header, for `components.headers`. */
export const HEADER_COMPONENTS = {
  RequestId: {
    description: 'Identifies this request in our log: the `x-request-id` that was sent, or a generated one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: '5b0f6f0e-3f0c-4a58-9d5e-0c8f4b3e2a17',
  },
  RateLimit: {
    description: 'The remaining quota: `r` requests; in `t` seconds it is full again or, on a 429, has room again.',
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
    description: 'Seconds after which the request may be retried.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  WwwAuthenticate: {
    description: 'The key may be sent as a bearer token (RFC 6750).',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  IdempotentReplayed: {
    description: 'Present when the `Idempotency-Key` was already used: nothing was submitted or started again.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  PreferenceApplied: {
    description: 'The part of `Prefer` that was honoured.',
    schema: { type: 'string', pattern: '^wait=\\d+$' },
    example: 'wait=30',
  },
  ExpectedWait: {
    description:
      'Present when the item waits for people: how many seconds that will probably take, the median of the last hour at the present depth of the queue. Absent when unknown, as with fewer than 5 decisions in the last hour.',
    schema: { type: 'integer', minimum: 1 },
    example: 540,
  },
} as const satisfies ZodOpenApiHeadersObject;

const refer = (name: keyof typeof HEADER_COMPONENTS) => ({ $ref: `#/components/headers/${name}` });

/** Headers by the situation in which a response carries them. */
export const HEADER = {
  limited: { RateLimit: refer('RateLimit'), 'RateLimit-Policy': refer('RateLimitPolicy') },
  retryAfter: { 'Retry-After': refer('RetryAfter') },
  challenge: { 'WWW-Authenticate': refer('WwwAuthenticate') },
  replayed: { 'Idempotent-Replayed': refer('IdempotentReplayed') },
  expectedWait: { 'x-expected-wait-seconds': refer('ExpectedWait') },
  waited: { 'Preference-Applied': refer('PreferenceApplied') },
} as const;

/** What every response of this endpoint can carry: a request with a valid key or source reports the remaining quota. */
export function headersOfAll({ auth }: Pick<Endpoint, 'auth'>): ZodOpenApiHeadersObject {
  return { 'x-request-id': refer('RequestId'), ...(auth === 'none' || auth === 'session' ? {} : HEADER.limited) };
}
