// Sends one attempt of a delivery: to a pinned address, by one deadline, with a bounded response (W2, W4, W5).
import type { Socket } from 'node:net';
import { type buildConnector, errors } from 'undici';
import type { AttemptError, Outcome, Timings } from '../domain/webhooks/retry.ts';
import { errorOf, errorOfStatus, storedHeaders, stripControlCharacters } from './answer.ts';
import { createConnector } from './connector.ts';
import { Connection, type ConnectionPool } from './connections.ts';
import { Blocked, examineUrl, type GuardPolicy, mayConnect, resolveTarget, type TargetAddress } from './guard/guard.ts';
import type { Lookup } from './guard/names.ts';
import { ResponseStart } from './received.ts';
import { ProxyFault } from './tunnel.ts';

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  policy: GuardPolicy;
  /** Resolves names; the system resolver by default. */
  lookup?: Lookup;
  /**
   * Where to take a connection from and return it to for the next attempt of the same project; without it the attempt
   * opens its own. Never through a proxy.
   */
  reuse?: { connections: ConnectionPool; projectId: string };
}

export interface SendLimits {
  /** Over everything: resolving, connecting, sending, reading. */
  deadlineMs: number;
  connectMs: number;
  headerBytes: number;
  /** Reading stops here; the status counts. */
  readBytes: number;
  /** Everything received over the connection, body or not. */
  wireBytes: number;
  storedBytes: number;
}

const LIMITS: SendLimits = {
  deadlineMs: 20_000,
  connectMs: 5_000,
  headerBytes: 16_384,
  readBytes: 65_536,
  wireBytes: 524_288,
  storedBytes: 8_192,
};
const RETRY_AFTER_LENGTH = 200;
/** A request and the close of an idle connection may cross: a round trip to another continent, and some. */
const CLOSE_RACE_MS = 500;

type Answer = Omit<Outcome, 'error' | 'totalMs'>;

interface Attempt {
  request: WebhookRequest;
  limits: SendLimits;
  signal: AbortSignal;
  /** Filled in as things become known, so that a failed attempt still reports what it saw. */
  answer: Answer;
  /** When the connection was established, including TLS, or taken from the pool. */
  connectedAt: number;
}

/** Posts the body once and returns the result. Never throws, never follows a redirect, and ends by the deadline. */
export async function sendWebhook(request: WebhookRequest, limits: Partial<SendLimits> = {}): Promise<Outcome> {
  const started = performance.now();
  const deadline = new AbortController();
  const timings: Timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
  const nothing = {
    httpStatus: null,
    retryAfter: null,
    responseHeaders: null,
    responseText: null,
    remoteAddress: null,
  };
  const answer: Answer = { ...nothing, timings };
  const attempt: Attempt = {
    request,
    limits: { ...LIMITS, ...limits },
    signal: deadline.signal,
    answer,
    connectedAt: 0,
  };
  const timer = setTimeout(() => deadline.abort(), attempt.limits.deadlineMs);
  const error = await post(attempt).catch((cause: unknown) => {
    const named = errorOf(cause, { httpStatus: answer.httpStatus, late: deadline.signal.aborted });
    // Before the deadline it is the proxy's fault; silence until the deadline is the receiver's.
    if (named === 'internal' && cause instanceof ProxyFault) answer.proxyFault = cause.message;
    return named;
  });
  clearTimeout(timer);
  return { ...answer, error, totalMs: Math.round(performance.now() - started) };
}

async function post(attempt: Attempt): Promise<AttemptError | null> {
  const { request, limits, signal, answer } = attempt;
  const verdict = examineUrl(request.url, request.policy);
  if (!verdict.ok) return verdict.code;
  const asked = performance.now();
  const addresses = await unlessAborted(addressesFor(verdict.url, request), signal);
  answer.timings.dnsMs = since(asked);
  const { origin } = verdict.url;
  const exchanged = (connection: Connection) => {
    // Created when it is used: an open connection needs none.
    connection.connector = (...target) => guardedConnector(addresses, { attempt, connection })(...target);
    return exchange(verdict.url, { attempt, connection });
  };
  const pooled = pooledConnection(origin, { addresses, attempt });
  if (pooled !== undefined) {
    try {
      return await exchanged(pooled);
    } catch (error) {
      if (!wasClosedBefore(error, { attempt, connection: pooled })) throw error;
      answer.remoteAddress = null;
    }
  }
  return exchanged(new Connection(origin, limits));
}

/** The current use of a connection. */
interface Exchange {
  attempt: Attempt;
  connection: Connection;
}

