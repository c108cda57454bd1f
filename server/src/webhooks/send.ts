// Sends one attempt of a delivery: one connection to a pinned address, one deadline over everything, a bounded answer (rules W2, W4).
import { type LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, errors } from 'undici';
import type { AttemptError } from '../domain/retry.ts';
import type { Outcome, Timings } from '../domain/webhook-attempt.ts';
import {
  Blocked,
  examineUrl,
  type GuardPolicy,
  isPublicAddress,
  type Lookup,
  resolveTarget,
  type TargetAddress,
} from './guard.ts';

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  policy: GuardPolicy;
  /** Who is asked for the addresses of a name; the system when absent. */
  lookup?: Lookup;
}

export interface SendLimits {
  /** Over everything: resolving, connecting, sending, reading. */
  deadlineMs: number;
  connectMs: number;
  headerBytes: number;
  /** Reading stops here; what was answered counts. */
  readBytes: number;
  keptBytes: number;
}

const LIMITS: SendLimits = {
  deadlineMs: 20_000,
  connectMs: 5_000,
  headerBytes: 16_384,
  readBytes: 65_536,
  keptBytes: 8_192,
};
/** Node gives up on one of several addresses after 250 ms by default, too soon for a receiver on the other side of the world. */
const ADDRESS_MS = 1_000;
const RETRY_AFTER_LENGTH = 200;

type Answer = Pick<Outcome, 'httpStatus' | 'retryAfter' | 'responseText' | 'remoteAddress' | 'timings'>;

interface Attempt {
  request: WebhookRequest;
  limits: SendLimits;
  signal: AbortSignal;
  /** Filled in as things become known, so that a broken attempt still reports what it saw. */
  answer: Answer;
  /** When the connection stood, TLS included. */
  connectedAt: number;
}

/** Posts the body once and says what came of it. Never throws, never follows a redirect, and has ended when the deadline passes. */
export async function sendWebhook(request: WebhookRequest, limits: Partial<SendLimits> = {}): Promise<Outcome> {
  const started = performance.now();
  const deadline = new AbortController();
  const timings: Timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
  const answer: Answer = { httpStatus: null, retryAfter: null, responseText: null, remoteAddress: null, timings };
  const attempt: Attempt = {
    request,
    limits: { ...LIMITS, ...limits },
    signal: deadline.signal,
    answer,
    connectedAt: 0,
  };
  const timer = setTimeout(() => deadline.abort(), attempt.limits.deadlineMs);
  const error = await post(attempt).catch((cause: unknown) => errorOf(cause, attempt));
  clearTimeout(timer);
  return { ...answer, error, totalMs: Math.round(performance.now() - started) };
}

async function post(attempt: Attempt): Promise<AttemptError | null> {
  const { request, limits, signal, answer } = attempt;
  const verdict = examineUrl(request.url, request.policy);
  if (!verdict.ok) return verdict.code;
  const { origin, pathname, search } = verdict.url;
  const asked = performance.now();
  const { addresses } = await unlessAborted(resolveTarget(verdict.url, request.policy, request.lookup), signal);
  answer.timings.dnsMs = since(asked);
  const client = new Client(origin, {
    connect: guardedConnector(addresses, attempt),
    maxHeaderSize: limits.headerBytes,
  });
  try {
    const { headers, body } = request;
    const reply = await client.request({ method: 'POST', path: pathname + search, headers, body, reset: true });
    answer.timings.firstByteMs = since(attempt.connectedAt);
    answer.httpStatus = reply.statusCode;
    answer.retryAfter = [reply.headers['retry-after'] ?? []].flat()[0]?.slice(0, RETRY_AFTER_LENGTH) ?? null;
    await readBody(reply.body, attempt);
    return errorOfStatus(reply.statusCode);
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** Connects to the checked addresses only, whatever the name says by now, and looks at the other end before a byte is sent. */
function guardedConnector(addresses: TargetAddress[], attempt: Attempt): buildConnector.connector {
  const { request, limits, signal, answer } = attempt;
  const connect = buildConnector({
    lookup: pinnedTo(addresses),
    timeout: limits.connectMs,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    // The deadline ends the socket itself: undici would not let go of one that is still connecting.
    signal,
    allowH2: false,
    maxCachedSessions: 0,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  });
  return (options, callback) => {
    const isHttps = options.protocol === 'https:';
    const clock = connectionClock(attempt);
    const opening: unknown = connect(options, (failure, socket) => {
      if (failure !== null) {
        const isTls = isHttps && !((codeOf(failure) ?? '') in NETWORK_ERRORS);
        return callback(isTls ? new TlsFailure('tls_error', { cause: failure }) : failure, null);
      }
      clock.stands(isHttps);
      answer.remoteAddress = socket.remoteAddress ?? null;
      if (isPublicAddress(answer.remoteAddress ?? '', request.policy)) return callback(null, socket);
      socket.destroy();
      callback(new Blocked('blocked_address'), null);
    });
    // The socket itself says when TCP stands; the connector calls back only after TLS.
    if (opening instanceof Socket) opening.once('connect', clock.reached);
  };
}

/** Splits the time of connecting into TCP and TLS. */
function connectionClock(attempt: Attempt) {
  const { timings } = attempt.answer;
  const started = performance.now();
  const reached = () => {
    timings.connectMs ??= since(started);
  };
  return {
    reached,
    stands: (isHttps: boolean) => {
      reached();
      attempt.connectedAt = performance.now();
      if (isHttps) timings.tlsMs = Math.max(0, since(started) - (timings.connectMs ?? 0));
    },
  };
}

/** Whole milliseconds since `start`, a reading of `performance.now()`. */
const since = (start: number): number => Math.round(performance.now() - start);

class TlsFailure extends Error {
  override readonly name = 'TlsFailure';
}

function pinnedTo(addresses: TargetAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Keeps the start of the body, and stops at the limit or when the body ends; a body that breaks off throws, with its start kept. */
async function readBody(body: AsyncIterable<Uint8Array>, { limits, answer }: Attempt): Promise<void> {
  const kept: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      if (read < limits.keptBytes) kept.push(bytes.subarray(0, limits.keptBytes - read));
      read += bytes.length;
      if (read >= limits.readBytes) break;
    }
  } finally {
    answer.responseText = inertText(Buffer.concat(kept));
  }
}

/** As UTF-8 text; what is not, and control characters (the database takes no NUL), become U+FFFD. A character cut in half is left out. */
function inertText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd');
}

function errorOfStatus(status: number): AttemptError | null {
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

/** What a failure is called. An answer that is not HTTP counts as a broken connection; once a refusing status is there, it is the reason. */
function errorOf(failure: unknown, { signal, answer }: Attempt): AttemptError {
  const ofStatus = answer.httpStatus === null ? null : errorOfStatus(answer.httpStatus);
  if (ofStatus !== null) return ofStatus;
  if (signal.aborted) return 'timeout';
  if (failure instanceof Blocked) return failure.code;
  if (failure instanceof TlsFailure) return 'tls_error';
  if (failure instanceof errors.HTTPParserError) return 'connection_reset';
  const code = codeOf(failure) ?? '';
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return 'tls_error';
  return NETWORK_ERRORS[code] ?? 'internal';
}

function codeOf(failure: unknown): string | undefined {
  return failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : undefined;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, aborted]);
}
