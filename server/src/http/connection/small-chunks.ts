// Bodies in very small pieces: each weighs half a KiB until it is read, however little it holds (MB4).
import type { IncomingMessage } from 'node:http';

/** Pieces of any size that a body may begin with, and the bytes that all have on the average from then on. */
const FREE_PIECES = 1000;
const LEAST_BYTES = 64;

/** Closes the connection of a chunked body in crumbs. Counted as they arrive: what nobody reads yet is kept piece by piece. */
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
