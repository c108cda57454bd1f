// Reads large request bodies by portions, each in its turn by owner, so that those of many at once do not keep everybody else waiting (MB8).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { READING } from '../../limits/memory-limits.ts';
import type { RoundRobin } from '../../limits/round-robin.ts';

/** Whom bodies are read for, where that is known: of the others, all together are one owner. */
const OWNERS = new WeakMap<IncomingMessage, string>();
const NOBODY = 'nobody';

/** From here on the body is read in the turns of this owner. */
export function readFor(request: IncomingMessage, owner: string): void {
  OWNERS.set(request, owner);
}

/**
 * Lets a body that is large, or whose length is not known, in by portions. Between them nothing is read from the connection. A
 * body of which nothing comes takes no turn: it has its portion, whenever that comes.
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
        left = READING.portion;
        read(size);
      });
  };
  request.once('close', () => leave?.());
  // What nobody reads Node would take off the connection as fast as it comes, once the answer is sent.
  response.once('prefinish', () => request.resume());
}

function isLarge({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > READING.free;
}
