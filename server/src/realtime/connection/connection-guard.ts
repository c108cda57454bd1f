// Closes socket connections that send too much, break the protocol or do not read, below Socket.IO.
import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import {
  BYTES,
  createTrafficLimiter,
  PACKETS,
  createFrameCounter,
  createPacketValidator,
  type Packet,
} from './client-traffic.ts';
import type { LiveServer, LiveSocket } from '../rooms.ts';

/** A connection of Engine.IO. */
export type Connection = LiveSocket['conn'];

/** How long a client may take to accept the closing handshake before its connection is cut, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

export interface Guard {
  /** Closes a connection after its pending data, and cuts it if the client does not read that in time. */
  hangUp(conn: Connection): void;
  /** The bytes sent to this client that it has not read, as far as the process knows. */
  unsentTo(conn: Connection): number;
}

/** What is known of a connection from its upgrade on. */
interface Watched {
  /** It is an Engine.IO connection now: its request can be released. */
  opened(): void;
  /** Allows for a response that the server requested. */
  allowPong(): void;
  /** Cuts the connection: received data is no longer read. */
  cut(conn?: Connection): void;
  /** Cuts it after a moment, if it still exists. */
  cutSoon(): void;
}

/** The WebSocket of an upgraded request, where Engine.IO stores it. */
interface Upgraded extends IncomingMessage {
  websocket?: { removeAllListeners(event: string): void; terminate(): void };
}

/** Guards all connections from now on. `now`: a clock that never goes back, in milliseconds; tests move their own. */
export function guardConnections({ engine }: LiveServer, now = () => performance.now()): Guard {
  const upgrades = new WeakMap<IncomingMessage, Watched>();
  const connections = new WeakMap<Connection, Watched>();
  const unsentBy = new WeakMap<Connection, Unsent>();
  const measure = createUnsentLimit();
  // Before the first byte after the upgrade is read: data that comes with the upgrade counts too.
  engine.on('initial_headers', (_: unknown, request: Upgraded) => upgrades.set(request, limitTraffic(request, now)));
  engine.on('connection', (conn: Connection) => {
    const watched = upgrades.get(conn.request);
    if (watched === undefined) return;
    connections.set(conn, watched);
    watched.opened();
    validatePackets(conn, watched);
    const unsent = measure();
    unsentBy.set(conn, unsent);
    limitUnsent(conn, watched, unsent);
    conn.once('close', () => watched.cutSoon());
  });
  return {
    hangUp: (conn) => {
      conn.close();
      connections.get(conn)?.cutSoon();
    },
    unsentTo: (conn) => unsentBy.get(conn)?.bytes() ?? 0,
  };
}

/** Counts bytes and frames on arrival, and cuts the connection of a client that exceeds the limit. */
function limitTraffic(upgraded: Upgraded, now: () => number): Watched {
  const { socket } = upgraded;
  let request: Upgraded | null = upgraded;
  let websocket: Upgraded['websocket'];
  const [bytes, frames, countFrames] = [
    createTrafficLimiter(BYTES),
    createTrafficLimiter(PACKETS),
    createFrameCounter(),
  ];
  const cut = (conn?: Connection) => {
    // The parser continues with buffered data: its messages must be neither delivered nor answered.
    const parser = websocket ?? request?.websocket;
    conn?.removeAllListeners('data');
    parser?.removeAllListeners('message');
    parser?.terminate();
    socket.destroy();
  };
  socket.prependListener('data', (chunk: Buffer) => {
    const at = now();
    if (bytes.take(at, chunk.length) && frames.take(at, countFrames(chunk))) return;
    cut();
    // The parser gets this chunk next, and zeros are not a valid frame: it stops at the first.
    chunk.fill(0);
  });
  const opened = () => {
    websocket = request?.websocket;
    request = null;
  };
  return { opened, allowPong: () => frames.refund(), cut, cutSoon: () => cutSoon(socket, cut) };
}

function cutSoon(socket: NetSocket, cut: () => void): void {
  if (socket.destroyed) return;
  const timer = setTimeout(cut, CLOSE_GRACE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Passes valid packets one by one, before Socket.IO receives them. */
function validatePackets(conn: Connection, watched: Watched): void {
  const validator = createPacketValidator();
  conn.on('packetCreate', ({ type }: Packet) => {
    if (type !== 'ping') return;
    validator.expectPong();
    watched.allowPong();
  });
  conn.on('packet', (packet: Packet) => {
    const verdict = validator.validate(packet);
    if (verdict === 'out of order') watched.cut(conn);
    // After Socket.IO has received it.
    if (verdict === 'goodbye') setImmediate(() => conn.close());
  });
}

/** An outgoing packet; a broadcast comes with its encoded frame. */
interface Outgoing {
  data?: string | Uint8Array;
  options?: { wsPreEncodedFrame?: Uint8Array[] };
}

/** Cuts the connection of a client that does not read: everything sent passes here as a packet. */
function limitUnsent(conn: Connection, watched: Watched, unsent: Unsent): void {
  conn.on('packetCreate', (packet: Outgoing) => {
    if (unsent.hasRoom()) unsent.queue(sizeOf(packet));
    else watched.cut(conn);
  });
  conn.on('flush', () => unsent.send());
  conn.transport.on('drain', () => unsent.sent());
  conn.once('close', () => unsent.drop());
}

function sizeOf({ data = '', options }: Outgoing): number {
  const frame = options?.wsPreEncodedFrame;
  return frame === undefined ? Buffer.byteLength(data) : frame.reduce((sum, part) => sum + part.length, 0);
}

/**
 * Bytes that one connection may leave unread before the next packet closes it: its page reconnects and reads a
 * snapshot.
 */
export const MAX_UNSENT = 1024 * 1024;
/** Bytes that all connections may leave unread; above that, each may leave only this much. */
const MAX_UNSENT_TOTAL = 64 * 1024 * 1024;
export const SHARE_UNSENT = 64 * 1024;

interface Unsent {
  /**
   * Whether there is room for another packet. One packet always fits: a client that reads is never closed for a
   * packet's size.
   */
  hasRoom(): boolean;
  /** What is queued and in transit. */
  bytes(): number;
  /** A packet was queued. */
  queue(bytes: number): void;
  /** Everything queued is in transit. */
  send(): void;
  /** The data in transit was sent. */
  sent(): void;
  /** The connection is closed, and its queue dropped. */
  drop(): void;
}

/** Returns a function that starts measuring another connection. */
export function createUnsentLimit(
  most = { each: MAX_UNSENT, all: MAX_UNSENT_TOTAL, share: SHARE_UNSENT },
): () => Unsent {
  let total = 0;
  return () => {
    let [waiting, leaving] = [0, 0];
    const free = (bytes: number) => (total -= bytes);
    return {
      hasRoom: () => waiting + leaving < (total < most.all ? most.each : most.share),
      bytes: () => waiting + leaving,
      queue: (bytes) => {
        waiting += bytes;
        total += bytes;
      },
      send: () => {
        leaving += waiting;
        waiting = 0;
      },
      sent: () => {
        free(leaving);
        leaving = 0;
      },
      drop: () => {
        free(waiting + leaving);
        [waiting, leaving] = [0, 0];
      },
    };
  };
}
