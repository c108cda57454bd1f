// The open tabs of this process: their users, their projects, and the item each one shows. Pure.
import { mergePresence } from '@countersign/shared/presence';
import type { UserPresence, PresenceChange, PresenceReport } from '@countersign/shared/sockets';

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
  #changed = new Map<string, Set<string>>();

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

  /** What may have changed since the last call, one entry per project. */
  changes(): PresenceChange[] {
    const changed = this.#changed;
    this.#changed = new Map();
    return [...changed].map(([projectId, users]) => {
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
