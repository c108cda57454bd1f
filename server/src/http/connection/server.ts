// The HTTP server itself: how long a request may take to arrive, how large its headers may be, and who answers when it is no request.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Refusal } from '@countersign/shared/errors';
import { READING } from '../../limits/memory-limits.ts';
import { RoundRobin } from '../../limits/round-robin.ts';
import { paceBody } from '../admission/body-pace.ts';
import { limitSmallChunks } from './small-chunks.ts';
import { admitRequest, ParsedRequest, type InFlight } from './pipelining.ts';
import { createSlowReaders, MIN_READ_RATE, type ReadRate } from './slow-readers.ts';
import { answerClientErrors, refuseRequest } from './client-error.ts';

/** Milliseconds that the headers, and the whole request with its body, may take to arrive; and how often connections are looked at. */
export interface HttpTimeouts {
  headersMs: number;
  requestMs: number;
  checkEveryMs: number;
  /** How long a connection may be silent both ways: longer than anybody may wait, so that only who does not read is cut off. */
  silenceMs: number;
  /** How long a connection on which nothing is under way stays open for the next request (A15). */
  keepAliveMs: number;
  /** How fast answers have to be read (MB6). Default: `LEAST_READ_RATE`. */
  read?: ReadRate;
}

/**
 * Whoever closes an idle connection must be the one that opened it, or a request is on its way into a closed one and a proxy answers 502.
 * So ours stay open longer than those of the usual proxies: nginx and AWS 60 s, others 75 s or 90 s, Caddy 120 s.
 */
const DEFAULT_TIMEOUTS: HttpTimeouts = {
  ...{ headersMs: 10_000, requestMs: 30_000, checkEveryMs: 1000, silenceMs: 90_000 },
  keepAliveMs: 130_000,
};
const HEADER_BYTES = 16 * 1024;
/** Where the live socket is. */
const SOCKET_PATH = '/socket.io/';

const NO_HOST = new Refusal('invalid_header', 'Send a Host header.');
const UNKNOWN_EXPECTATION = new Refusal('invalid_header', 'Send no Expect header, or 100-continue.');

/** A server that is not listening yet. Whatever it cannot read is answered 400 or 408 as a problem, and its connection closed. */
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
      // Counts from the first byte of a request, so it says nothing of how long a connection may wait for that.
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      maxHeaderSize: HEADER_BYTES,
      // Node's own refusal of it has no body: ours says what is missing.
      requireHostHeader: false,
      // Offers to speak HTTP/2 instead are not taken up, and a WebSocket elsewhere: neither keeps the request from being answered.
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

/** Watches every answer until the client has it. */
function cutSlowReaders(http: Server, { read = MIN_READ_RATE, checkEveryMs }: HttpTimeouts): void {
  const readers = createSlowReaders(read);
  const watch: RequestListener = (request, response) => void response.once('close', readers.watch(request.socket));
  http.on('request', watch).on('checkExpectation', watch);
  const checking = setInterval(() => readers.check(), checkEveryMs).unref();
  http.once('close', () => clearInterval(checking));
}

/** Resolves when it listens. Errors: EADDRINUSE and what else the system says. */
export function listen(http: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => resolve());
  });
}
