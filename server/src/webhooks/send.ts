// Sends one attempt of a delivery: a connection to a pinned address, one deadline over everything, a bounded answer (rules W2, W4, W5).
import { type LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AttemptError } from '../domain/webhooks/retry.ts';
import type { Outcome, Timings } from '../domain/webhooks/webhook-attempt.ts';
import { errorOf, errorOfStatus, isOfNetwork, TlsFailure } from './attempt-error.ts';
import { boundReads } from './bounded-reads.ts';
import { Connection, type ConnectionPool } from './connections.ts';
import { stripControlCharacters } from './strip-control-characters.ts';
import { storedHeaders } from './stored-headers.ts';
import {
  Blocked,
  examineUrl,
  type GuardPolicy,
  type Lookup,
  mayConnect,
  resolveTarget,
  type TargetAddress,
} from './guard/guard.ts';
import { ProxyFault, throughProxy } from './tunnel.ts';

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  policy: GuardPolicy;
  /** Who is asked for the addresses of a name; the system when absent. */
  lookup?: Lookup;
  /** Where it may find a connection and leave one for the next attempt of the same project; without it has one of its own. Never through a proxy. */
  reuse?: { connections: ConnectionPool; projectId: string };
}

export interface SendLimits {
  /** Over everything: resolving, connecting, sending, reading. */
  deadlineMs: number;
  connectMs: number;
  headerBytes: number;
  /** Reading stops here; what was answered counts. */
  readBytes: number;
  /** Of everything that comes over the connection, body or not. */
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
/** Node gives up on one of several addresses after 250 ms by default, too soon for a receiver on the other side of the world. */
const ADDRESS_MS = 1_000;
const RETRY_AFTER_LENGTH = 200;
/** What we send and the end of a kept connection meet on the way: a way to the other side of the world and back, and some. */
const CLOSE_RACE_MS = 500;

type Answer = Omit<Outcome, 'error' | 'totalMs'>;

interface Attempt {
  request: WebhookRequest;
  limits: SendLimits;
  signal: AbortSignal;
  /** Filled in as things become known, so that a broken attempt still reports what it saw. */
  answer: Answer;
  /** When the connection stood, TLS included, or was taken over. */
  connectedAt: number;
}

/** Posts the body once and says what came of it. Never throws, never follows a redirect, and has ended when the deadline passes. */
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
    // Until the deadline it is the proxy's fault; its silence is that of the receiver.
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
    connection.connector = guardedConnector(addresses, { attempt, connection });
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

/** Whose turn it is on a connection. */
interface Exchange {
  attempt: Attempt;
  connection: Connection;
}

/** One of an attempt before, open to an address that the name has now. */
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

/** Projects share none: an answer that comes unasked is never another's. */
const poolKey = (origin: string, projectId: string): string => `${projectId} ${origin}`;

/** It was closed so soon that the receiver hardly knew of this attempt: nothing came, and that says nothing of the receiver. */
const wasClosedBefore = (error: unknown, { attempt, connection }: Exchange): boolean =>
  connection.isOld &&
  connection.read === 0 &&
  performance.now() - attempt.connectedAt < CLOSE_RACE_MS &&
  errorOf(error, { httpStatus: attempt.answer.httpStatus, late: false }) === 'connection_reset';

async function exchange(
  { origin, pathname, search }: URL,
  { attempt, connection }: Exchange,
): Promise<AttemptError | null> {
  const { request, signal, answer } = attempt;
  const { headers, body, reuse } = request;
  let ended = false;
  try {
    const path = pathname + search;
    const reply = await connection.client.request({
      ...{ method: 'POST', path, headers, body, signal, reset: reuse === undefined },
    });
    answer.timings.firstByteMs = since(attempt.connectedAt);
    answer.httpStatus = reply.statusCode;
    answer.retryAfter = [reply.headers['retry-after'] ?? []].flat()[0]?.slice(0, RETRY_AFTER_LENGTH) ?? null;
    answer.responseHeaders = storedHeaders(reply.headers);
    ended = await readBody(reply.body, attempt);
    return errorOfStatus(reply.statusCode);
  } finally {
    // One that has been read to its end and is not kept is closed by `reset`; to close it again costs as much as sending it did.
    if (!ended) connection.close();
    else reuse?.connections.release(poolKey(origin, reuse.projectId), connection);
  }
}

/** None when only the operator's proxy can find them: a bad answer refuses the name all the same (W5). */
async function addressesFor(url: URL, { policy, lookup }: WebhookRequest): Promise<TargetAddress[]> {
  try {
    return (await resolveTarget(url, policy, lookup)).addresses;
  } catch (error) {
    if (policy.proxyUrl && error instanceof Blocked && error.code === 'dns_error') return [];
    throw error;
  }
}

/** Connects to the checked addresses only, whatever the name says by now, and looks at the other end before a byte is sent. */
function guardedConnector(addresses: TargetAddress[], { attempt, connection }: Exchange): buildConnector.connector {
  const { request, limits, signal } = attempt;
  const clock = connectionClock(attempt);
  const direct = namingTls({
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
  const { proxyUrl } = request.policy;
  const connect = proxyUrl ? throughProxy(direct, { ...limits, proxyUrl, signal, onOpen: clock.reached }) : direct;
  return (options, callback) => {
    const opening: unknown = connect(options, (failure, socket) => {
      if (failure !== null) return callback(failure, null);
      clock.connected(options.protocol === 'https:');
      if (!isAllowedPeer(socket, attempt)) {
        socket.destroy();
        return callback(new Blocked('blocked_address'), null);
      }
      connection.opened(socket);
      boundReads(socket, limits.wireBytes, () => connection.read);
      callback(null, socket);
    });
    // The socket itself says when TCP stands; the connector calls back only after TLS.
    if (opening instanceof Socket) opening.once('connect', clock.reached);
  };
}

/** The library's connector; what fails and is not the network's fault is TLS's, where there is TLS. */
function namingTls(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (failure, socket) => {
      if (failure === null) return callback(null, socket);
      const isTls = target.protocol === 'https:' && !isOfNetwork(failure);
      callback(isTls ? new TlsFailure('tls_error', { cause: failure }) : failure, null);
    });
}

/** The other end of a tunnel is the operator's proxy, which may stand anywhere and is nobody's business. */
function isAllowedPeer(
  { remoteAddress = '', remotePort = 0 }: Socket,
  { request: { policy }, answer }: Attempt,
): boolean {
  if (policy.proxyUrl) return true;
  answer.remoteAddress = remoteAddress === '' ? null : remoteAddress;
  return mayConnect({ address: remoteAddress, port: remotePort }, policy);
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
    connected: (isHttps: boolean) => {
      reached();
      attempt.connectedAt = performance.now();
      if (isHttps) timings.tlsMs = Math.max(0, since(started) - (timings.connectMs ?? 0));
    },
  };
}

/** Whole milliseconds since `start`, a reading of `performance.now()`. */
const since = (start: number): number => Math.round(performance.now() - start);

function pinnedTo(addresses: TargetAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/**
 * Keeps the start of the body, and stops at the limit or when the body ends; a body that breaks off throws, with its start kept.
 * Answers whether it has ended.
 */
async function readBody(body: AsyncIterable<Uint8Array>, { limits, answer }: Attempt): Promise<boolean> {
  const chunks: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      if (read < limits.storedBytes) chunks.push(bytes.subarray(0, limits.storedBytes - read));
      read += bytes.length;
      if (read >= limits.readBytes) return false;
    }
    return true;
  } finally {
    answer.responseText = decodeBody(Buffer.concat(chunks));
  }
}

/** As UTF-8 text, inert; what is none becomes U+FFFD. A character cut in half is left out. */
function decodeBody(bytes: Buffer): string {
  return stripControlCharacters(new TextDecoder().decode(bytes, { stream: true }));
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, aborted]);
}
