// Room membership: the server alone decides it, from the database, and again whenever a project's members change (I8).
import type { Server, Socket } from 'socket.io';
import type { ClientToServer, ServerToClient } from '@countersign/shared/sockets';
import type { PresenceReport } from '@countersign/shared/schemas/parts/presence-report';
import type { Role } from '@countersign/shared/enums';
import { displayName } from '../domain/access/actor.ts';
import { may } from '../domain/access/permissions.ts';
import type { Services } from '../usecases/services.ts';

export interface SocketData {
  userId: string;
  sessionId: string;
  /** The name at the handshake. */
  name: string;
  /** The last presence report of the tab. */
  where?: PresenceReport;
}
/** Messages between processes (presence-sync.ts). */
interface BetweenServers {
  presence_part: (part: unknown) => void;
}
export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketData>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketData>;

const PROJECT = 'project:';
export const projectRoom = (projectId: string) => `${PROJECT}${projectId}`;
/** The project of a room; null for any other room. */
export const projectOfRoom = (room: string) => (room.startsWith(PROJECT) ? room.slice(PROJECT.length) : null);
const BLIND = 'blind:';
/**
 * The members of a project's room who may not see its analytics: what distinguishes audits is hidden from them (AU3).
 */
export const blindRoom = (projectId: string) => `${BLIND}${projectId}`;
export const sessionRoom = (sessionId: string) => `session:${sessionId}`;
/** The sockets of one user, for personal messages. */
export const userRoom = (userId: string) => `user:${userId}`;

export interface Rooms {
  /** Adds a new socket to the rooms of its user's projects and notifies it. */
  enter(socket: LiveSocket): Promise<void>;
  /** The members of a project changed: this process's sockets join or leave before any later event of it is sent. */
  sync(projectId: string): Promise<void>;
  /** Syncs every project that a socket should be in and is not: the change of its members was missed. For a loop. */
  syncMissed(): Promise<void>;
  /**
   * Removes users from rooms whose project they are no longer members of, and returns the current names of the rest.
   */
  check(users: ReadonlyMap<string, readonly string[]>): Promise<{ userId: string; name: string }[]>;
  /** Calls the listener for each project whose members were synced. */
  onMembershipSynced(listener: (projectId: string) => void): void;
  /** Whether this process has a socket in the project's room. */
  has(projectId: string): boolean;
  /** Whether it has a socket of a member from whom audits are hidden (AU3). */
  hasBlind(projectId: string): boolean;
}

/**
 * Called for every room that a socket has entered, with the event log position that was read before. Returns the position after
 * which the socket receives every event, which is higher where the room was sent events meanwhile.
 */
type OnEnter = (projectId: string, seq: number) => number;

/** Room membership of this process's sockets. */
export function createRooms(services: Services, io: LiveServer, onEnter: OnEnter): Rooms {
  let changes = 0;
  let notifySynced: (projectId: string) => void = () => undefined;
  const local = () => [...io.of('/').sockets.values()] as LiveSocket[];

  const enter = async (socket: LiveSocket) => {
    for (;;) {
      const changesBefore = changes;
      const memberships = await membershipsOf(services, [socket.data.userId], null);
      // A change that was synced during the reading must win: what was read before it opens no room, not even for a moment.
      if (changesBefore !== changes) continue;
      joinOnly(socket, memberships.flatMap(roomsOf));
      // After joining: an event log is followed only while its room has a socket.
      const positions = memberships.map(({ projectId, seq }) => ({ projectId, seq: onEnter(projectId, seq) }));
      emitRooms(socket, positions);
      return;
    }
  };

  const syncMutex = new Mutex();
  /** One at a time: of two concurrent syncs, the older database result could be applied last. */
  const sync = async (projectId: string) => {
    await syncMutex.take(async () => {
      const sockets = local();
      const memberships = await membershipsOf(services, usersOf(sockets), projectId);
      // A socket that is entering with an older reading reads again: its positions would come after these and be lower.
      changes += 1;
      applyMembership(sockets, { projectId, memberships, onEnter });
    });
    notifySynced(projectId);
  };

  return {
    enter,
    sync,
    syncMissed: () => syncMissed(services, io, sync),
    check: (users) => checkMembers(services, users, sync),
    onMembershipSynced: (listener) => (notifySynced = listener),
    has: (projectId) => io.of('/').adapter.rooms.has(projectRoom(projectId)),
    hasBlind: (projectId) => io.of('/').adapter.rooms.has(blindRoom(projectId)),
  };
}

/** The sockets that this process has of a user. */
export function socketsOf(io: LiveServer, userId: string): LiveSocket[] {
  const { adapter, sockets } = io.of('/');
  return [...(adapter.rooms.get(userRoom(userId)) ?? [])].flatMap((id) => sockets.get(id) ?? []);
}

const usersOf = (sockets: LiveSocket[]): string[] => [...new Set(sockets.map((socket) => socket.data.userId))];

interface Synced {
  projectId: string;
  memberships: readonly Membership[];
  onEnter: OnEnter;
}

