// Everybody online, put together from what each process says of its own tabs, and what of it was told already. Pure.
import { isDeepStrictEqual } from 'node:util';
import { peopleAfter, together, type People } from '@countersign/shared/presence';
import type { Present, PresenceChange } from '@countersign/shared/sockets';

const NOBODY: People = new Map();

export class Crowd {
  /** By process, then by project. */
  readonly #parts = new Map<string, Map<string, People>>();
  readonly #told = new Map<string, Map<string, Present>>();
  readonly #changed = new Map<string, Set<string>>();

  /** A process says what changed in one project. */
  take(process: string, change: PresenceChange): void {
    const part = this.#parts.get(process) ?? new Map<string, People>();
    const before = part.get(change.project_id) ?? NOBODY;
    const after = peopleAfter(before, change);
    if (after.size > 0) part.set(change.project_id, after);
    else part.delete(change.project_id);
    if (part.size > 0) this.#parts.set(process, part);
    else this.#parts.delete(process);
    this.#mark(change.project_id, differing(before, after));
  }

  /** A process says everything; a project it does not name has nobody there. */
  replace(process: string, changes: readonly PresenceChange[]): void {
    const named = new Set(changes.map(({ project_id: id }) => id));
    const gone = [...(this.#parts.get(process)?.keys() ?? [])].filter((id) => !named.has(id));
    for (const id of gone) this.take(process, { project_id: id, whole: true, here: [], left: [] });
    for (const change of changes) this.take(process, { ...change, whole: true });
  }

  /** The projects in which something may be untold. */
  pending(): string[] {
    return [...this.#changed.keys()];
  }

  /** What is to be told of these projects: the difference to what was told before. */
  settle(projectIds: Iterable<string>): PresenceChange[] {
    return [...projectIds].flatMap((projectId) => {
      const users = this.#changed.get(projectId) ?? [];
      this.#changed.delete(projectId);
      const change = this.#tell(projectId, users);
      return change.here.length + change.left.length > 0 ? [change] : [];
    });
  }

  /** Everybody as told so far. */
  told(projectId: string): Present[] {
    return [...(this.#told.get(projectId)?.values() ?? [])];
  }

  #tell(projectId: string, users: Iterable<string>): PresenceChange {
    const told = this.#told.get(projectId) ?? new Map<string, Present>();
    const change: PresenceChange = { project_id: projectId, whole: false, here: [], left: [] };
    for (const userId of users) {
      const now = this.#present(projectId, userId);
      if (now === null) {
        if (told.delete(userId)) change.left.push(userId);
      } else if (!isDeepStrictEqual(now, told.get(userId))) {
        told.set(userId, now);
        change.here.push(now);
      }
    }
    if (told.size > 0) this.#told.set(projectId, told);
    else this.#told.delete(projectId);
    return change;
  }

  #present(projectId: string, userId: string): Present | null {
    return together([...this.#parts.values()].flatMap((part) => part.get(projectId)?.get(userId) ?? []));
  }

  #mark(projectId: string, users: Iterable<string>): void {
    const changed = this.#changed.get(projectId) ?? new Set();
    for (const userId of users) changed.add(userId);
    if (changed.size > 0) this.#changed.set(projectId, changed);
  }
}

/** A beat that says what is known already touches nobody. */
const differing = (before: People, after: People): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((id) => !isDeepStrictEqual(before.get(id), after.get(id)));
