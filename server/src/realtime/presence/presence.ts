// Presence: tells the members of each project who is online and which item they have open; never stored (PR1).
import { presenceReport, type PresenceChange } from '@countersign/shared/sockets';
import type { Services } from '../../usecases/services.ts';
import { PresenceRegistry } from './presence-registry.ts';
import { type PresenceChannel, PresenceSync } from './presence-sync.ts';
import { projectOfRoom, projectRoom, type LiveServer, type Rooms } from '../rooms.ts';
import { NO_LOCATION, Tabs } from './tabs.ts';

/**
 * The minimum time between two presence messages to a project, in milliseconds: a thousand arrivals become one message.
 */
export const PRESENCE_MS = 250;

export interface Presence {
  /** Sends each room its changes; for a loop. */
  runOnce(): Promise<void>;
  /** Removes this process's users from the presence of the other processes. */
  leave(): void;
}

interface PresenceOptions {
  rooms: Rooms;
  /** The channel to the other processes; null when there are none. */
  link: PresenceChannel | null;
  /** A run is due. */
  wake: () => void;
}

/** Follows the rooms of this process's sockets, no matter who adds them, and receives their presence reports. */
export function createPresence(services: Services, io: LiveServer, { rooms, link, wake }: PresenceOptions): Presence {
  const own = services.ids.uuid();
  const tabs = new Tabs();
  const registry = new PresenceRegistry();
  const now = () => services.clock.now().getTime();
  const presenceSync = new PresenceSync(own, { link, registry, onChange: wake, now });
  const resynced = new Set<string>();
  rooms.onMembershipSynced((projectId) => {
    resynced.add(projectId);
    wake();
  });
  const entrants = followRooms(io, tabs, wake);

  const publishChanges = () => {
    const changes = tabs.changes();
    presenceSync.publish(changes);
    for (const change of changes) registry.take(own, change);
  };
  const runOnce = async () => {
    presenceSync.heartbeat(now(), () => tabs.snapshot());
    publishChanges();
    const due = [...new Set([...registry.pending(), ...entrants.keys(), ...resynced])];
    const heard = new Map(due.map((projectId) => [projectId, tabs.usersIn(projectId)]));
    // Presence does not depend on events, so it checks itself who is still a member (I8).
    for (const { userId, name } of await rooms.check(heard)) tabs.name(userId, name);
    publishChanges();
    // No awaits from here on: the state of the rooms stays valid.
    due.forEach((projectId) => resynced.delete(projectId));
    announce(io, {
      changes: registry.takeChanges(due),
      due,
      entrants,
      announced: (projectId) => registry.announced(projectId),
    });
  };
  return { runOnce, leave: () => presenceSync.leave() };
}

/** Returns who entered which project and has not received its presence yet. */
function followRooms(io: LiveServer, tabs: Tabs, wake: () => void): Map<string, Set<string>> {
  const { adapter, sockets } = io.of('/');
  const entrants = new Map<string, Set<string>>();
  adapter.on('join-room', (room: string, id: string) => {
    const [projectId, socket] = [projectOfRoom(room), sockets.get(id)];
    if (projectId === null || socket === undefined) return;
    const { userId, name, where = NO_LOCATION } = socket.data;
    tabs.enter(id, projectId, { userId, name, where });
    entrants.set(projectId, (entrants.get(projectId) ?? new Set()).add(id));
    wake();
  });
  adapter.on('leave-room', (room: string, id: string) => {
    const projectId = projectOfRoom(room);
    if (projectId === null) return;
    tabs.leave(id, projectId);
    entrants.get(projectId)?.delete(id);
    wake();
  });
  io.on('connection', (socket) => {
    socket.on('presence', (report: unknown) => {
      const { success, data } = presenceReport.safeParse(report);
      if (!success) return;
      socket.data.where = data;
      tabs.move(socket.id, data);
      wake();
    });
  });
  return entrants;
}

interface Announcement {
  changes: PresenceChange[];
  due: string[];
  entrants: Map<string, Set<string>>;
  announced: (projectId: string) => PresenceChange['online'];
}

/** Sends changes to members who know the rest, and the full presence to new ones. */
function announce(io: LiveServer, { changes, due, entrants, announced }: Announcement): void {
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
    io.local
      .to([...fresh])
      .emit('presence', { project_id: projectId, snapshot: true, online: announced(projectId), left: [] });
  }
}
