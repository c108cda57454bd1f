// Socket.IO on the server's own port: who may connect, and that nothing a client sends can hurt.
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { Server } from 'socket.io';
import type { RedisClientType } from 'redis';
import { displayName } from '../domain/actor.ts';
import type { Services } from '../usecases/services.ts';
import { findLiveSessions, findSession } from '../usecases/sessions.ts';
import { sessionRoom, type LiveServer, type LiveSocket, type Rooms } from './rooms.ts';
import { createTalk } from './talk.ts';

/** Sockets of one person in one process (security A8): tabs enough for anybody, and none to fill it with. */
export const MOST_SOCKETS = 50;
/** How often the sessions behind open sockets are looked at again (security A4). */
export const SESSION_CHECK_MS = 60_000;

/** Two Redis connections, as the adapter wants them. */
export interface AdapterClients {
  pub: RedisClientType;
  sub: RedisClientType;
}

export function createLiveServer(
  http: HttpServer,
  options: { baseUrl: string; redis: AdapterClients | null },
): LiveServer {
  const origin = new URL(options.baseUrl).origin;
  return new Server(http, {
    transports: ['websocket'],
    allowEIO3: false,
    serveClient: false,
    perMessageDeflate: false,
    maxHttpBufferSize: 64 * 1024,
    connectTimeout: 10_000,
    // CORS settings do not stop a cross-site WebSocket; the handshake's Origin does, compared exactly (security A7).
    allowRequest: (request: IncomingMessage, answer) => {
      const allowed = request.headers.origin === origin;
      answer(allowed ? null : 'origin refused', allowed);
    },
    ...(options.redis ? { adapter: createAdapter(heedless(options.redis.pub), options.redis.sub) } : {}),
  });
}

/** The adapter awaits no publish: one that is lost with Redis must not count as a failure of this process. Changes the client. */
function heedless(pub: RedisClientType): RedisClientType {
  const publish = pub.publish.bind(pub);
  const value = (channel: string, message: string) => publish(channel, message).catch(() => 0);
  return Object.defineProperty(pub, 'publish', { value });
}

/** Lets signed-in people in and keeps them in the right rooms. */
export function openGateway(services: Services, io: LiveServer, rooms: Rooms): void {
  const open = new Map<string, number>();
  io.use((socket, next) => {
    authenticate(services, socket, open).then(next, (error: unknown) => {
      services.log.warn({ err: error }, 'socket refused: its session could not be read');
      next(new Error('unavailable'));
    });
  });
  io.on('connection', (socket) => {
    forgetHandshake(socket);
    limitPackets(services, socket);
    count(open, socket);
    admit(services, rooms, socket).catch((error: unknown) => {
      services.log.warn({ err: error }, 'socket closed: its rooms could not be read');
      socket.disconnect(true);
    });
  });
}

/** Who it is stands in `data`: the request with its cookie and its buffers would stay in memory as long as the tab is open. */
function forgetHandshake({ conn, handshake }: LiveSocket): void {
  handshake.headers = {};
  Object.assign(conn, { request: null });
}

async function admit(services: Services, rooms: Rooms, socket: LiveSocket): Promise<void> {
  const { sessionId } = socket.data;
  await socket.join(sessionRoom(sessionId));
  // A session that ended during the handshake was kicked out of a room this socket was not in yet (A4): asked from inside, none is missed.
  if ((await findLiveSessions(services, [sessionId])).has(sessionId)) await rooms.enter(socket);
  else socket.disconnect(true);
}

/** Counts a socket of its person for as long as it is open. */
function count(open: Map<string, number>, socket: LiveSocket): void {
  const { userId } = socket.data;
  open.set(userId, (open.get(userId) ?? 0) + 1);
  socket.once('disconnect', () => {
    const left = (open.get(userId) ?? 1) - 1;
    if (left > 0) open.set(userId, left);
    else open.delete(userId);
  });
}

async function authenticate(
  services: Services,
  socket: LiveSocket,
  open: ReadonlyMap<string, number>,
): Promise<Error | undefined> {
  const actor = await findSession(services, sessionToken(socket.handshake.headers.cookie));
  if (actor === null) return new Error('session_missing');
  if ((open.get(actor.userId) ?? 0) >= MOST_SOCKETS) return new Error('too_many_sockets');
  socket.data = { userId: actor.userId, sessionId: actor.sessionId, name: displayName(actor) };
  return undefined;
}

function sessionToken(cookies: string | undefined): string | undefined {
  return /(?:^|;\s*)__Host-sid=([^;]+)/.exec(cookies ?? '')?.[1];
}

/** Whoever talks and talks is cut off. */
function limitPackets({ clock }: Services, socket: LiveSocket): void {
  const within = createTalk();
  socket.use((_, next) => {
    if (within(clock.now().getTime())) next();
    else socket.disconnect(true);
  });
  // Errors of a middleware or a broken packet are the client's problem, not a reason to stop.
  socket.on('error', () => undefined);
}

/** Closes this process's sockets whose session is over, by age or by idleness (A3), or gone. */
export async function sweepSessions(services: Services, io: LiveServer): Promise<void> {
  const sockets = [...io.of('/').sockets.values()] as LiveSocket[];
  const alive = await findLiveSessions(services, [...new Set(sockets.map((socket) => socket.data.sessionId))]);
  for (const socket of sockets) if (!alive.has(socket.data.sessionId)) socket.disconnect(true);
}
