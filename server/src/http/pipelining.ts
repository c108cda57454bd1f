// How much a connection may ask for before it has its answers (MB5).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection has under way. No browser and no usual client sends a second before the first is answered. */
const MOST_UNDER_WAY = 64;

/** Counts a request of its connection; false, and the connection is closed, where it is one too many. */
export function admitRequest(
  underWay: WeakMap<Socket, number>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { socket } = request;
  const count = (underWay.get(socket) ?? 0) + 1;
  if (count > MOST_UNDER_WAY) {
    socket.destroy();
    return false;
  }
  underWay.set(socket, count);
  response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  return true;
}
