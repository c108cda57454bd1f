// Errors of a client call: a refusal, no response, or a response that is not from the service.
import { z } from 'zod';
import { fieldError, problem } from '../schemas/parts/problem.ts';
import type { Submitted } from '../schemas/public.ts';
import type { ErrorCode, FieldError } from '../errors.ts';

/** The parts of a response that describe an error. */
export interface ResponseInfo {
  readonly status: number;
  readonly text: string;
  /** The value of a header by its lower-case name; null when absent. */
  readonly header: (name: string) => string | null;
  /** Seconds that `Retry-After` asks for; null when absent. */
  readonly retryAfter: number | null;
}

/**
 * The service responded with an error (RFC 9457). `detail` says what to do. The client has already retried `temporary`
 * errors as often as it may.
 */
export class ApiError extends Error {
  /** HTTP status; 0 for a redirect that the browser hides. */
  readonly status: number;
  /** The error code of the service, or `http_502` and the like when another server responded. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string;
  /** Invalid fields by JSON pointer (`#/risk_flags/0`); empty when the error is not about a field. */
  readonly errors: readonly FieldError[];
  /** Identifies this response in the log of the service; null when another server responded. */
  readonly requestId: string | null;
  /** Seconds that the service asks to wait before the next request; null when unspecified. */
  readonly retryAfter: number | null;
  /** The item, where its state is the reason, as after `already_decided` and `expired`. */
  readonly item: Submitted | null;
  /** Number of requests that this call made. */
  tries = 1;

  constructor(response: ResponseInfo) {
    const parsed = readFault(response);
    super(`${parsed.code}: ${parsed.detail}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = parsed.code;
    this.detail = parsed.detail;
    this.errors = parsed.errors;
    this.item = parsed.item;
    this.requestId = response.header('x-request-id');
    this.retryAfter = response.retryAfter;
  }

  /**
   * Whether the same call can succeed later: 408, 429, 5xx, and 409 while the first request with its key is running.
   */
  get temporary(): boolean {
    const { status, code } = this;
    return status === 408 || status === 429 || status >= 500 || code === 'idempotency_in_progress';
  }
}

/** No complete response arrived within the allowed attempts. The call may have taken effect nevertheless. */
export class NetworkError extends Error {
  /** A short reason, such as `ECONNREFUSED` or `no response within 30 s`. */
  readonly reason: string;
  readonly temporary = true;
  readonly retryAfter = null;
  /** Number of requests that this call made. */
  tries = 1;

  constructor(reason: string, cause: unknown) {
    super(`No response from the service: ${reason}`, { cause });
    this.name = 'NetworkError';
    this.reason = reason;
  }
}

/** A server responded with success, but not as this endpoint does: the base URL is probably wrong. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;

  constructor({ status }: ResponseInfo, cause: unknown) {
    super(`The response with status ${status} from this address is not from Countersign as this client knows it`, {
      cause,
    });
    this.name = 'UnexpectedAnswerError';
    this.status = status;
  }
}

/** Deliberately loose: a newer service may use unknown codes, and proxies have none. */
const fault = z.object({
  code: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(fieldError).optional().catch(undefined),
  item: problem.shape.item.catch(undefined),
});

type Fault = Pick<ApiError, 'detail' | 'errors' | 'item'> & { code: string };

function readFault({ status, text, header }: ResponseInfo): Fault {
  const code = `http_${status}`;
  if (status < 400) {
    const place = header('location') ?? 'another address';
    return { code, detail: `The server redirects to ${place}.`, errors: [], item: null };
  }
  const parsed = fault.safeParse(parseJson(text)).data ?? {};
  return {
    code: parsed.code ?? code,
    detail: parsed.detail ?? parsed.title ?? `The server responded with ${status} without a reason.`,
    errors: parsed.errors ?? [],
    item: parsed.item ?? null,
  };
}

/** The parsed value, or undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
