// Creates the HTTP server: timeouts, header size, limits of pipelining and tiny chunks, responses to invalid requests.
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Refusal } from '@countersign/shared/errors';
import { READING } from '../../limits/memory-limits.ts';
import { RoundRobin } from '../../limits/round-robin.ts';
import { paceBody } from '../admission/body-pace.ts';
import { createSlowReaders, MIN_READ_RATE, type ReadRate } from './connections.ts';
import { toProblem } from '../response/problem.ts';

/**
 * Milliseconds that the headers, and the whole request with its body, may take to arrive; and the interval at which
 * connections are checked.
 */
export interface HttpTimeouts {
  headersMs: number;
  requestMs: number;
  checkEveryMs: number;
  /**
   * How long a connection may be silent in both directions: longer than the longest wait, so that only a client that
   * does not read is disconnected.
   */
  silenceMs: number;
  /** How long an idle connection stays open for the next request (A15). */
  keepAliveMs: number;
  /** The minimum rate at which responses must be read (MB6). Default: `MIN_READ_RATE`. */
  read?: ReadRate;
}

/**
 * The side that opened an idle connection must be the one that closes it; otherwise a request may be on its way into a
 * closed connection and the proxy responds with 502. So ours stay open longer than those of common proxies: nginx and
 * AWS 60 s, others 75 s or 90 s, Caddy 120 s.
 */
const DEFAULT_TIMEOUTS: HttpTimeouts = {
  ...{ headersMs: 10_000, requestMs: 30_000, checkEveryMs: 1000, silenceMs: 90_000 },
  keepAliveMs: 130_000,
};
const HEADER_BYTES = 16 * 1024;
/** The path of the live socket. */
const SOCKET_PATH = '/socket.io/';

const NO_HOST = new Refusal('invalid_header', 'Send a Host header.');
const UNKNOWN_EXPECTATION = new Refusal('invalid_header', 'Send no Expect header, or Expect: 100-continue.');

/**
 * A server that is not listening yet. It responds to unreadable requests with a 400 or 408 problem and closes the
 * connection.
 */
export function createHttpServer(
  listener: RequestListener,
  overrides: Partial<HttpTimeouts> = {},
  bodies = new RoundRobin(READING.perTurn),
): Server {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...overrides };
  const inFlight: InFlight = { of: new WeakMap(), pipelined: 0 };
  const http = createServer(
    {
      keepAliveTimeout: timeouts.keepAliveMs,
      IncomingMessage: ParsedRequest,
      // Starts with the first byte of a request, so it does not limit how long a connection may be idle before.
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      maxHeaderSize: HEADER_BYTES,
      // Node's own refusal has no body; ours says what is missing.
      requireHostHeader: false,
      // Upgrades to HTTP/2, and WebSockets on other paths, are ignored, and the request is answered normally.
      shouldUpgradeCallback: ({ headers, url }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && url?.startsWith(SOCKET_PATH) === true,
    },
    (request, response) => {
      if (!admitRequest(inFlight, request, response)) return;
      limitSmallChunks(request);
      paceBody(request, response, bodies);
      if (request.headers.host === undefined && request.httpVersion === '1.1') refuseRequest(response, NO_HOST);
      else listener(request, response);
    },
  );
  http.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (admitRequest(inFlight, request, response)) refuseRequest(response, UNKNOWN_EXPECTATION);
  });
  answerClientErrors(http);
  cutSlowReaders(http, timeouts);
  http.timeout = timeouts.silenceMs;
  return http;
}

/** Watches every response until the client has received it. */
function cutSlowReaders(http: Server, { read = MIN_READ_RATE, checkEveryMs }: HttpTimeouts): void {
  const readers = createSlowReaders(read);
  const watch: RequestListener = (request, response) => void response.once('close', readers.watch(request.socket));
  http.on('request', watch).on('checkExpectation', watch);
  const checking = setInterval(() => readers.check(), checkEveryMs).unref();
  http.once('close', () => clearInterval(checking));
}

/** Resolves when the server is listening. Errors: EADDRINUSE and other system errors. */
export function listen(http: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => resolve());
  });
}

/** Chunks of any size that a body may begin with, and the average chunk size required from then on. */
const FREE_PIECES = 1000;
const LEAST_BYTES = 64;

