// Bounds the connections of the public port: how many there are in all, and how many and how often one address opens.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { LocalLimiter } from '../limits/limiter.ts';
import { createTally } from '../limits/tally.ts';
import { countedAs } from './client-address.ts';

export interface MostConnections {
  all: number;
  /** Infinity behind a proxy, whose connections are everybody's. */
  ofAddress: number;
  /** More for this machine: a health check of the container gets through when the rest is taken. */
  reserve: number;
}

/** Far from what people need: 200 reviewers behind one address with many tabs have about 2,000. */
export const MOST_CONNECTIONS: MostConnections = { all: 10_000, ofAddress: 5000, reserve: 100 };

/**
 * Closes connections beyond the limits as they come, before a byte of them is read, and in a full server those on which nothing is
 * under way. `limiter` counts how often one address comes.
 */
export function limitConnections(
  http: Server,
  most: MostConnections,
  limiter: Pick<LocalLimiter, 'takeNow'> | null,
): void {
  const open = createTally();
  const makeRoom = closingIdle(http);
  http.maxConnections = most.all + most.reserve;
  http.prependListener('connection', (socket: Socket) => {
    const client = countedAs(socket.remoteAddress);
    const isFull = open.total() >= most.all && !isThisMachine(socket.remoteAddress);
    if (isFull) makeRoom();
    const isTooOften = limiter?.takeNow('connection', client).allowed === false;
    if (isFull || isTooOften || open.of(client) >= most.ofAddress) socket.destroy();
    else socket.once('close', open.enter(client));
  });
}

/** How often at most connections are closed to make room, in milliseconds: to find the idle ones takes a look at all. */
const MAKES_ROOM_EVERY_MS = 1000;

/** Closes what stays open for a next request, so that nobody fills a server by connections that ask for nothing. */
function closingIdle(http: Server): () => void {
  let made = false;
  return () => {
    if (made) return;
    made = true;
    http.closeIdleConnections();
    setTimeout(() => (made = false), MAKES_ROOM_EVERY_MS).unref();
  };
}

function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
