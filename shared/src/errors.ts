// The closed list of error codes with their HTTP statuses and titles; the only place that pairs them (RFC 9457).
import type { ItemStatus } from './enums.ts';
import type { Decision } from './schemas/parts/decision.ts';

/** Every error code of this service, with its HTTP status and title. */
export const ERRORS = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_header: { status: 400, title: 'A header has an invalid value' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  invalid_id: { status: 400, title: 'The ID in the path is not a UUID' },
  api_key_missing: { status: 401, title: 'API key missing' },
  api_key_invalid: { status: 401, title: 'Invalid API key' },
  signature_missing: { status: 401, title: 'Signature missing' },
  signature_invalid: { status: 401, title: 'Invalid signature' },
  signature_expired: { status: 401, title: 'The signature is too old' },
  session_missing: { status: 401, title: 'Not signed in' },
  project_mismatch: { status: 403, title: 'The key belongs to another project' },
  forbidden: { status: 403, title: 'Not allowed' },
  blocked: { status: 403, title: 'This wallet is blocked' },
  origin_refused: { status: 403, title: 'Cross-site request refused' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long' },
  idempotency_in_progress: { status: 409, title: 'The first request with this key is still running' },
  claim_held: { status: 409, title: 'Someone else has claimed this item' },
  claim_lost: { status: 409, title: 'Your claim has expired' },
  too_many_claims: { status: 409, title: 'Claim limit reached' },
  already_decided: { status: 409, title: 'This item is already decided' },
  already_revised: { status: 409, title: 'Someone else has revised this decision' },
  expired: { status: 409, title: 'The deadline of this item has passed' },
  already_extended: { status: 409, title: 'This deadline was extended before' },
  stale_settings: { status: 409, title: 'The settings changed since you read them' },
  rotation_in_progress: { status: 409, title: 'A secret rotation is already in progress' },
  delivery_under_way: { status: 409, title: 'This delivery is in progress' },
  undo_window_passed: { status: 409, title: 'The decision is final' },
  payload_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  validation_failed: { status: 422, title: 'Validation failed' },
  schema_invalid: { status: 422, title: 'Invalid answer schema' },
  answer_invalid: { status: 422, title: 'The answer does not satisfy its schema' },
  idempotency_key_reused: { status: 422, title: 'This idempotency key was used with another body' },
  webhook_url_refused: { status: 422, title: 'Invalid webhook URL' },
  unchanged_edit: { status: 422, title: 'No changes' },
  media_refused: { status: 422, title: 'This file is not shown' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  media_unavailable: { status: 502, title: 'The file could not be fetched' },
  unavailable: { status: 503, title: 'Service unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One error of one field; `pointer` is a JSON pointer into the request body as a URI fragment (`#/risk_flags/0`). */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

/** What an error response may carry besides code and detail. `retryAfter` is in seconds. */
export interface RefusalExtras {
  errors?: FieldError[];
  holder?: { user_id: string; name: string } | null;
  expires_at?: string | null;
  /** The item as the pipeline sees it, where its state is the reason. */
  item?: { id: string; status: ItemStatus; decision: Decision | null };
  retryAfter?: number;
}

/**
 * A refusal with an error code. Use cases and adapters throw it; one middleware turns it into a problem response.
 * `detail` says what to do and reveals nothing internal.
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
