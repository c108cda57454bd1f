// Who is online in the user's projects, as the server reported it. Pure.
import { applyPresenceChange, mergePresence, type PresenceByUser } from '@countersign/shared/presence';
import type { UserPresence, PresenceChange } from '@countersign/shared/sockets';

/** By project. A project that is missing has not been reported yet. */
export type PresenceByProject = ReadonlyMap<string, PresenceByUser>;

export const NO_PRESENCE: PresenceByProject = new Map();

/** The presence after a change from the server. */
export function withPresenceChange(known: PresenceByProject, change: PresenceChange): PresenceByProject {
  const people = known.get(change.project_id) ?? new Map<string, UserPresence>();
  return new Map(known).set(change.project_id, applyPresenceChange(people, change));
}

/** Removes a project the user has left. */
export function withoutProject(known: PresenceByProject, projectId: string): PresenceByProject {
  return new Map([...known].filter(([id]) => id !== projectId));
}

/** Only the presence of these projects. */
export function onlyProjects(known: PresenceByProject, projectIds: readonly string[]): PresenceByProject {
  return new Map([...known].filter(([id]) => projectIds.includes(id)));
}

/** Everybody else in these projects, each once, active people first, then by name: viewing an item changes no one's place. */
export function others(known: PresenceByProject, me: string, projectId: string | null): UserPresence[] {
  const rooms = projectId === null ? [...known.values()] : [known.get(projectId) ?? new Map<string, UserPresence>()];
  const parts = new Map<string, UserPresence[]>();
  for (const present of rooms.flatMap((people) => [...people.values()])) {
    if (present.user_id !== me) parts.set(present.user_id, [...(parts.get(present.user_id) ?? []), present]);
  }
  const people = [...parts.values()].flatMap((each) => mergePresence(each) ?? []);
  return people.sort(
    (a, b) => Number(a.idle) - Number(b.idle) || a.name.localeCompare(b.name) || (a.user_id < b.user_id ? -1 : 1),
  );
}

/** The viewers of each item, in the order of names. */
export function viewersByItem(known: PresenceByProject): ReadonlyMap<string, readonly UserPresence[]> {
  const viewers = new Map<string, UserPresence[]>();
  for (const people of known.values()) {
    for (const present of people.values()) {
      for (const item of present.viewing) viewers.set(item, [...(viewers.get(item) ?? []), present]);
    }
  }
  for (const each of viewers.values()) each.sort((a, b) => a.name.localeCompare(b.name));
  return viewers;
}

/** Whether this person is away: none of their tabs is open, or none is in use. False while nothing is known. */
export function isAway(known: PresenceByProject, projectId: string, userId: string): boolean {
  const people = known.get(projectId);
  return people !== undefined && people.get(userId)?.idle !== false;
}
