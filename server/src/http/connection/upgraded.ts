// Tracks connections that became WebSockets: node:http forgets them, so closing its connections leaves them open.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Returns a function that closes every upgraded connection. */
export function trackUpgraded(http: Server): () => void {
  const upgraded = new Set<Duplex>();
  http.on('upgrade', (_request, socket) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
  });
  return () => upgraded.forEach((socket) => socket.destroy());
}
