// Presence: tells the members of each project who is online and which item they have open; never stored (PR1).
import { presenceReport, type PresenceReport } from '@countersign/shared/schemas/parts/presence-report';
import type { PresenceChange, UserPresence } from '@countersign/shared/sockets';
import { mergePresence } from '@countersign/shared/presence';
import type { Services } from '../../usecases/services.ts';
import type { Guard } from '../connection/connection-guard.ts';
import { Announcer } from './announcer.ts';
import { PresenceRegistry } from './presence-registry.ts';
import { type PresenceChannel, PresenceSync } from './presence-sync.ts';
import { projectOfRoom, projectRoom, type LiveServer, type Rooms } from '../rooms.ts';
import { Slices } from '../slices.ts';

/**
 * The minimum time between two presence messages to a project, in milliseconds: a thousand arrivals become one message.
 */
export const PRESENCE_MS = 250;

export interface Presence {
  /** Sends some rooms their changes, and the next ones with the next run; for a loop. */
  runOnce(): Promise<{ again: boolean }>;
  /** Removes this process's users from the presence of the other processes. */
  leave(): void;
}

interface PresenceOptions {
  rooms: Rooms;
  /** The channel to the other processes; null when there are none. */
  link: PresenceChannel | null;
  /** A run is due: `high` for the next slice of one. */
  wake: (urgency?: 'normal' | 'high') => void;
  guard: Pick<Guard, 'unsentTo'>;
  /** How many packets one run may send; the default as in production. */
  packets?: number | undefined;
  /** How many bytes of full presence one run may send; the default as in production. */
  turnBytes?: number | undefined;
  /** A clock that never goes back, in milliseconds; tests move their own. */
  now?: () => number;
}

/** Follows the rooms of this process's sockets, no matter who adds them, and receives their presence reports. */
export function createPresence(
  services: Services,
  io: LiveServer,
  { rooms, link, wake, guard, packets, turnBytes, now = () => performance.now() }: PresenceOptions,
): Presence {
  const own = services.ids.uuid();
  const tabs = new Tabs();
  const registry = new PresenceRegistry();
  const presenceSync = new PresenceSync(own, { link, registry, onChange: wake, now });
  const slices = new Slices(packets);
  const resynced = followSyncs(rooms, wake);
  const entrants = followRooms(io, tabs, wake);
  /** Projects whose changes went out in this round; some sockets still need the full presence. */
  const resumed = new Set<string>();
  const resume = (projectIds: Iterable<string>) => {
    for (const projectId of projectIds) resumed.add(projectId);
    slices.putBack(projectIds);
    wake('high');
  };
  const announcer = new Announcer(io, { guard, entrants, resume, turnBytes });

  const allDue = () => [...registry.pending(), ...tabs.pending(), ...entrants.keys(), ...resynced];
  const publishChanges = (projectIds: string[]) => {
    const changes = tabs.changes(projectIds);
    presenceSync.publish(changes);
    for (const change of changes) registry.take(own, change);
  };
  const runOnce = async () => {
    presenceSync.heartbeat(() => tabs.snapshot());
    const due = slices.next(allDue, (projectId) => io.of('/').adapter.rooms.get(projectRoom(projectId))?.size ?? 0);
    const changed = due.filter((projectId) => !resumed.delete(projectId));
    publishChanges(changed);
    const heard = new Map(due.map((projectId) => [projectId, tabs.usersIn(projectId)]));
    // Presence does not depend on events, so it checks itself who is still a member (I8).
    for (const { userId, name } of await rooms.check(heard)) tabs.name(userId, name);
    publishChanges(changed);
    // No awaits from here on: the state of the rooms stays valid.
    due.forEach((projectId) => resynced.delete(projectId));
    announcer.announce({ changes: registry.takeChanges(changed), due, announced: (id) => registry.announced(id) });
    return { again: slices.again };
  };
  return { runOnce, leave: () => presenceSync.leave() };
}

