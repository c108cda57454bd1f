// The closed list of error codes, their HTTP status and title: the only place that pairs them (RFC 9457).
import { z } from 'zod';

/** Every code an answer of this service can carry, with its HTTP status and the human title. */
export const ERRORS = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_header: { status: 400, title: 'A header has a value that cannot be used' },
  invalid_cursor: { status: 400, title: 'The cursor is not one of ours' },
  invalid_id: { status: 400, title: 'The id in the path is not a UUID' },
  api_key_missing: { status: 401, title: 'No API key was sent' },
  api_key_invalid: { status: 401, title: 'The API key is not valid' },
  signature_missing: { status: 401, title: 'No signature was sent' },
  signature_invalid: { status: 401, title: 'The signature does not verify' },
  signature_expired: { status: 401, title: 'The signature is too old' },
  session_missing: { status: 401, title: 'Nobody is signed in' },
  project_mismatch: { status: 403, title: 'The key belongs to another project' },
  forbidden: { status: 403, title: 'This may not be done' },
  blocked: { status: 403, title: 'This wallet is blocked' },
  origin_refused: { status: 403, title: 'The request came from another site' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'This path does not take that method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  idempotency_in_progress: { status: 409, title: 'The first request with this key is still running' },
  claim_held: { status: 409, title: 'Someone else holds this item' },
  claim_lost: { status: 409, title: 'Your claim has passed on' },
  too_many_claims: { status: 409, title: 'You hold as many items as one person may' },
  already_decided: { status: 409, title: 'This item is already decided' },
  stale_settings: { status: 409, title: 'The settings changed since you read them' },
  rotation_in_progress: { status: 409, title: 'A rotation is already under way' },
  delivery_under_way: { status: 409, title: 'This delivery is on its way' },
  undo_window_passed: { status: 409, title: 'The decision is final' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  validation_failed: { status: 422, title: 'Some fields need another value' },
  idempotency_key_reused: { status: 422, title: 'This idempotency key was used with another body' },
  webhook_url_refused: { status: 422, title: 'The webhook URL cannot be used' },
  unchanged_edit: { status: 422, title: 'The edit changes nothing' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something failed on our side' },
  unavailable: { status: 503, title: 'The service cannot answer just now' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault of one field; `pointer` is a JSON pointer into the request body as a URI fragment (`#/risk_flags/0`). */
export const fieldError = z.object({
  pointer: z
    .string()
    .meta({ description: 'A JSON pointer into the body (`#/risk_flags/0`) or the query (`#/query/limit`)' }),
  code: z.string(),
  detail: z.string().meta({ description: 'What is wrong with it' }),
});
export type FieldError = z.infer<typeof fieldError>;

/** The body of every error answer: RFC 9457 `application/problem+json` with our `code` and `request_id`. */
export const problem = z
  .object({
    type: z.string().meta({ description: 'A URN that ends in the code' }),
    title: z.string().meta({ description: 'The code in words, always the same' }),
    status: z.number().int().meta({ description: 'The HTTP status' }),
    detail: z.string().meta({ description: 'What to do' }),
    instance: z.string().meta({ description: 'The path of the request' }),
    code: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: 'From this closed list: what programs should look at' }),
    request_id: z.string().meta({ description: 'The `x-request-id` of this answer' }),
    errors: z.array(fieldError).optional().meta({ description: 'Each fault of each field' }),
    holder: z
      .object({ user_id: z.string(), name: z.string() })
      .nullable()
      .optional()
      .meta({ description: 'Who holds the item, where somebody else’s claim is the reason' }),
    expires_at: z.string().nullable().optional().meta({ description: 'When that claim ends' }),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused (RFC 9457)' });
export type Problem = z.infer<typeof problem>;

/** What an error answer may carry besides code and detail. `retryAfter` is in seconds. */
export interface RefusalExtras {
  errors?: FieldError[];
  holder?: { user_id: string; name: string } | null;
  expires_at?: string | null;
  retryAfter?: number;
}

/**
 * A refusal by name. Thrown by use cases and adapters, turned into a problem answer in one place.
 * `detail` says what to do and nothing about the inside.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly extras: RefusalExtras;

  constructor(code: ErrorCode, detail: string, extras: RefusalExtras = {}) {
    super(`${code}: ${detail}`);
    this.name = 'Refusal';
    this.code = code;
    this.detail = detail;
    this.extras = extras;
  }
}
