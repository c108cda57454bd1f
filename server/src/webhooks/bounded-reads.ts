// Limits all bytes received over a connection for one attempt (rule W4): interim responses and chunk sizes are not
// body, but count too.
import type { Socket } from 'node:net';

/** More data arrived than any response needs. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/** Closes the connection with `TooMuch` once `read` reports more than this many bytes. */
export function boundReads(socket: Socket, bytes: number, read: () => number): void {
  socket.on('readable', () => {
    if (read() > bytes) socket.destroy(new TooMuch());
  });
}