/**
 * Sockets join or leave the project's room according to its memberships, and are notified. In one turn, like every join
 * and leave here: rooms are in the memory of this process.
 */
function applyMembership(sockets: LiveSocket[], { projectId, memberships, onEnter }: Synced): void {
  const members = new Map(memberships.map((membership) => [membership.userId, membership]));
  const room = projectRoom(projectId);
  for (const socket of sockets.filter(({ connected }) => connected)) {
    const member = members.get(socket.data.userId);
    const blind = member !== undefined && !may(member.role, 'see_analytics');
    if (!blind) void socket.leave(blindRoom(projectId));
    else void socket.join(blindRoom(projectId));
    if (member === undefined && socket.rooms.has(room)) {
      void socket.leave(room);
      socket.emit('resync', { project_id: projectId, reason: 'membership' });
    } else if (member !== undefined && !socket.rooms.has(room)) {
      void socket.join(room);
      emitRooms(socket, [{ projectId, seq: onEnter(projectId, member.seq) }]);
      socket.emit('resync', { project_id: projectId, reason: 'membership' });
    }
  }
}

const roomsOf = ({ projectId, role }: Membership): string[] =>
  may(role, 'see_analytics') ? [projectRoom(projectId)] : [projectRoom(projectId), blindRoom(projectId)];

/** Joins these project rooms and leaves every other. */
function joinOnly(socket: LiveSocket, rooms: string[]): void {
  const wanted = new Set(rooms);
  const ofProject = (room: string) => projectOfRoom(room) !== null || room.startsWith(BLIND);
  for (const room of socket.rooms) if (ofProject(room) && !wanted.has(room)) void socket.leave(room);
  // A socket that disconnected meanwhile would stay in the rooms forever.
  if (socket.connected) void socket.join([...wanted]);
}

function emitRooms(socket: LiveSocket, memberships: { projectId: string; seq: number }[]): void {
  socket.emit(
    'rooms',
    memberships.map(({ projectId, seq }) => ({ project_id: projectId, seq })),
  );
}

interface Membership {
  userId: string;
  projectId: string;
  role: Role;
  seq: number;
}

async function membershipsOf(services: Services, userIds: string[], projectId: string | null): Promise<Membership[]> {
  if (userIds.length === 0) return [];
  const rows = await services.db.read((em) =>
    em.execute<{ user_id: string; project_id: string; role: Role; seq: string }[]>(
      `select m.user_id, m.project_id, m.role, p.event_seq as seq from member m join project p on p.id = m.project_id
       where m.user_id = any(?::uuid[]) and (?::uuid is null or m.project_id = ?::uuid)`,
      [`{${userIds.join(',')}}`, projectId, projectId],
    ),
  );
  return rows.map(({ user_id: userId, project_id: projectId, role, seq }) => ({
    userId,
    projectId,
    role,
    seq: Number(seq),
  }));
}

/** How many users' memberships are read at once: all of a full process would be too many rows. */
const USERS_AT_ONCE = 500;

/** A socket with too many rooms needs no search: each of its rooms is followed, and with it every change of members. */
async function syncMissed(services: Services, io: LiveServer, sync: Rooms['sync']): Promise<void> {
  const users = usersOf([...io.of('/').sockets.values()] as LiveSocket[]);
  const missed = new Set<string>();
  for (let from = 0; from < users.length; from += USERS_AT_ONCE) {
    const memberships = await membershipsOf(services, users.slice(from, from + USERS_AT_ONCE), null);
    for (const { userId, projectId } of memberships)
      if (socketsOf(io, userId).some(({ rooms }) => !rooms.has(projectRoom(projectId)))) missed.add(projectId);
  }
  for (const projectId of missed) await sync(projectId);
}

interface Member {
  userId: string;
  projectId: string;
  name: string;
}

/** Syncs every project of which one of these users is no longer a member. */
async function checkMembers(
  services: Services,
  users: ReadonlyMap<string, readonly string[]>,
  sync: Rooms['sync'],
): Promise<Member[]> {
  const members = await membersOf(services, users);
  const present = new Set(members.map(({ projectId, userId }) => `${projectId} ${userId}`));
  for (const [projectId, ids] of users) {
    if (ids.some((userId) => !present.has(`${projectId} ${userId}`))) await sync(projectId);
  }
  return members;
}

/** Which of these users are members of the project they are listed under, in one query. */
async function membersOf(services: Services, users: ReadonlyMap<string, readonly string[]>): Promise<Member[]> {
  const ids = [...new Set([...users.values()].flat())];
  if (ids.length === 0) return [];
  const rows = await services.db.read((em) =>
    em.execute<{ user_id: string; project_id: string; name: string | null; address: string }[]>(
      `select m.user_id, m.project_id, u.name, u.address from member m join app_user u on u.id = m.user_id
       where m.project_id = any(?::uuid[]) and m.user_id = any(?::uuid[])`,
      [`{${[...users.keys()].join(',')}}`, `{${ids.join(',')}}`],
    ),
  );
  return rows.map((row) => ({ userId: row.user_id, projectId: row.project_id, name: displayName(row) }));
}

class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Starts when all earlier work has settled. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
