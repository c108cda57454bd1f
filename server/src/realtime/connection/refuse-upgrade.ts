// Connects the admission check to Engine.IO, and refuses upgrades with an informative status.
import { STATUS_CODES, type IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions } from 'socket.io';
import type { Admit, Refused } from './admission.ts';
import type { LiveServer } from '../rooms.ts';

type AllowRequest = NonNullable<ServerOptions['allowRequest']>;

/** Calls `admit` for every handshake. */
export function allowBy(admit: Admit, onError: (error: unknown) => void): AllowRequest {
  return (request, answer) => {
    // No one else listens during the check: a client that disconnects meanwhile must not cause an unhandled error.
    request.socket.on('error', () => undefined);
    const refuse = (refused: Refused) => {
      writeRefusal(request, refused);
      answer('refused', false);
    };
    admit(request).then(
      (refused) => (refused === null ? answer(null, true) : refuse(refused)),
      (error: unknown) => {
        onError(error);
        refuse({ status: 503 });
      },
    );
  };
}

/**
 * Ends the connection of every plain HTTP request to the path of the sockets. Engine.IO answers those itself, before the limits on
 * bodies, pipelining and slow readers apply (MB4 to MB8).
 */
export function closePlainRequests({ engine }: Pick<LiveServer, 'engine'>): void {
  engine.use((_: IncomingMessage, response: unknown, next: () => void) => {
    if (response instanceof ServerResponse) response.setHeader('connection', 'close');
    next();
  });
}

/**
 * Refuses requests that name an open connection: each one has a single WebSocket, and such a request would skip
 * admission.
 */
export function refuseSecondTransports({ engine }: Pick<LiveServer, 'engine'>): void {
  engine.use((request: IncomingMessage, _: unknown, next: (error?: Error) => void) => {
    const names = new URL(request.url ?? '', 'http://any').searchParams.has('sid');
    next(names ? new Error('A connection has one transport.') : undefined);
  });
}

/**
 * Ends the response: Engine.IO, which knows only two statuses, finds nothing left to write and closes the connection.
 */
function writeRefusal({ socket }: IncomingMessage, { status, retryAfter }: Refused): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Length: 0'];
  if (retryAfter !== undefined) lines.push(`Retry-After: ${retryAfter}`);
  if (socket.writable) socket.end(`${lines.join('\r\n')}\r\n\r\n`);
}
