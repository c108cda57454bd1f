// Limits the connections of the public port: their number, how slowly they may be read, and upgraded ones at a stop.
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

/** The minimum rate at which a response must be read. */
export interface ReadRate {
  bytesPerSecond: number;
  /** How long a client may read nothing, in ms, if it was fast enough before. */
  graceMs: number;
}

/**
 * A mobile connection of the 1990s is faster. The grace period alone covers 240 KiB: any page of the dashboard and most
 * lists.
 */
export const MIN_READ_RATE: ReadRate = { bytesPerSecond: 8 * 1024, graceMs: 30_000 };

/** The parts of a connection (`net.Socket`) that are needed. */
export interface Reader {
  /** Bytes written to it, including those still buffered in it. */
  readonly bytesWritten: number;
  /** Bytes buffered in it because the system accepts no more. */
  readonly writableLength: number;
  destroy(): unknown;
}

interface SlowReaders {
  /** Watches a connection until the returned function is called; once per response in progress. */
  watch(reader: Reader): () => void;
  /** Closes connections that are too slow. Call it about every second. */
  check(): void;
}

interface Watched {
  answers: number;
  written: number;
  /** When the buffered data must have been read, in ms. */
  dueAt: number;
}

/**
 * Every byte written to a connection grants the time that it takes at the minimum rate. A large chunk shows no progress
 * before it is read completely, so it gets its whole time. Slower clients would hold slots and memory for hours (MB6).
 */
export function createSlowReaders({ bytesPerSecond, graceMs }: ReadRate, now = () => performance.now()): SlowReaders {
  const readers = new Map<Reader, Watched>();
  const msFor = (bytes: number) => (bytes * 1000) / bytesPerSecond;

  function isLate(reader: Reader, watched: Watched): boolean {
    const { bytesWritten: written, writableLength: waiting } = reader;
    const latest = now() + graceMs + msFor(waiting);
    const dueAt = watched.dueAt + msFor(written - watched.written);
    watched.written = written;
    // Nothing is buffered: the client is not responsible for the time that passes.
    watched.dueAt = waiting === 0 ? latest : Math.min(dueAt, latest);
    return watched.dueAt < now();
  }

  return {
    watch: (reader) => {
      const watched = readers.get(reader) ?? { answers: 0, written: reader.bytesWritten, dueAt: now() + graceMs };
      readers.set(reader, watched);
      watched.answers += 1;
      return () => {
        watched.answers -= 1;
        if (watched.answers === 0) readers.delete(reader);
      };
    },
    check: () => {
      for (const [reader, watched] of readers) if (isLate(reader, watched)) reader.destroy();
    },
  };
}
