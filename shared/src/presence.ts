// Applies presence changes to the known presence of a project.
import type { UserPresence, PresenceChange } from './sockets.ts';

/** By user id. */
export type PresenceByUser = ReadonlyMap<string, UserPresence>;

/** The presence after a change; the previous map is not modified. */
export function applyPresenceChange(
  known: PresenceByUser,
  { snapshot, online, left }: Omit<PresenceChange, 'project_id'>,
): PresenceByUser {
  const people = new Map(snapshot ? [] : known);
  for (const id of left) people.delete(id);
  for (const person of online) people.set(person.user_id, person);
  return people;
}

/** Merges the presence of one user from several processes: idle only when all of them say so. Null for none. */
export function mergePresence(parts: readonly UserPresence[]): UserPresence | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? null;
  return {
    ...first,
    idle: parts.every(({ idle }) => idle),
    viewing: [...new Set(parts.flatMap((part) => part.viewing))].sort(),
  };
}
