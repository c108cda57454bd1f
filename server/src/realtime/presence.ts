// Who is online and which item they look at: told to the members of each project, kept nowhere (PR1).
import { whereabouts, type PresenceChange } from '@countersign/shared/sockets';
import type { Services } from '../usecases/services.ts';
import { Crowd } from './crowd.ts';
import { type Link, Neighbours } from './neighbours.ts';
import { projectOfRoom, projectRoom, type LiveServer, type Rooms } from './rooms.ts';
import { SOMEWHERE, Tabs } from './tabs.ts';

/** The shortest time between two messages of presence to a project, in milliseconds: a thousand arrivals are one. */
export const PRESENCE_MS = 250;

export interface Presence {
  /** Tells each room what changed in it; for a loop. */
  runOnce(): Promise<void>;
  /** Takes this process's people out of what the other processes show. */
  leave(): void;
}

interface Place {
  rooms: Rooms;
  /** The way to the other processes; null where there are none. */
  link: Link | null;
  /** A run is due. */
  nudge: () => void;
}

/** Follows the rooms of this process's sockets, whoever puts them there, and listens to where they say they are. */
export function createPresence(services: Services, io: LiveServer, { rooms, link, nudge }: Place): Presence {
  const own = services.ids.uuid();
  const tabs = new Tabs();
  const crowd = new Crowd();
  const now = () => services.clock.now().getTime();
  const neighbours = new Neighbours(own, { link, crowd, onNews: nudge, now });
  const sorted = new Set<string>();
  rooms.onSorted((projectId) => {
    sorted.add(projectId);
    nudge();
  });
  const entrants = followRooms(io, tabs, nudge);

  const passOn = () => {
    const changes = tabs.changes();
    neighbours.say(changes);
    for (const change of changes) crowd.take(own, change);
  };
  const runOnce = async () => {
    neighbours.beat(now(), () => tabs.whole());
    passOn();
    const due = [...new Set([...crowd.pending(), ...entrants.keys(), ...sorted])];
    const heard = new Map(due.map((projectId) => [projectId, tabs.usersIn(projectId)]));
    // Presence waits for no fact of the ledger, so it asks for itself who is a member still (I8).
    for (const { userId, name } of await rooms.check(heard)) tabs.name(userId, name);
    passOn();
    // From here to the end nothing is waited for: what was true of the rooms still is.
    due.forEach((projectId) => sorted.delete(projectId));
    tell(io, { changes: crowd.settle(due), due, entrants, told: (projectId) => crowd.told(projectId) });
  };
  return { runOnce, leave: () => neighbours.leave() };
}

/** Answers who entered which project and has not been told who is there. */
function followRooms(io: LiveServer, tabs: Tabs, nudge: () => void): Map<string, Set<string>> {
  const { adapter, sockets } = io.of('/');
  const entrants = new Map<string, Set<string>>();
  adapter.on('join-room', (room: string, id: string) => {
    const [projectId, socket] = [projectOfRoom(room), sockets.get(id)];
    if (projectId === null || socket === undefined) return;
    const { userId, name, where = SOMEWHERE } = socket.data;
    tabs.enter(id, projectId, { userId, name, where });
    entrants.set(projectId, (entrants.get(projectId) ?? new Set()).add(id));
    nudge();
  });
  adapter.on('leave-room', (room: string, id: string) => {
    const projectId = projectOfRoom(room);
    if (projectId === null) return;
    tabs.leave(id, projectId);
    entrants.get(projectId)?.delete(id);
    nudge();
  });
  io.on('connection', (socket) => {
    socket.on('presence', (said: unknown) => {
      const { success, data } = whereabouts.safeParse(said);
      if (!success) return;
      socket.data.where = data;
      tabs.move(socket.id, data);
      nudge();
    });
  });
  return entrants;
}

interface Telling {
  changes: PresenceChange[];
  due: string[];
  entrants: Map<string, Set<string>>;
  told: (projectId: string) => PresenceChange['here'];
}

/** What changed to whoever knows the rest, and everything to whoever has just come in. */
function tell(io: LiveServer, { changes, due, entrants, told }: Telling): void {
  const { rooms } = io.of('/').adapter;
  for (const change of changes) {
    const room = projectRoom(change.project_id);
    const fresh = entrants.get(change.project_id) ?? new Set();
    if ((rooms.get(room)?.size ?? 0) > fresh.size)
      io.local
        .to(room)
        .except([...fresh])
        .emit('presence', change);
  }
  for (const projectId of due) {
    const fresh = entrants.get(projectId) ?? new Set();
    entrants.delete(projectId);
    if (fresh.size === 0) continue;
    io.local.to([...fresh]).emit('presence', { project_id: projectId, whole: true, here: told(projectId), left: [] });
  }
}
