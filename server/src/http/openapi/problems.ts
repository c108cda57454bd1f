// The error responses of an endpoint for OpenAPI: its possible codes by status, each with an example.
import { ERRORS, type ErrorCode, type FieldError } from '@countersign/shared/errors';
import { problem, type Problem } from '@countersign/shared/schemas/parts/problem';
import type { Auth } from '@countersign/shared/schemas/parts/endpoint-schemas';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { HEADER, headersOfAll } from './headers.ts';

/** Error codes that depend on the authentication of the endpoint. */
const BY_AUTH = {
  none: ['unavailable'],
  session: ['session_missing', 'unavailable'],
  api_key: ['api_key_missing', 'api_key_invalid', 'rate_limited', 'unavailable'],
  bearer: ['api_key_missing', 'api_key_invalid', 'rate_limited', 'unavailable'],
  signature: ['rate_limited', 'unavailable'],
} satisfies Record<Auth, readonly ErrorCode[]>;

const BY_BODY = [
  'invalid_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
] as const;

/** Every code that this endpoint can return, in the order of `ERRORS`. 405 and unknown paths belong to no endpoint. */
export function codesOf(endpoint: Endpoint): ErrorCode[] {
  const { auth, body, headers, query, errors } = endpoint;
  const codes = new Set<ErrorCode>([...BY_AUTH[auth], ...errors, 'internal']);
  if (endpoint.scope !== null) codes.add('forbidden');
  if (takesIds(endpoint)) codes.add('invalid_id');
  if (query !== null) codes.add('validation_failed');
  if (headers !== null && auth === 'api_key') codes.add('invalid_header');
  if (body !== null) for (const code of BY_BODY) codes.add(code);
  // A body that is not a message of MCP is answered with an error of that protocol.
  if (auth === 'bearer') codes.delete('validation_failed');
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

function takesIds({ path, params }: Endpoint): boolean {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const noIds = Object.fromEntries(names.map((name) => [name, 'not-an-id']));
  return params !== null && !params.safeParse(noIds).success;
}

/** The error responses of an endpoint by status, as `application/problem+json`. */
export function refusalsOf(endpoint: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const byStatus = Map.groupBy(codesOf(endpoint), (code) => ERRORS[code].status);
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, codes]) => [status, refusal(endpoint, status, codes)]));
}

function refusal(endpoint: Endpoint, status: number, codes: ErrorCode[]) {
  const instance = endpoint.path.replaceAll(/:\w+/g, EXAMPLE_ID);
  const examples = codes.map((code) => [
    code,
    { summary: ERRORS[code].title, value: problemExample(code, instance) },
  ]) as [string, { summary: string; value: Problem }][];
  const waits = codes.some((code) => COMES_WITH_RETRY_AFTER.has(code));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
    headers: {
      ...headersOfAll(endpoint),
      ...(waits ? HEADER.retryAfter : {}),
      ...(endpoint.auth === 'bearer' && status === 401 ? HEADER.challenge : {}),
    },
    content: { 'application/problem+json': { schema: problem, examples: Object.fromEntries(examples) } },
  };
}

const COMES_WITH_RETRY_AFTER = new Set<ErrorCode>(['idempotency_in_progress', 'rate_limited', 'unavailable']);

const EXAMPLE_ID = '0198c2f1-0c3e-7a55-9b1d-6f7e8d9c0a1b';

/** The `detail` of each code in the examples of the public API. */
const DETAILS: Partial<Record<ErrorCode, string>> = {
  expired: 'The deadline of this item has passed, so it ended without a decision.',
  already_decided: 'The decision stands. Read it in the item, the feed or the webhook.',
  invalid_json: 'Send one JSON value. At line 2, column 7 a value was expected.',
  invalid_header: 'An Idempotency-Key has 1 to 255 printable ASCII characters.',
  invalid_cursor: 'Send the cursor exactly as the last page returned it, or omit it to start over.',
  invalid_id: 'IDs in the path must be UUIDs.',
  api_key_missing: 'Send the project’s key in the x-api-key header.',
  api_key_invalid: 'Check the key, or create a new one on the project page.',
  signature_missing: 'Send x-webhook-signature, or all of webhook-id, webhook-timestamp, webhook-signature.',
  signature_invalid: 'Check the URL and the secret, and sign the raw body.',
  signature_expired: 'Sign the request again: the timestamp may be at most 300 seconds off.',
  project_mismatch: 'Send the project_id that this key belongs to.',
  forbidden: 'The project is archived (read-only) until an owner restores it.',
  origin_refused: 'Call this address from a program, or from a page of this service.',
  not_found: 'No such ID in your projects.',
  request_timeout: 'Send the whole request within 30 s, its headers within 10 s.',
  idempotency_in_progress: 'Send the same request again in a second.',
  validation_failed: '#/confidence: Too big: expected number to be <=1',
  schema_invalid:
    '#/answer_schema/properties/amount/type: This must be one of string, integer, number, boolean, null, array, object, or an array of them.',
  payload_too_large: 'Send at most 256 KiB, counted after decompression.',
  unsupported_media_type: 'Send content-type: application/json.',
  idempotency_key_reused: 'Use a new Idempotency-Key for another body.',
  rate_limited: 'Rate limited. Retry in 12 s.',
  internal: 'Internal error. Try again, or send the request ID to your operator.',
  unavailable: 'The database is unavailable. Retry in a moment.',
};

/** A problem as this path returns it. Throws when the code is not one of the public API's. */
export function problemExample(code: ErrorCode, instance: string): Problem {
  const detail = DETAILS[code];
  if (detail === undefined) throw new Error(`The public API can return ${code}, which has no example detail yet.`);
  const { status, title } = ERRORS[code];
  const errors = FAULTS[code] === undefined ? {} : { errors: [FAULTS[code]] };
  const item = ITEMS[code] === undefined ? {} : { item: { id: EXAMPLE_ID, ...ITEMS[code] } };
  const what = { type: `urn:countersign:error:${code}`, title, status, detail, instance, code };
  return { ...what, request_id: ID, ...errors, ...item };
}

const ID = '5b0f6f0e-3f0c-4a58-9d5e-0c8f4b3e2a17';
const FAULTS: Partial<Record<ErrorCode, FieldError>> = {
  validation_failed: { pointer: '#/confidence', code: 'too_big', detail: 'Too big: expected number to be <=1' },
  schema_invalid: {
    pointer: '#/answer_schema/properties/amount/type',
    code: 'schema_invalid',
    detail: 'This must be one of string, integer, number, boolean, null, array, object, or an array of them.',
  },
};

/** The item of the path, where its state is the reason. */
const ITEMS: Partial<Record<ErrorCode, Omit<NonNullable<Problem['item']>, 'id'>>> = {
  expired: { status: 'expired', decision: null },
  already_decided: {
    status: 'approved',
    decision: {
      id: '0198c2f3-55d0-7e19-b0c4-9a8b7c6d5e4f',
      status: 'approved',
      action: 'approve',
      output: 'I am sorry about the lamp. We will replace it.',
      edited: false,
      reason: null,
      note: null,
      reviewer_id: '0198c2f0-91b4-7d52-8a07-5c1f3e9d7a42',
      decided_at: '2026-03-02T09:17:41.892Z',
    },
  },
};
