// Who is online in the reader's projects, as the server told it. Pure.
import { peopleAfter, together, type People } from '@countersign/shared/presence';
import type { Present, PresenceChange } from '@countersign/shared/sockets';

/** By project. A project that is not in it has not been told of. */
export type Known = ReadonlyMap<string, People>;

export const NOTHING: Known = new Map();

/** What is known after the server told a change. */
export function knownAfter(known: Known, change: PresenceChange): Known {
  const people = known.get(change.project_id) ?? new Map<string, Present>();
  return new Map(known).set(change.project_id, peopleAfter(people, change));
}

/** Without a project the reader has left. */
export function knownWithout(known: Known, projectId: string): Known {
  return new Map([...known].filter(([id]) => id !== projectId));
}

/** Only what is known of these projects. */
export function knownOf(known: Known, projectIds: readonly string[]): Known {
  return new Map([...known].filter(([id]) => projectIds.includes(id)));
}

/** Everybody else in these projects, each once, whoever is at work first, then by name: nobody changes place by looking at something. */
export function others(known: Known, me: string, projectId: string | null): Present[] {
  const rooms = projectId === null ? [...known.values()] : [known.get(projectId) ?? new Map<string, Present>()];
  const parts = new Map<string, Present[]>();
  for (const present of rooms.flatMap((people) => [...people.values()])) {
    if (present.user_id !== me) parts.set(present.user_id, [...(parts.get(present.user_id) ?? []), present]);
  }
  const people = [...parts.values()].flatMap((each) => together(each) ?? []);
  return people.sort(
    (a, b) => Number(a.idle) - Number(b.idle) || a.name.localeCompare(b.name) || (a.user_id < b.user_id ? -1 : 1),
  );
}

/** Who has which item on show, by item, in the order of names. */
export function lookersOf(known: Known): ReadonlyMap<string, readonly Present[]> {
  const lookers = new Map<string, Present[]>();
  for (const people of known.values()) {
    for (const present of people.values()) {
      for (const item of present.looks_at) lookers.set(item, [...(lookers.get(item) ?? []), present]);
    }
  }
  for (const each of lookers.values()) each.sort((a, b) => a.name.localeCompare(b.name));
  return lookers;
}

/** Is this person not at their work: no tab of theirs is open, or none in use? False as long as nothing was told. */
export function isAway(known: Known, projectId: string, userId: string): boolean {
  const people = known.get(projectId);
  return people !== undefined && people.get(userId)?.idle !== false;
}
