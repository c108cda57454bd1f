// Watches every connection below Socket.IO: counts what arrives before it is parsed, and closes what is out of order or not read.
import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Services } from '../../usecases/services.ts';
import { BYTES, createTrafficLimiter, PACKETS } from './traffic-limiter.ts';
import { createPacketValidator, type Packet } from './packet-validator.ts';
import { createFrameCounter } from './frame-counter.ts';
import type { LiveServer, LiveSocket } from '../rooms.ts';
import { createUnsentLimit, type Unsent } from './unsent.ts';

/** A connection of Engine.IO. */
export type Connection = LiveSocket['conn'];

/** How long a client may take to accept our goodbye before its connection is cut, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

export interface Guard {
  /** Closes a connection after what was said to it, and cuts it when the client does not take that in time. */
  hangUp(conn: Connection): void;
}

/** What is known of a connection from its upgrade on. */
interface Watched {
  /** It is a connection of Engine.IO now: its request need not be kept. */
  opened(): void;
  /** Counts what the server asks for. */
  allowPong(): void;
  /** Cuts the connection: nothing that has arrived is read any more. */
  cut(conn?: Connection): void;
  /** Cuts it in a moment, if it is still there. */
  cutSoon(): void;
}

/** The WebSocket of a request that was upgraded; Engine.IO keeps it there. */
interface Upgraded extends IncomingMessage {
  websocket?: { removeAllListeners(event: string): void; terminate(): void };
}

/** Watches all connections from now on. */
export function guardConnections({ clock }: Pick<Services, 'clock'>, { engine }: LiveServer): Guard {
  const upgrades = new WeakMap<IncomingMessage, Watched>();
  const connections = new WeakMap<Connection, Watched>();
  const measure = createUnsentLimit();
  // Before the first byte after the upgrade is read: what comes with it counts too.
  engine.on('initial_headers', (_: unknown, request: Upgraded) => upgrades.set(request, limitTraffic(request, clock)));
  engine.on('connection', (conn: Connection) => {
    const watched = upgrades.get(conn.request);
    if (watched === undefined) return;
    connections.set(conn, watched);
    watched.opened();
    validatePackets(conn, watched);
    limitUnsent(conn, watched, measure());
    conn.once('close', () => watched.cutSoon());
  });
  return {
    hangUp: (conn) => {
      conn.close();
      connections.get(conn)?.cutSoon();
    },
  };
}

/** Counts bytes and frames as they arrive, and cuts the connection of a client that sends more than it may. */
function limitTraffic(upgraded: Upgraded, clock: Services['clock']): Watched {
  const { socket } = upgraded;
  let request: Upgraded | null = upgraded;
  let websocket: Upgraded['websocket'];
  const [bytes, frames, countFrames] = [
    createTrafficLimiter(BYTES),
    createTrafficLimiter(PACKETS),
    createFrameCounter(),
  ];
  const cut = (conn?: Connection) => {
    // What is on its way through the parser goes on: nobody must hear what is in it, and nothing answers it.
    const parser = websocket ?? request?.websocket;
    conn?.removeAllListeners('data');
    parser?.removeAllListeners('message');
    parser?.terminate();
    socket.destroy();
  };
  socket.prependListener('data', (chunk: Buffer) => {
    const now = clock.now().getTime();
    if (bytes.take(now, chunk.length) && frames.take(now, countFrames(chunk))) return;
    cut();
    // The parser gets this chunk next, and zeros are no frame: it stops at the first.
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

/** Lets through what is in order, packet by packet, before Socket.IO hears of it. */
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
    // After Socket.IO has heard it.
    if (verdict === 'goodbye') setImmediate(() => conn.close());
  });
}

/** A packet on its way out; one for many connections comes with its frame. */
interface Outgoing {
  data?: string | Uint8Array;
  options?: { wsPreEncodedFrame?: Uint8Array[] };
}

/** Cuts the connection of a client that does not read: whatever is sent, by whomever, is a packet here. */
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
