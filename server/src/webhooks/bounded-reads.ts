// What comes over a connection for one attempt is bounded as a whole (rule W4): interim answers and the sizes of chunks are no body, and count too.
import type { Socket } from 'node:net';

/** More came than any answer needs. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/** Ends the connection, with `TooMuch`, once `read` says that more than so many bytes have come over it. */
export function boundReads(socket: Socket, bytes: number, read: () => number): void {
  socket.on('readable', () => {
    if (read() > bytes) socket.destroy(new TooMuch());
  });
}