/** A connection of an earlier attempt to a current address of the name. */
function pooledConnection(
  origin: string,
  { addresses, attempt }: { addresses: TargetAddress[]; attempt: Attempt },
): Connection | undefined {
  const { reuse } = attempt.request;
  const connection = reuse?.connections.take(poolKey(origin, reuse.projectId), addresses);
  if (connection === undefined) return undefined;
  attempt.connectedAt = performance.now();
  attempt.answer.remoteAddress = connection.openTo ?? null;
  return connection;
}

/** Projects share no connections: an unexpected response can never be taken for that of another project. */
const poolKey = (origin: string, projectId: string): string => `${projectId} ${origin}`;

/**
 * The connection was closed so soon that the receiver hardly saw this attempt: without a response, that says nothing
 * about the receiver.
 */
const wasClosedBefore = (error: unknown, { attempt, connection }: Exchange): boolean =>
  connection.isOld &&
  connection.read === 0 &&
  performance.now() - attempt.connectedAt < CLOSE_RACE_MS &&
  errorOf(error, { httpStatus: attempt.answer.httpStatus, late: false }) === 'connection_reset';

async function exchange(
  { origin, pathname, search }: URL,
  { attempt, connection }: Exchange,
): Promise<AttemptError | null> {
  const { request, limits, signal, answer } = attempt;
  const { headers, body, reuse } = request;
  let ended = false;
  try {
    const response = new ResponseStart({
      ...{ signal, readBytes: limits.readBytes, storedBytes: limits.storedBytes },
      onStart: (status, received) => {
        answer.timings.firstByteMs = since(attempt.connectedAt);
        answer.httpStatus = status;
        answer.retryAfter = [received['retry-after'] ?? []].flat()[0]?.slice(0, RETRY_AFTER_LENGTH) ?? null;
        answer.responseHeaders = storedHeaders(received);
      },
      onBody: (start) => {
        answer.responseText = decodeBody(start);
      },
    });
    const path = pathname + search;
    connection.client.dispatch({ method: 'POST', path, headers, body, reset: reuse === undefined }, response);
    ended = await response.ended;
    if (answer.httpStatus === null) throw new errors.SocketError('The response ended without a status.');
    return errorOfStatus(answer.httpStatus);
  } finally {
    // `reset` closes a connection that was read to its end and is not reused; closing it again would cost as much as
    // the request did.
    if (!ended) connection.close();
    else reuse?.connections.release(poolKey(origin, reuse.projectId), connection);
  }
}

/** Empty when only the operator's proxy can resolve the name: a blocked address still refuses it (W5). */
async function addressesFor(url: URL, { policy, lookup }: WebhookRequest): Promise<TargetAddress[]> {
  try {
    return (await resolveTarget(url, policy, lookup)).addresses;
  } catch (error) {
    if (policy.proxyUrl && error instanceof Blocked && error.code === 'dns_error') return [];
    throw error;
  }
}

/** Connects only to the checked addresses, and checks the remote address before a byte is sent. */
function guardedConnector(addresses: TargetAddress[], { attempt, connection }: Exchange): buildConnector.connector {
  const { request, limits, signal } = attempt;
  const clock = connectionClock(attempt);
  return createConnector(addresses, {
    ...{ proxyUrl: request.policy.proxyUrl ?? null, limits, signal, connection, reached: clock.reached },
    isAllowed: (socket, isHttps) => {
      clock.connected(isHttps);
      return isAllowedPeer(socket, attempt);
    },
  });
}

/** The peer of a tunnel is the operator's proxy, which may have any address. */
function isAllowedPeer(
  { remoteAddress = '', remotePort = 0 }: Socket,
  { request: { policy }, answer }: Attempt,
): boolean {
  if (policy.proxyUrl) return true;
  answer.remoteAddress = remoteAddress === '' ? null : remoteAddress;
  return mayConnect({ address: remoteAddress, port: remotePort }, policy);
}

/** Splits the connect time into TCP and TLS. */
function connectionClock(attempt: Attempt) {
  const { timings } = attempt.answer;
  const started = performance.now();
  const reached = () => {
    timings.connectMs ??= since(started);
  };
  return {
    reached,
    connected: (isHttps: boolean) => {
      reached();
      attempt.connectedAt = performance.now();
      if (isHttps) timings.tlsMs = Math.max(0, since(started) - (timings.connectMs ?? 0));
    },
  };
}

/** Whole milliseconds since `start`, a value of `performance.now()`. */
const since = (start: number): number => Math.round(performance.now() - start);

/** As UTF-8 text without control characters; invalid bytes become U+FFFD. A character cut in half is dropped. */
const decodeBody = (bytes: Buffer): string =>
  bytes.length === 0 ? '' : stripControlCharacters(new TextDecoder().decode(bytes, { stream: true }));

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, aborted]);
}