/** Returns the projects whose members were synced and not checked yet. */
function followSyncs(rooms: Rooms, wake: () => void): Set<string> {
  const resynced = new Set<string>();
  rooms.onMembershipSynced((projectId) => {
    resynced.add(projectId);
    wake();
  });
  return resynced;
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
    const fresh = entrants.get(projectId);
    if (fresh?.delete(id) === true && fresh.size === 0) entrants.delete(projectId);
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

interface Tab {
  userId: string;
  projects: Set<string>;
  where: PresenceReport;
}

/** A tab without a presence report. */
export const NO_LOCATION: PresenceReport = { project_id: null, item_id: null, idle: false };

/** A presence report counts only in projects that the tab has entered: reports about others reach nobody (PR1). */
export class Tabs {
  readonly #tabs = new Map<string, Tab>();
  readonly #people = new Map<string, { name: string; tabs: Set<string> }>();
  /** How many tabs each user has in a project. */
  readonly #rooms = new Map<string, Map<string, number>>();
  readonly #changed = new Map<string, Set<string>>();

  /** A tab enters a project. */
  enter(id: string, projectId: string, who: { userId: string; name: string; where: PresenceReport }): void {
    const { userId, name, where } = who;
    const tab = this.#tabs.get(id) ?? { userId, projects: new Set(), where };
    if (tab.projects.has(projectId)) return;
    this.#tabs.set(id, tab);
    tab.projects.add(projectId);
    const person = this.#people.get(userId) ?? { name, tabs: new Set() };
    this.#people.set(userId, person);
    person.tabs.add(id);
    const room = this.#rooms.get(projectId) ?? new Map<string, number>();
    this.#rooms.set(projectId, room.set(userId, (room.get(userId) ?? 0) + 1));
    this.#mark(projectId, userId);
    this.name(userId, name);
  }

  /** A tab leaves a project; a tab without projects is removed. */
  leave(id: string, projectId: string): void {
    const tab = this.#tabs.get(id);
    if (tab === undefined || !tab.projects.delete(projectId)) return;
    this.#mark(projectId, tab.userId);
    this.#countDown(projectId, tab.userId);
    if (tab.projects.size > 0) return;
    this.#tabs.delete(id);
    const person = this.#people.get(tab.userId);
    person?.tabs.delete(id);
    if (person?.tabs.size === 0) this.#people.delete(tab.userId);
  }

  /** A tab reports its presence. */
  move(id: string, where: PresenceReport): void {
    const tab = this.#tabs.get(id);
    if (tab === undefined) return;
    const before = tab.where;
    tab.where = where;
    const touched = before.idle === where.idle ? [before.project_id, where.project_id] : tab.projects;
    for (const projectId of touched) {
      if (projectId !== null && tab.projects.has(projectId)) this.#mark(projectId, tab.userId);
    }
  }

  /** The current name of a user. */
  name(userId: string, name: string): void {
    const person = this.#people.get(userId);
    if (person === undefined || person.name === name) return;
    person.name = name;
    for (const id of person.tabs) for (const projectId of this.#projectsOf(id)) this.#mark(projectId, userId);
  }

  /** The users with tabs in the project. */
  usersIn(projectId: string): string[] {
    return [...(this.#rooms.get(projectId)?.keys() ?? [])];
  }

  /** The projects with changes that {@link changes} has not returned yet. */
  pending(): string[] {
    return [...this.#changed.keys()];
  }

  /** What may have changed in these projects since the last call, one entry per project. */
  changes(projectIds: readonly string[]): PresenceChange[] {
    return projectIds.flatMap((projectId) => {
      const users = this.#changed.get(projectId);
      if (users === undefined) return [];
      this.#changed.delete(projectId);
      const now = [...users].map((userId) => ({ userId, present: this.#present(projectId, userId) }));
      return {
        project_id: projectId,
        snapshot: false,
        online: now.flatMap(({ present }) => present ?? []),
        left: now.flatMap(({ userId, present }) => (present === null ? [userId] : [])),
      };
    });
  }

  /** Everyone, one entry per project. */
  snapshot(): PresenceChange[] {
    return [...this.#rooms].map(([projectId, users]) => {
      const online = [...users.keys()].flatMap((userId) => this.#present(projectId, userId) ?? []);
      return { project_id: projectId, snapshot: true, online, left: [] };
    });
  }

  #projectsOf(id: string): Iterable<string> {
    return this.#tabs.get(id)?.projects ?? [];
  }

  #present(projectId: string, userId: string): UserPresence | null {
    const person = this.#people.get(userId);
    const tabs = [...(person?.tabs ?? [])].flatMap((id) => this.#tabs.get(id) ?? []);
    return mergePresence(
      tabs.flatMap(({ projects, where }): UserPresence[] => {
        if (!projects.has(projectId)) return [];
        const viewing = where.project_id === projectId && where.item_id !== null ? [where.item_id] : [];
        return [{ user_id: userId, name: person?.name ?? '', idle: where.idle, viewing: viewing }];
      }),
    );
  }

  #mark(projectId: string, userId: string): void {
    const users = this.#changed.get(projectId) ?? new Set();
    this.#changed.set(projectId, users.add(userId));
  }

  #countDown(projectId: string, userId: string): void {
    const room = this.#rooms.get(projectId);
    const left = (room?.get(userId) ?? 1) - 1;
    if (left > 0) room?.set(userId, left);
    else room?.delete(userId);
    if (room?.size === 0) this.#rooms.delete(projectId);
  }
}
