// How much a connection may ask for before it has its answers (MB5).
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection has under way. No browser and no usual client sends a second before the first is answered. */
const MAX_IN_FLIGHT = 16;
/** Requests of all connections that came before their connection had its answer: each keeps about 8 KiB, and its headers. */
const MAX_PIPELINED = 1000;

/** What one server has under way: by connection, and how many of all stand behind another of theirs. */
export interface InFlight {
  of: WeakMap<Socket, number>;
  pipelined: number;
}

/**
 * A request as Node's parser makes it. On a connection that is closed it looks like CONNECT: the parser stops there, where it
 * would make a request of each of the thousands that came in the same packet, at 50 µs each.
 */
export class ParsedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if (socket.destroyed) Object.defineProperties(this, NO_MORE);
  }
}

/** The parser sets both after it has made the request. */
const NO_MORE = {
  method: { get: () => 'CONNECT', set: () => undefined },
  upgrade: { get: () => true, set: () => undefined },
};

/** Counts a request of its connection; false, and the connection is closed, where it is one too many. */
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
