// Serves sockets over the test's own services, advanced manually, so that "nothing came" is certain.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io as connectSocket, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { clientOfRequest } from '../../../src/http/connection/client-address.ts';
import { guardConnections } from '../../../src/realtime/connection/connection-guard.ts';
import { createAdmission } from '../../../src/realtime/connection/admission.ts';
import {
  createAssignment,
  notifyOffers,
  handleOperatorRevocations,
  createMetrics,
} from '../../../src/realtime/page-notifications.ts';
import { createLiveServer, openGateway } from '../../../src/realtime/gateway.ts';
import type { PresenceChannel } from '../../../src/realtime/presence/presence-sync.ts';
import { createPresence } from '../../../src/realtime/presence/presence.ts';
import { createRooms, type LiveServer, type LiveSocket, type Rooms } from '../../../src/realtime/rooms.ts';
import { createTail } from '../../../src/realtime/tail.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import type { ServicesEnvironment } from './test-services.ts';

export interface LiveTestServer {
  url: string;
  io: LiveServer;
  /** Sequences the events and publishes them to the rooms, until nothing is left; then publishes analytics ticks and presence. */
  deliverEvents(): Promise<void>;
  /** Adds sockets to rooms that they should be in and are not. */
  syncMissed(): Promise<void>;
  /** Publishes presence, and no events. */
  present(): Promise<void>;
  /** Publishes a slice of the presence. */
  presentSlice(): Promise<{ again: boolean }>;
  /** Publishes analytics ticks. */
  tick(): Promise<void>;
  /** Checks whether the lock store is reachable. */
  probe(): Promise<void>;
  /** Connects with these headers. Throws the server’s refusal. */
  connect(headers: Record<string, string>, options?: Partial<ManagerOptions & SocketOptions>): Promise<Listener>;
  close(): Promise<void>;
}

/** A socket that records all it receives. */
export interface Listener {
  socket: Socket;
  /** Its server side. */
  inside: LiveSocket;
  received: { event: string; text: string }[];
  /** Resolves when it has received all that was sent to it so far. */
  caughtUp(): Promise<void>;
}

interface LiveServerOptions {
  /** The channel to another process. */
  link?: PresenceChannel | null;
  /** The clock of the heartbeats and of what clients may send, in milliseconds; by default that of the machine. */
  now?: () => number;
  /** Is the lock store reachable? */
  answers?: () => Promise<boolean>;
  /** How many packets a slice of the presence may have. */
  packets?: number;
  /** How many bytes of full presence a slice may have. */
  turnBytes?: number;
  /** TRUSTED_PROXY_HOPS. */
  proxyHops?: number;
  /** The maximum number of sockets. */
  most?: { ofAddress: number; ofProcess: number };
}

export async function startLiveServer(
  opened: Pick<ServicesEnvironment, 'services' | 'signals'>,
  {
    link = null,
    now,
    packets,
    turnBytes,
    answers = () => Promise.resolve(true),
    proxyHops = 0,
    most,
  }: LiveServerOptions = {},
): Promise<LiveTestServer> {
  const { services, signals } = opened;
  const http = createServer();
  const clientOf = (request: IncomingMessage) => clientOfRequest(request, proxyHops);
  const admit = createAdmission(services, { clientOf, ...(most && { most }) });
  const io = createLiveServer(http, { admit, redis: null, log: services.log });
  const tail = createTail(services, io, () => rooms);
  const rooms: Rooms = createRooms(services, io, (projectId, seq) => tail.watch(projectId, seq));
  await tail.listen(signals, () => undefined);
  await notifyOffers(signals, io);
  await handleOperatorRevocations(services, { signals, io });
  const metrics = createMetrics(services, io, () => rooms);
  await metrics.listen(signals, () => undefined);
  const guard = guardConnections(io, now);
  const presence = createPresence(services, io, {
    ...{ rooms, link, guard, packets, turnBytes },
    wake: () => undefined,
    ...(now && { now }),
  });
  const assignment = createAssignment(io, answers);
  openGateway(services, io, { rooms, clientOf, guard });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    io,
    deliverEvents: async () => {
      await deliverEvents(services, signals, tail);
      while ((await metrics.runOnce()).again);
      while ((await presence.runOnce()).again);
    },
    syncMissed: () => rooms.syncMissed(),
    present: async () => {
      while ((await presence.runOnce()).again);
    },
    presentSlice: () => presence.runOnce(),
    tick: async () => {
      while ((await metrics.runOnce()).again);
    },
    probe: () => assignment.runOnce(),
    connect: (headers, options = {}) => connect({ url, io }, headers, options),
    close: () => io.close(),
  };
}

/** A message that no page sends, so that it has no effect. */
const MARK = 'read so far';

/** Resolves when the server has read all that this client has sent. */
export async function waitUntilRead({ socket, inside }: Pick<Listener, 'socket' | 'inside'>): Promise<void> {
  const read = new Promise<void>((resolve) => inside.onAny((_, message) => message === MARK && resolve()));
  socket.emit('presence', MARK);
  await read;
  inside.offAny();
}

async function deliverEvents(
  services: Services,
  signals: ServicesEnvironment['signals'],
  tail: ReturnType<typeof createTail>,
): Promise<void> {
  while ((await relayOnce(services, signals)).again);
  while ((await tail.runOnce()).again);
}

async function connect(
  { url, io }: { url: string; io: LiveServer },
  extraHeaders: Record<string, string>,
  options: Partial<ManagerOptions & SocketOptions>,
): Promise<Listener> {
  const socket = connectSocket(url, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders,
    ...options,
  });
  const received: Listener['received'] = [];
  const marks = new Map<string, () => void>();
  socket.onAny((event: string, ...args: unknown[]) => {
    const text = JSON.stringify(args);
    const mark = /mark-\d+/.exec(text)?.[0] ?? '';
    if (marks.has(mark)) marks.get(mark)?.();
    else received.push({ event, text });
  });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  socket.once('connect_error', reject);
  socket.once('rooms', () => resolve(undefined));
  await promise.catch((error: unknown) => {
    socket.close();
    throw error;
  });
  const inside = io.of('/').sockets.get(socket.id ?? '') as LiveSocket;
  const caughtUp = () =>
    new Promise<void>((done) => {
      const mark = `mark-${marks.size}`;
      marks.set(mark, done);
      inside.emit('resync', { project_id: null, reason: mark });
    });
  return { socket, inside, received, caughtUp };
}
