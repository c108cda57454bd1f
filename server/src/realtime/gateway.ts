// The Socket.IO gateway on the server port: admits connections, refuses others with a reason, limits what clients send.
import { type IncomingMessage, type Server as HttpServer, STATUS_CODES, ServerResponse } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { Server, type ServerOptions } from 'socket.io';
import type { RedisClientType } from 'redis';
import { Refusal } from '@countersign/shared/errors';
import { PROTOCOL } from '@countersign/shared/sockets';
import { displayName } from '../domain/access/actor.ts';
import { createTally, type Tally } from '../limits/tally.ts';
import type { Services } from '../usecases/services.ts';
import { checkSession, findLiveSessions } from '../usecases/credentials/sessions.ts';
import { type Admit, sessionToken, PATH, type Refused } from './connection/admission.ts';
import type { Guard } from './connection/connection-guard.ts';
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
  guard: Guard;
}

/** Accepts authenticated users and keeps them in the right rooms. */
export function openGateway(services: Services, io: LiveServer, { rooms, clientOf, guard }: GatewayOptions): void {
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

/** The Socket.IO packet type that refuses a connection to the main namespace. */
const CONNECT_ERROR = '4';

/** An outdated page has a session: it loads itself again (QU20). */
const OUTDATED = 'outdated_page';

/** Logs every refused connection from now on; refused upgrades are logged where they are refused. */
function noteRefusedSockets(
  { security }: Services,
  io: LiveServer,
  { clientOf }: Pick<GatewayOptions, 'clientOf'>,
): void {
  io.engine.on('connection', (connection: LiveSocket['conn']) => {
    const address = clientOf(connection.request);
    connection.on('packetCreate', ({ type, data }: { type: string; data?: unknown }) => {
      if (type === 'message' && typeof data === 'string' && data.startsWith(CONNECT_ERROR) && !data.includes(OUTDATED))
        security.note('session', { address, method: 'GET', path: PATH });
    });
  });
}

type AllowRequest = NonNullable<ServerOptions['allowRequest']>;

/** Calls `admit` for every handshake. */
function allowBy(admit: Admit, onError: (error: unknown) => void): AllowRequest {
  return (request, answer) => {
    // No one else listens during the check: a client that disconnects meanwhile must not cause an unhandled error.
    request.socket.on('error', () => undefined);
    const refuse = (refused: Refused) => {
      writeRefusal(request, refused);
      answer('refused', false);
    };
    admit(request).then(
      (refused) => (refused === null ? answer(null, true) : refuse(refused)),
      (error: unknown) => {
        onError(error);
        refuse({ status: 503 });
      },
    );
  };
}

/**
 * Ends the connection of every plain HTTP request to the path of the sockets. Engine.IO answers those itself, before the
 * limits on bodies, pipelining and slow readers apply (MB4 to MB8).
 */
function closePlainRequests({ engine }: Pick<LiveServer, 'engine'>): void {
  engine.use((_: IncomingMessage, response: unknown, next: () => void) => {
    if (response instanceof ServerResponse) response.setHeader('connection', 'close');
    next();
  });
}

/**
 * Refuses requests that name an open connection: each one has a single WebSocket, and such a request would skip
 * admission.
 */
function refuseSecondTransports({ engine }: Pick<LiveServer, 'engine'>): void {
  engine.use((request: IncomingMessage, _: unknown, next: (error?: Error) => void) => {
    const names = new URL(request.url ?? '', 'http://any').searchParams.has('sid');
    next(names ? new Error('A connection has one transport.') : undefined);
  });
}

/**
 * Ends the response: Engine.IO, which knows only two statuses, finds nothing left to write and closes the connection.
 */
function writeRefusal({ socket }: IncomingMessage, { status, retryAfter }: Refused): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', 'Content-Length: 0'];
  if (retryAfter !== undefined) lines.push(`Retry-After: ${retryAfter}`);
  if (socket.writable) socket.end(`${lines.join('\r\n')}\r\n\r\n`);
}
