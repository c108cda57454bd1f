// Who is in which room: the server alone decides, from the database, and again whenever a project's members change (I8).
import type { Server, Socket } from 'socket.io';
import type { ClientToServer, ServerToClient, PresenceReport } from '@countersign/shared/sockets';
import type { Role } from '@countersign/shared/enums';
import { Mutex } from '../db/mutex.ts';
import { displayName } from '../domain/access/actor.ts';
import { may } from '../domain/access/permissions.ts';
import type { Services } from '../usecases/services.ts';

export interface SocketData {
  userId: string;
  sessionId: string;
  /** As it was at the handshake. */
  name: string;
  /** What the tab last said of itself. */
  where?: PresenceReport;
}
/** What processes tell each other (neighbours.ts). */
interface BetweenServers {
  presence_part: (part: unknown) => void;
}
export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketData>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketData>;

const PROJECT = 'project:';
export const projectRoom = (projectId: string) => `${PROJECT}${projectId}`;
/** The project whose room this is; null for any other room. */
export const projectOfRoom = (room: string) => (room.startsWith(PROJECT) ? room.slice(PROJECT.length) : null);
const BLIND = 'blind:';
/** Of a project's room those who may not see its analytics: what tells audits apart is kept from them (AU3). */
export const blindRoom = (projectId: string) => `${BLIND}${projectId}`;
export const sessionRoom = (sessionId: string) => `session:${sessionId}`;
/** The sockets of one person, for what is theirs alone. */
export const userRoom = (userId: string) => `user:${userId}`;

export interface Rooms {
  /** Puts a new socket into the rooms of its user's projects and tells it so. */
  enter(socket: LiveSocket): Promise<void>;
  /** The members of a project changed: this process's sockets join or leave before any later fact of it is sent. */
  sync(projectId: string): Promise<void>;
  /** Sends out whoever is in a room and no member any more, and answers what the rest are called now. */
  check(users: ReadonlyMap<string, readonly string[]>): Promise<{ userId: string; name: string }[]>;
  /** Hears of each project whose members were sorted anew. */
  onMembershipSynced(listener: (projectId: string) => void): void;
  /** Has this process a socket in the project's room? */
  has(projectId: string): boolean;
  /** Has it one of somebody from whom what tells audits apart is kept (AU3)? */
  hasBlind(projectId: string): boolean;
}

/** `onWatch` hears of every room a socket enters, with the ledger position it starts from. */
export function createRooms(
  services: Services,
  io: LiveServer,
  onEnter: (projectId: string, seq: number) => void,
): Rooms {
  let changes = 0;
  let notifySynced: (projectId: string) => void = () => undefined;
  const local = () => [...io.of('/').sockets.values()] as LiveSocket[];

  const enter = async (socket: LiveSocket) => {
    // A removal that lands between the question and the joining must win: ask again until nothing changed meanwhile.
    for (let changesBefore = -1; changesBefore !== changes;) {
      changesBefore = changes;
      const memberships = await membershipsOf(services, [socket.data.userId], null);
      await joinOnly(socket, memberships.flatMap(roomsOf));
      // After joining: a ledger is followed only while its room has a socket.
      for (const { projectId, seq } of memberships) onEnter(projectId, seq);
      if (changesBefore === changes) emitRooms(socket, memberships);
    }
  };

  const syncMutex = new Mutex();
  /** One after the other: of two at once the older answer of the database could be carried out last. */
  const sync = async (projectId: string) => {
    changes += 1;
    await syncMutex.take(() => syncMembership(services, local(), projectId));
    notifySynced(projectId);
  };

  return {
    enter,
    sync,
    check: (users) => checkMembers(services, users, sync),
    onMembershipSynced: (listener) => (notifySynced = listener),
    has: (projectId) => io.of('/').adapter.rooms.has(projectRoom(projectId)),
    hasBlind: (projectId) => io.of('/').adapter.rooms.has(blindRoom(projectId)),
  };
}

/** Sockets join or leave the project's room as the database says now, and are told so. */
async function syncMembership(services: Services, sockets: LiveSocket[], projectId: string): Promise<void> {
  const users = [...new Set(sockets.map((socket) => socket.data.userId))];
  const memberships = await membershipsOf(services, users, projectId);
  const members = new Map(memberships.map((membership) => [membership.userId, membership]));
  const room = projectRoom(projectId);
  for (const socket of sockets.filter(({ connected }) => connected)) {
    const member = members.get(socket.data.userId);
    const blind = member !== undefined && !may(member.role, 'see_analytics');
    if (!blind) await socket.leave(blindRoom(projectId));
    // Before the room itself: nobody is in it for a moment with other eyes than their role's.
    else await socket.join(blindRoom(projectId));
    if (member === undefined && socket.rooms.has(room)) {
      await socket.leave(room);
      socket.emit('resync', { project_id: projectId, reason: 'membership' });
    } else if (member !== undefined && !socket.rooms.has(room)) {
      await socket.join(room);
      emitRooms(socket, [member]);
      socket.emit('resync', { project_id: projectId, reason: 'membership' });
    }
  }
}

const roomsOf = ({ projectId, role }: Membership): string[] =>
  may(role, 'see_analytics') ? [projectRoom(projectId)] : [projectRoom(projectId), blindRoom(projectId)];

/** Joins these rooms of projects and leaves every other. */
async function joinOnly(socket: LiveSocket, rooms: string[]): Promise<void> {
  const wanted = new Set(rooms);
  const ofProject = (room: string) => projectOfRoom(room) !== null || room.startsWith(BLIND);
  for (const room of socket.rooms) if (ofProject(room) && !wanted.has(room)) await socket.leave(room);
  // One that is gone meanwhile would stay in the rooms for good.
  if (socket.connected) await socket.join([...wanted]);
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

interface Member {
  userId: string;
  projectId: string;
  name: string;
}

/** Sorts every project anew in which one of these users has no seat any more. */
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

/** Who of these users is a member of the project they stand under; one question for all. */
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
