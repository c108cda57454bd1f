// Limits bodies in very small chunks: each chunk takes half a KiB of memory until it is read (MB4).
import type { IncomingMessage } from 'node:http';

/** Chunks of any size that a body may begin with, and the average chunk size required from then on. */
const FREE_PIECES = 1000;
const LEAST_BYTES = 64;

/**
 * Closes the connection of a body in tiny chunks. They are counted on arrival, because unread chunks are buffered one
 * by one.
 */
export function limitSmallChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  const push = request.push.bind(request);
  let [pieces, bytes] = [0, 0];
  request.push = (chunk: Buffer | null, ...rest) => {
    pieces += 1;
    bytes += chunk?.length ?? 0;
    if (chunk === null || pieces <= FREE_PIECES || bytes >= pieces * LEAST_BYTES) return push(chunk, ...rest);
    request.socket.destroy();
    return false;
  };
}
