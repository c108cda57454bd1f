// Merges the presence that each process reports, and tracks what was announced. Pure.
import { isDeepStrictEqual } from 'node:util';
import { applyPresenceChange, mergePresence, type PresenceByUser } from '@countersign/shared/presence';
import type { UserPresence, PresenceChange } from '@countersign/shared/sockets';

const NOBODY: PresenceByUser = new Map();

export class PresenceRegistry {
  /** By process, then by project. */
  readonly #parts = new Map<string, Map<string, PresenceByUser>>();
  readonly #announced = new Map<string, Map<string, UserPresence>>();
  readonly #changed = new Map<string, Set<string>>();

  /** A process reports a change in one project. */
  take(process: string, change: PresenceChange): void {
    const part = this.#parts.get(process) ?? new Map<string, PresenceByUser>();
    const before = part.get(change.project_id) ?? NOBODY;
    const after = applyPresenceChange(before, change);
    if (after.size > 0) part.set(change.project_id, after);
    else part.delete(change.project_id);
    if (part.size > 0) this.#parts.set(process, part);
    else this.#parts.delete(process);
    this.#mark(change.project_id, differing(before, after));
  }

  /** A process reports its full presence; a project it does not name has nobody there. */
  replace(process: string, changes: readonly PresenceChange[]): void {
    const named = new Set(changes.map(({ project_id: id }) => id));
    const gone = [...(this.#parts.get(process)?.keys() ?? [])].filter((id) => !named.has(id));
    for (const id of gone) this.take(process, { project_id: id, snapshot: true, online: [], left: [] });
    for (const change of changes) this.take(process, { ...change, snapshot: true });
  }

  /** The projects with changes that may not be announced yet. */
  pending(): string[] {
    return [...this.#changed.keys()];
  }

  /** The changes to announce for these projects: the difference to what was announced before. */
  takeChanges(projectIds: Iterable<string>): PresenceChange[] {
    return [...projectIds].flatMap((projectId) => {
      const users = this.#changed.get(projectId) ?? [];
      this.#changed.delete(projectId);
      const change = this.#diff(projectId, users);
      return change.online.length + change.left.length > 0 ? [change] : [];
    });
  }

  /** Everyone as announced so far. */
  announced(projectId: string): UserPresence[] {
    return [...(this.#announced.get(projectId)?.values() ?? [])];
  }

  #diff(projectId: string, users: Iterable<string>): PresenceChange {
    const announced = this.#announced.get(projectId) ?? new Map<string, UserPresence>();
    const change: PresenceChange = { project_id: projectId, snapshot: false, online: [], left: [] };
    for (const userId of users) {
      const now = this.#present(projectId, userId);
      if (now === null) {
        if (announced.delete(userId)) change.left.push(userId);
      } else if (!isDeepStrictEqual(now, announced.get(userId))) {
        announced.set(userId, now);
        change.online.push(now);
      }
    }
    if (announced.size > 0) this.#announced.set(projectId, announced);
    else this.#announced.delete(projectId);
    return change;
  }

  #present(projectId: string, userId: string): UserPresence | null {
    return mergePresence([...this.#parts.values()].flatMap((part) => part.get(projectId)?.get(userId) ?? []));
  }

  #mark(projectId: string, users: Iterable<string>): void {
    const changed = this.#changed.get(projectId) ?? new Set();
    for (const userId of users) changed.add(userId);
    if (changed.size > 0) this.#changed.set(projectId, changed);
  }
}

/** A heartbeat without changes affects nobody. */
const differing = (before: PresenceByUser, after: PresenceByUser): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((id) => !isDeepStrictEqual(before.get(id), after.get(id)));