/**
 * Closes the connection of a body in tiny chunks. They are counted on arrival, because unread chunks are buffered one
 * by one.
 */
function limitSmallChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  const push = request.push.bind(request);
  let [pieces, bytes] = [0, 0];
  request.push = (chunk: Buffer | null, ...rest) => {
    pieces += 1;
    bytes += chunk?.length ?? 0;
    if (chunk === null || pieces <= FREE_PIECES || bytes >= pieces * LEAST_BYTES) return push(chunk, ...rest);
    request.socket.destroy();
    return false;
  };
}

/** Maximum requests in flight on one connection. Browsers and common clients do not pipeline. */
const MAX_IN_FLIGHT = 16;
/** Maximum pipelined requests over all connections: each takes about 8 KiB and its headers. */
const MAX_PIPELINED = 1000;

/** Requests in flight on one server: per connection, and how many are pipelined in total. */
interface InFlight {
  of: WeakMap<Socket, number>;
  pipelined: number;
}

/**
 * A request as Node's parser creates it. On a closed connection it looks like CONNECT, which stops the parser;
 * otherwise it would create a request for each of the thousands in the same packet, at 50 µs each.
 */
class ParsedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if (socket.destroyed) Object.defineProperties(this, NO_MORE);
  }
}

/** The parser sets both properties after it has created the request. */
const NO_MORE = {
  method: { get: () => 'CONNECT', set: () => undefined },
  upgrade: { get: () => true, set: () => undefined },
};

/** Counts a request of its connection; returns false and closes the connection beyond the limit. */
function admitRequest(inFlight: InFlight, request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  const count = (inFlight.of.get(socket) ?? 0) + 1;
  const pipelined = count > 1 ? 1 : 0;
  if (count > MAX_IN_FLIGHT || inFlight.pipelined + pipelined > MAX_PIPELINED) {
    socket.destroy();
    return false;
  }
  inFlight.of.set(socket, count);
  inFlight.pipelined += pipelined;
  response.once('close', () => {
    inFlight.of.set(socket, (inFlight.of.get(socket) ?? 1) - 1);
    inFlight.pipelined -= pipelined;
  });
  return true;
}

/** By Node's error code; every other one means an unreadable request. */
const REFUSALS: Record<string, Refusal | undefined> = {
  HPE_HEADER_OVERFLOW: new Refusal('invalid_header', 'Send at most 16 KiB of headers, including the URL.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(
    'request_timeout',
    'Send the whole request within 30 s, its headers within 10 s.',
  ),
};
const UNREADABLE = new Refusal('invalid_header', 'Send a request line and headers as defined by HTTP/1.1 (RFC 9112).');

/** How long a refused client may continue sending, in ms. */
const LINGER_MS = 1000;

/**
 * Responds to parser errors of `http` and closes the connection: after a bad request, the next one cannot be delimited.
 */
function answerClientErrors(http: Server): void {
  /** The response in progress on each connection. */
  const answering = new WeakMap<Duplex, ServerResponse>();
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answering.set(request.socket, response);
  });
  http.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // The parser reports the error again for all further data, once it has been answered.
    if (socket.writableEnded && !socket.destroyed && error.code?.startsWith('HPE_')) return;
    const response = answering.get(socket);
    // A second response in the middle of another one would corrupt it.
    const midAnswer = response !== undefined && response.headersSent && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || midAnswer) {
      socket.destroy();
      return;
    }
    const refusal = REFUSALS[error.code ?? ''] ?? UNREADABLE;
    socket.end(answerText(refusal));
    // A late request must not be handled after all: no more of it is read.
    if (refusal.code === 'request_timeout') (socket as Socket).destroySoon();
    else destroyLater(socket);
  });
}

/**
 * Closing while bytes still arrive resets the connection, and the client loses the response: they may arrive for a
 * moment and are discarded.
 */
function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function answerText(refusal: Refusal): string {
  const { status, headers, text } = answerOf(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n');
}

/** Responds to a request that Node parsed but HTTP forbids, and closes the connection. */
function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, text } = answerOf(refusal);
  response.writeHead(status, headers).end(text);
}

function answerOf(refusal: Refusal) {
  const requestId = randomUUID();
  const body = toProblem(refusal, { path: '', state: { requestId } });
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  return { status: body.status, headers, text };
}
