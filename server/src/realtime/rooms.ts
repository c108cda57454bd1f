// Who is in which room: the server alone decides, from the database, and again whenever a project's members change (I8).
import type { Server, Socket } from 'socket.io';
import type { ClientToServer, ServerToClient } from '@countersign/shared/sockets';
import type { Services } from '../usecases/services.ts';

export interface SocketData {
  userId: string;
  sessionId: string;
}
export type LiveServer = Server<ClientToServer, ServerToClient, Record<never, never>, SocketData>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, Record<never, never>, SocketData>;

export const projectRoom = (projectId: string) => `project:${projectId}`;
export const sessionRoom = (sessionId: string) => `session:${sessionId}`;

export interface Rooms {
  /** Puts a new socket into the rooms of its user's projects and tells it so. */
  enter(socket: LiveSocket): Promise<void>;
  /** The members of a project changed: this process's sockets join or leave before any later fact of it is sent. */
  sync(projectId: string): Promise<void>;
  /** Has this process a socket in the project's room? */
  has(projectId: string): boolean;
}

/** `onWatch` hears of every room a socket enters, with the ledger position it starts from. */
export function createRooms(
  services: Services,
  io: LiveServer,
  onWatch: (projectId: string, seq: number) => void,
): Rooms {
  let changes = 0;
  const local = () => [...io.of('/').sockets.values()] as LiveSocket[];

  const enter = async (socket: LiveSocket) => {
    // A removal that lands between the question and the joining must win: ask again until nothing changed meanwhile.
    for (let seen = -1; seen !== changes;) {
      seen = changes;
      const memberships = await membershipsOf(services, [socket.data.userId], null);
      await settle(
        socket,
        memberships.map(({ projectId }) => projectId),
      );
      // After joining: a ledger is followed only while its room has a socket.
      for (const { projectId, seq } of memberships) onWatch(projectId, seq);
      if (seen === changes) tell(socket, memberships);
    }
  };

  const sync = async (projectId: string) => {
    changes += 1;
    const users = [...new Set(local().map((socket) => socket.data.userId))];
    const memberships = await membershipsOf(services, users, projectId);
    const seqs = new Map(memberships.map((membership) => [membership.userId, membership.seq]));
    const room = projectRoom(projectId);
    for (const socket of local()) {
      const seq = seqs.get(socket.data.userId);
      if (seq === undefined && socket.rooms.has(room)) {
        await socket.leave(room);
        socket.emit('resync', { project_id: projectId, reason: 'membership' });
      } else if (seq !== undefined && !socket.rooms.has(room)) {
        await socket.join(room);
        tell(socket, [{ projectId, seq }]);
        socket.emit('resync', { project_id: projectId, reason: 'membership' });
      }
    }
  };

  return { enter, sync, has: (projectId) => io.of('/').adapter.rooms.has(projectRoom(projectId)) };
}

/** Joins these projects' rooms and leaves every other project's. */
async function settle(socket: LiveSocket, projectIds: string[]): Promise<void> {
  const wanted = new Set(projectIds.map(projectRoom));
  for (const room of socket.rooms) if (room.startsWith('project:') && !wanted.has(room)) await socket.leave(room);
  await socket.join([...wanted]);
}

function tell(socket: LiveSocket, memberships: { projectId: string; seq: number }[]): void {
  socket.emit(
    'rooms',
    memberships.map(({ projectId, seq }) => ({ project_id: projectId, seq })),
  );
}

interface Membership {
  userId: string;
  projectId: string;
  seq: number;
}

async function membershipsOf(services: Services, userIds: string[], projectId: string | null): Promise<Membership[]> {
  if (userIds.length === 0) return [];
  const rows = await services.db.read((em) =>
    em.execute<{ user_id: string; project_id: string; seq: string }[]>(
      `select m.user_id, m.project_id, p.event_seq as seq from member m join project p on p.id = m.project_id
       where m.user_id = any(?::uuid[]) and (?::uuid is null or m.project_id = ?::uuid)`,
      [`{${userIds.join(',')}}`, projectId, projectId],
    ),
  );
  return rows.map((row) => ({ userId: row.user_id, projectId: row.project_id, seq: Number(row.seq) }));
}
