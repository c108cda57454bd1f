// Who is online in a project, as it is told: what a change makes of what was known.
import type { UserPresence, PresenceChange } from './sockets.ts';

/** By user id. */
export type PresenceByUser = ReadonlyMap<string, UserPresence>;

/** What is known after a change; the one before stays as it is. */
export function applyPresenceChange(
  known: PresenceByUser,
  { snapshot, online, left }: Omit<PresenceChange, 'project_id'>,
): PresenceByUser {
  const people = new Map(snapshot ? [] : known);
  for (const id of left) people.delete(id);
  for (const person of online) people.set(person.user_id, person);
  return people;
}

/** One person out of what several places know of them: idle only where all of them say so. Null without any. */
export function mergePresence(parts: readonly UserPresence[]): UserPresence | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? null;
  return {
    ...first,
    idle: parts.every(({ idle }) => idle),
    viewing: [...new Set(parts.flatMap((part) => part.viewing))].sort(),
  };
}
