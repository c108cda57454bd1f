// The Socket.IO gateway on the server's own port: admits connections and limits everything a client sends.
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { Server } from 'socket.io';
import type { RedisClientType } from 'redis';
import { Refusal } from '@countersign/shared/errors';
import { PROTOCOL } from '@countersign/shared/sockets';
import { displayName } from '../domain/access/actor.ts';
import { createTally, type Tally } from '../limits/tally.ts';
import type { Services } from '../usecases/services.ts';
import { checkSession, findLiveSessions } from '../usecases/credentials/sessions.ts';
import { type Admit, sessionToken } from './connection/admission.ts';
import { guardConnections, type Guard } from './connection/connection-guard.ts';
import { allowBy, closePlainRequests, refuseSecondTransports } from './connection/refuse-upgrade.ts';
import { noteRefusedSockets } from './connection/refused-sockets.ts';
import { sessionRoom, userRoom, type LiveServer, type LiveSocket, type Rooms } from './rooms.ts';

/** Maximum sockets of one user in one process (A8): enough tabs for anyone, too few to fill the process. */
export const MAX_SOCKETS = 50;
/** The maximum packet size of a client: a presence report takes about 150 bytes (A8). */
const PACKET_BYTES = 4 * 1024;
/** How long a connection may take to authenticate, in milliseconds. */
const CONNECT_MS = 5000;
/** The interval at which the sessions of open sockets are checked (A4). */
export const SESSION_CHECK_MS = 60_000;

/** Two Redis connections, as the adapter requires. */
export interface AdapterClients {
  pub: RedisClientType;
  sub: RedisClientType;
}

interface LiveOptions {
  /** Who may open a connection. */
  admit: Admit;
  redis: AdapterClients | null;
  log: Pick<Services['log'], 'warn'>;
}

/** A socket server on this port that does not accept connections yet. */
export function createLiveServer(http: HttpServer, { admit, redis, log }: LiveOptions): LiveServer {
  const io: LiveServer = new Server(http, {
    transports: ['websocket'],
    allowEIO3: false,
    serveClient: false,
    perMessageDeflate: false,
    maxHttpBufferSize: PACKET_BYTES,
    connectTimeout: CONNECT_MS,
    allowRequest: allowBy(admit, (error) =>
      log.warn({ err: error }, 'socket refused: its address could not be counted'),
    ),
    ...(redis ? { adapter: createAdapter(ignorePublishErrors(redis.pub), redis.sub) } : {}),
  });
  closePlainRequests(io);
  refuseSecondTransports(io);
  return io;
}

/**
 * The adapter does not await publishing: a message that is lost with Redis must not count as a failure of this process.
 * Modifies the client.
 */
function ignorePublishErrors(pub: RedisClientType): RedisClientType {
  const publish = pub.publish.bind(pub);
  const value = (channel: string, message: string) => publish(channel, message).catch(() => 0);
  return Object.defineProperty(pub, 'publish', { value });
}

interface GatewayOptions {
  rooms: Rooms;
  /** The client address that a request counts for. */
  clientOf: (request: IncomingMessage) => string;
}

/** Accepts authenticated users and keeps them in the right rooms. */
export function openGateway(services: Services, io: LiveServer, { rooms, clientOf }: GatewayOptions): void {
  const guard = guardConnections(services, io);
  const open = createTally();
  noteRefusedSockets(services, io, { clientOf });
  io.use((socket, next) => {
    authenticate(services, socket, { open, clientOf })
      .catch((error: unknown) => {
        if (!(error instanceof Refusal))
          services.log.warn({ err: error }, 'socket refused: its session could not be read');
        return new Error('unavailable');
      })
      .then((refusal) => {
        next(refusal);
        // The refusal is sent with the next tick; nothing else follows.
        if (refusal !== undefined) setImmediate(() => guard.hangUp(socket.conn));
      }, next);
  });
  io.on('connection', (socket) => enter(services, socket, { rooms, guard }));
}

function enter(services: Services, socket: LiveSocket, { rooms, guard }: { rooms: Rooms; guard: Guard }): void {
  const { conn } = socket;
  forgetHandshake(socket);
  // An invalid packet is the client's problem, not a reason to stop.
  socket.on('error', () => undefined);
  // Whichever side disconnects, the connection closes too, also when its client does not read what was sent before.
  socket.once('disconnect', () => guard.hangUp(conn));
  joinRooms(services, rooms, socket).catch((error: unknown) => {
    services.log.warn({ err: error }, 'socket closed: its rooms could not be read');
    socket.disconnect(true);
  });
}

/**
 * `data` holds the user: the request with its cookie and its buffers would stay in memory as long as the tab is open.
 */
function forgetHandshake({ conn, handshake }: LiveSocket): void {
  handshake.headers = {};
  Object.assign(conn, { request: null });
}

async function joinRooms(services: Services, rooms: Rooms, socket: LiveSocket): Promise<void> {
  const { sessionId, userId } = socket.data;
  await socket.join([sessionRoom(sessionId), userRoom(userId)]);
  // A session that ended during the handshake was kicked from a room that this socket was not in yet (A4): checking
  // after joining misses none.
  if ((await findLiveSessions(services, [sessionId])).has(sessionId)) await rooms.enter(socket);
  else socket.disconnect(true);
}

/** A page of a version that cannot read what this one sends (QU20). */
const isOutdated = ({ protocol }: Record<string, unknown>): boolean =>
  typeof protocol === 'number' && protocol < PROTOCOL;

async function authenticate(
  services: Services,
  socket: LiveSocket,
  { open, clientOf }: { open: Tally; clientOf: GatewayOptions['clientOf'] },
): Promise<Error | undefined> {
  if (isOutdated(socket.handshake.auth)) return new Error('outdated_page');
  const { request } = socket;
  const actor = await checkSession(services, sessionToken(request), async () => {
    const { allowed } = await services.limiter.take('unknown-session', clientOf(request));
    if (!allowed) throw new Refusal('rate_limited', 'Too many unknown sessions from this address.');
  });
  if (actor === null) return new Error('session_missing');
  if (open.of(actor.userId) >= MAX_SOCKETS) return new Error('too_many_sockets');
  socket.conn.once('close', open.enter(actor.userId));
  socket.data = { userId: actor.userId, sessionId: actor.sessionId, name: displayName(actor) };
  return undefined;
}

/** Closes this process's sockets whose session has expired, by age or idleness (A3), or was deleted. */
export async function sweepSessions(services: Services, io: LiveServer): Promise<void> {
  const sockets = [...io.of('/').sockets.values()] as LiveSocket[];
  const alive = await findLiveSessions(services, [...new Set(sockets.map((socket) => socket.data.sessionId))]);
  for (const socket of sockets) if (!alive.has(socket.data.sessionId)) socket.disconnect(true);
}
