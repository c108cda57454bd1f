// What an attempt keeps of an answer or a failure: its error code, and text that is safe to store and display (W6).
import { errors } from 'undici';
import type { AttemptError } from '../domain/webhooks/retry.ts';
import { Blocked } from './guard/guard.ts';
import { TooMuch } from './received.ts';
import { ProxyFault, Unreached } from './tunnel.ts';

/** A failure of TLS, not of the network. */
export class TlsFailure extends Error {
  override readonly name = 'TlsFailure';
}

/** The error for a status, null for 2xx. Redirects are not followed. */
export function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status <= 299) return null;
  if (status < 400) return 'redirect_refused';
  return status < 500 ? 'http_4xx' : 'http_5xx';
}

const NETWORK_ERRORS: Record<string, AttemptError> = {
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  EADDRNOTAVAIL: 'connection_refused',
  EACCES: 'connection_refused',
  EPERM: 'connection_refused',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  UND_ERR_HEADERS_OVERFLOW: 'response_too_large',
};

/** Whether it is a network error, wherever it occurred. */
export const isOfNetwork = (failure: unknown): boolean => (codeOf(failure) ?? '') in NETWORK_ERRORS;

/**
 * The error code of a failure. A response that is not HTTP counts as a broken connection; an error status already
 * received takes precedence; `late`: the deadline has passed, regardless of the failure.
 */
export function errorOf(failure: unknown, seen: { httpStatus: number | null; late: boolean }): AttemptError {
  const ofStatus = seen.httpStatus === null ? null : errorOfStatus(seen.httpStatus);
  if (ofStatus !== null) return ofStatus;
  if (seen.late) return 'timeout';
  if (failure instanceof Blocked) return failure.code;
  if (failure instanceof Unreached) return failure.reason;
  if (failure instanceof ProxyFault) return 'internal';
  if (failure instanceof TlsFailure) return 'tls_error';
  if (failure instanceof TooMuch) return 'response_too_large';
  if (failure instanceof errors.HTTPParserError) return 'connection_reset';
  const code = codeOf(failure) ?? '';
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return 'tls_error';
  return NETWORK_ERRORS[code] ?? 'internal';
}

function codeOf(failure: unknown): string | undefined {
  return failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : undefined;
}

/** Control characters (PostgreSQL does not accept NUL) and lone surrogates become U+FFFD; tabs and line ends stay. */
export const stripControlCharacters = (text: string): string =>
  text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd');

/** In display order. Cookies and all other headers are not stored: members of a project can read them. */
const STORED_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'server',
  'retry-after',
  'location',
  'x-request-id',
  'cf-ray',
  'traceparent',
  'via',
] as const;
/** UTF-16 units of all names and values. At most three bytes each, so that they stay small next to the body. */
const MOST = 4_096;

/** The stored ones of `headers`, with names in lower case. Repeated ones are joined; long ones are truncated. */
export function storedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const stored: Record<string, string> = {};
  let room = MOST;
  for (const name of STORED_HEADERS) {
    const given = headers[name];
    if (given === undefined || room <= name.length) continue;
    room -= name.length;
    const value = stripControlCharacters([given].flat().join(', ').slice(0, room));
    room -= value.length;
    stored[name] = value;
  }
  return stored;
}
