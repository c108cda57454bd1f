// Connects the admission to Engine.IO, and answers upgrades that are refused with a status that says why.
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { ServerOptions } from 'socket.io';
import type { Admit, Refused } from './admission.ts';
import type { LiveServer } from '../rooms.ts';

type AllowRequest = NonNullable<ServerOptions['allowRequest']>;

/** Asks `admit` about every handshake. */
export function allowBy(admit: Admit, onError: (error: unknown) => void): AllowRequest {
  return (request, answer) => {
    // While we ask, nobody else listens: a client that breaks off meanwhile is no reason to stop.
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

/** Refuses what names an open connection: one WebSocket is all there is of it, and such a request is asked for nothing else. */
export function refuseSecondTransports({ engine }: Pick<LiveServer, 'engine'>): void {
  engine.use((request: IncomingMessage, _: unknown, next: (error?: Error) => void) => {
    const names = new URL(request.url ?? '', 'http://any').searchParams.has('sid');
    next(names ? new Error('A connection has one transport.') : undefined);
  });
}

/** Ends the answer: Engine.IO, which knows two statuses, finds nothing left to say and closes the connection. */
function writeRefusal({ socket }: IncomingMessage, { status, retryAfter }: Refused): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Length: 0'];
  if (retryAfter !== undefined) lines.push(`Retry-After: ${retryAfter}`);
  if (socket.writable) socket.end(`${lines.join('\r\n')}\r\n\r\n`);
}
