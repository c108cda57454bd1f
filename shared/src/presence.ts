// Who is online in a project, as it is told: what a change makes of what was known.
import type { Present, PresenceChange } from './sockets.ts';

/** By user id. */
export type People = ReadonlyMap<string, Present>;

/** What is known after a change; the one before stays as it is. */
export function peopleAfter(known: People, { whole, here, left }: Omit<PresenceChange, 'project_id'>): People {
  const people = new Map(whole ? [] : known);
  for (const id of left) people.delete(id);
  for (const person of here) people.set(person.user_id, person);
  return people;
}

/** One person out of what several places know of them: idle only where all of them say so. Null without any. */
export function together(parts: readonly Present[]): Present | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? null;
  return {
    ...first,
    idle: parts.every(({ idle }) => idle),
    looks_at: [...new Set(parts.flatMap((part) => part.looks_at))].sort(),
  };
}
