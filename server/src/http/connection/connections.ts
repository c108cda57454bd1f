// Bounds the connections of the public port: how many there are in all, and how many and how often one address opens.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { LocalLimiter } from '../../limits/limiter.ts';
import { createTally } from '../../limits/tally.ts';
import { countedAs } from './client-address.ts';

export interface MaxConnections {
  all: number;
  /** Infinity behind a proxy, whose connections are everybody's. */
  ofAddress: number;
  /** More for this machine: a health check of the container gets through when the rest is taken. */
  reserve: number;
}

/** Far from what people need: 200 reviewers behind one address with many tabs have about 2,000. */
export const MAX_CONNECTIONS: MaxConnections = { all: 10_000, ofAddress: 5000, reserve: 100 };

/**
 * Closes connections beyond the limits as they come, before a byte of them is read, and in a full server those on which nothing is
 * under way. `limiter` counts how often one address comes.
 */
export function limitConnections(
  http: Server,
  most: MaxConnections,
  limiter: Pick<LocalLimiter, 'takeNow'> | null,
): void {
  const open = createTally();
  const closeIdle = createIdleCloser(http);
  http.maxConnections = most.all + most.reserve;
  http.prependListener('connection', (socket: Socket) => {
    const client = countedAs(socket.remoteAddress);
    const isFull = open.total() >= most.all && !isLoopback(socket.remoteAddress);
    if (isFull) closeIdle();
    const isTooOften = limiter?.takeNow('connection', client).allowed === false;
    if (isFull || isTooOften || open.of(client) >= most.ofAddress) socket.destroy();
    else socket.once('close', open.enter(client));
  });
}

/** How often at most connections are closed to make room, in milliseconds: to find the idle ones takes a look at all. */
const IDLE_CLOSE_INTERVAL_MS = 1000;

/** Closes what stays open for a next request, so that nobody fills a server by connections that ask for nothing. */
function createIdleCloser(http: Server): () => void {
  let closedLately = false;
  return () => {
    if (closedLately) return;
    closedLately = true;
    http.closeIdleConnections();
    setTimeout(() => (closedLately = false), IDLE_CLOSE_INTERVAL_MS).unref();
  };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
