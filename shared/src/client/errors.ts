// What a call of the client can end in besides its reply: a refusal, no answer, or an answer that is none of the service's.
import { z } from 'zod';
import { fieldError, type ErrorCode, type FieldError } from '../errors.ts';

/** What an answer says about itself, as far as it is known when it is not read as a reply. */
export interface ResponseInfo {
  readonly status: number;
  readonly text: string;
  /** A header's value by lower-case name; null where there is none. */
  readonly header: (name: string) => string | null;
  /** Seconds that `Retry-After` asks for; null where it asks for nothing. */
  readonly retryAfter: number | null;
}

/**
 * The service answered, and said no (RFC 9457). `detail` says what to do.
 * `temporary` ones have been tried again already, as often as the client was allowed to.
 */
export class ApiError extends Error {
  /** HTTP status; 0 for a redirect that a browser hides. */
  readonly status: number;
  /** The service's code, or `http_502` and the like where something else answered in its place. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string;
  /** The faulty fields by JSON pointer (`#/risk_flags/0`); empty where the fault is not in a field. */
  readonly errors: readonly FieldError[];
  /** Names this answer in the service's log; null where the service did not answer itself. */
  readonly requestId: string | null;
  /** Seconds after which the service wants to be asked again; null when it did not say. */
  readonly retryAfter: number | null;
  /** How many requests this call has made. */
  tries = 1;

  constructor(response: ResponseInfo) {
    const parsed = readFault(response);
    super(`${parsed.code}: ${parsed.detail}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = parsed.code;
    this.detail = parsed.detail;
    this.errors = parsed.errors;
    this.requestId = response.header('x-request-id');
    this.retryAfter = response.retryAfter;
  }

  /** Whether the same call can end differently later: 408, 429, 5xx, and 409 while the first request with its key runs. */
  get temporary(): boolean {
    const { status, code } = this;
    return status === 408 || status === 429 || status >= 500 || code === 'idempotency_in_progress';
  }
}

/** No whole answer came, in as many tries as the client was allowed to make. The call may have had effect all the same. */
export class NetworkError extends Error {
  /** A few words, such as `ECONNREFUSED` or `no answer within 30 s`. */
  readonly reason: string;
  readonly temporary = true;
  readonly retryAfter = null;
  /** How many requests this call has made. */
  tries = 1;

  constructor(reason: string, cause: unknown) {
    super(`No answer from the service: ${reason}`, { cause });
    this.name = 'NetworkError';
    this.reason = reason;
  }
}

/** Something answered with success, but not what this endpoint answers: the base address is probably not the service's. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;

  constructor({ status }: ResponseInfo, cause: unknown) {
    super(`What answered with ${status} at this address is not Countersign as this client knows it`, { cause });
    this.name = 'UnexpectedAnswerError';
    this.status = status;
  }
}

/** Loose on purpose: a newer service may have codes that this client does not know, and proxies have none. */
const fault = z.object({
  code: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(fieldError).optional().catch(undefined),
});

function readFault({ status, text, header }: ResponseInfo): { code: string; detail: string; errors: FieldError[] } {
  const code = `http_${status}`;
  if (status < 400) {
    const place = header('location') ?? 'another address';
    return { code, detail: `The server redirects to ${place}.`, errors: [] };
  }
  const parsed = fault.safeParse(parseJson(text)).data ?? {};
  return {
    code: parsed.code ?? code,
    detail: parsed.detail ?? parsed.title ?? `The server answered ${status} without saying why.`,
    errors: parsed.errors ?? [],
  };
}

/** The value, or undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
