// Creates the HTTP server: timeouts, header size, and responses to invalid requests.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Refusal } from '@countersign/shared/errors';
import { READING } from '../../limits/memory-limits.ts';
import { RoundRobin } from '../../limits/round-robin.ts';
import { paceBody } from '../admission/body-pace.ts';
import { limitSmallChunks } from './small-chunks.ts';
import { admitRequest, ParsedRequest, type InFlight } from './pipelining.ts';
import { createSlowReaders, MIN_READ_RATE, type ReadRate } from './slow-readers.ts';
import { answerClientErrors, refuseRequest } from './client-error.ts';

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
