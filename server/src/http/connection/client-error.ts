// Responds with a problem to what Node refuses before there is a request: invalid or too large headers, and slow
// requests.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '@countersign/shared/errors';
import { toProblem } from '../response/problem.ts';

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
export function answerClientErrors(http: Server): void {
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
export function refuseRequest(response: ServerResponse, refusal: Refusal): void {
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
