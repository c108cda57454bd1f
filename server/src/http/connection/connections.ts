// Limits the connections of the public port, in total and per address, and tracks those that became WebSockets.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import type { LocalLimiter } from '../../limits/limiter.ts';
import { createTally } from '../../limits/tally.ts';
import { countedAs } from './client-address.ts';

export interface MaxConnections {
  all: number;
  /** Infinity behind a proxy, whose connections serve all clients. */
  ofAddress: number;
  /** A reserve for the local machine: the health check of the container works when all others are taken. */
  reserve: number;
}

/** Far above normal use: 200 reviewers behind one address with many tabs need about 2,000. */
export const MAX_CONNECTIONS: MaxConnections = { all: 10_000, ofAddress: 5000, reserve: 100 };

/**
 * Closes connections beyond the limits on arrival, before a byte is read, and on a full server also idle connections.
 * `limiter` counts the connection rate of an address.
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

/**
 * The minimum interval between closing idle connections, in milliseconds: finding them iterates over all connections.
 */
const IDLE_CLOSE_INTERVAL_MS = 1000;

/** Closes idle keep-alive connections, so that clients cannot fill the server with idle connections. */
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

/** Returns a function that closes every upgraded connection. */
export function trackUpgraded(http: Server): () => void {
  const upgraded = new Set<Duplex>();
  http.on('upgrade', (_request, socket) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
  });
  return () => upgraded.forEach((socket) => socket.destroy());
}
