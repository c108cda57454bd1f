// Reads large bodies in batches that alternate between owners, so that they do not delay other requests (MB8).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { READING } from '../../limits/memory-limits.ts';
import type { RoundRobin } from '../../limits/round-robin.ts';

/** The owner of each request body, where known; all others share one owner. */
const OWNERS = new WeakMap<IncomingMessage, string>();
const NOBODY = 'nobody';

/** Reads the rest of the body in the turns of this owner. */
export function readFor(request: IncomingMessage, owner: string): void {
  OWNERS.set(request, owner);
}

/**
 * Reads a body that is large or of unknown length in batches, pausing the connection in between. A stalled body takes
 * no turn: its next batch is read when data arrives.
 */
export function paceBody(request: IncomingMessage, response: ServerResponse, queue: RoundRobin): void {
  if (!isLarge(request)) return;
  const push = request.push.bind(request);
  const read = request._read.bind(request);
  let left = request.headers['transfer-encoding'] === undefined ? 0 : READING.free;
  let leave: (() => void) | null = null;
  request.push = (chunk: Buffer | null, ...rest) => {
    left -= chunk?.length ?? 0;
    const takesMore = push(chunk, ...rest);
    return takesMore && left > 0;
  };
  request._read = (size) => {
    if (left > 0) read(size);
    else
      leave ??= queue.ask(OWNERS.get(request) ?? NOBODY, () => {
        leave = null;
        left = READING.batch;
        read(size);
      });
  };
  request.once('close', () => leave?.());
  // Node would drain an unread body at full speed once the response is sent.
  response.once('prefinish', () => request.resume());
}

function isLarge({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > READING.free;
}
