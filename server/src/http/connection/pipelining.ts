// Limits pipelined requests (MB5).
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum requests in flight on one connection. Browsers and common clients do not pipeline. */
const MAX_IN_FLIGHT = 16;
/** Maximum pipelined requests over all connections: each takes about 8 KiB and its headers. */
const MAX_PIPELINED = 1000;

/** Requests in flight on one server: per connection, and how many are pipelined in total. */
export interface InFlight {
  of: WeakMap<Socket, number>;
  pipelined: number;
}

/**
 * A request as Node's parser creates it. On a closed connection it looks like CONNECT, which stops the parser;
 * otherwise it would create a request for each of the thousands in the same packet, at 50 µs each.
 */
export class ParsedRequest extends IncomingMessage {
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
export function admitRequest(inFlight: InFlight, request: IncomingMessage, response: ServerResponse): boolean {
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
