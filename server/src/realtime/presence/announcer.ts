// Sends presence to the sockets of this process, only as fast as their clients read it (A13).
import type { PresenceChange } from '@countersign/shared/sockets';
import { type Guard, SHARE_UNSENT } from '../connection/connection-guard.ts';
import { projectRoom, type LiveServer, type LiveSocket } from '../rooms.ts';

/** The bytes of full presence that one turn sends: what all sockets together may leave unread is a multiple of it. */
const TURN_BYTES = 4 * 1024 * 1024;

interface AnnouncerOptions {
  guard: Pick<Guard, 'unsentTo'>;
  /** The sockets of each project that need its full presence. */
  entrants: Map<string, Set<string>>;
  /** Sockets of these projects can receive their full presence now. */
  resume: (projectIds: Iterable<string>) => void;
  /** The bytes of full presence that one turn sends; the default as in production. */
  turnBytes?: number | undefined;
}

interface Announcement {
  changes: PresenceChange[];
  due: string[];
  announced: (projectId: string) => PresenceChange['online'];
}

export class Announcer {
  readonly #io: LiveServer;
  readonly #options: AnnouncerOptions;
  /** The projects for which each socket waits until its client has read what was sent before. */
  readonly #held = new WeakMap<LiveSocket, Set<string>>();

  constructor(io: LiveServer, options: AnnouncerOptions) {
    this.#io = io;
    this.#options = options;
  }

  /** Sends changes to members who know the rest, and the full presence to new ones and to those who missed a change. */
  announce({ changes, due, announced }: Announcement): void {
    for (const change of changes) this.#sendChange(change);
    let left = this.#options.turnBytes ?? TURN_BYTES;
    const later = due.filter((projectId) => {
      const ready = this.#readyFor(projectId);
      if (ready.length === 0 || left <= 0) return ready.length > 0;
      const change = { project_id: projectId, snapshot: true, online: announced(projectId), left: [] };
      const size = Buffer.byteLength(JSON.stringify(change));
      const now = ready.slice(0, Math.max(1, Math.floor(left / size)));
      left -= size * now.length;
      this.#io.local.to(now).emit('presence', change);
      this.#forget(projectId, now);
      return now.length < ready.length;
    });
    if (later.length > 0) this.#options.resume(later);
  }

  #sendChange(change: PresenceChange): void {
    const room = projectRoom(change.project_id);
    const members = this.#io.of('/').adapter.rooms.get(room) ?? new Set();
    const fresh = this.#options.entrants.get(change.project_id) ?? new Set();
    // Who misses this change gets everything once they have read.
    for (const id of members) if (!this.#hasRead(id)) fresh.add(id);
    if (fresh.size > 0) this.#options.entrants.set(change.project_id, fresh);
    if (members.size > fresh.size)
      this.#io.local
        .to(room)
        .except([...fresh])
        .emit('presence', change);
  }

  /** The sockets that the full presence can be sent to; the others are held until their clients have read. */
  #readyFor(projectId: string): string[] {
    return [...(this.#options.entrants.get(projectId) ?? [])].filter((id) => {
      const ready = this.#hasRead(id);
      if (!ready) this.#hold(id, projectId);
      return ready;
    });
  }

  #forget(projectId: string, ids: readonly string[]): void {
    const { entrants } = this.#options;
    const fresh = entrants.get(projectId);
    for (const id of ids) fresh?.delete(id);
    if (fresh?.size === 0) entrants.delete(projectId);
  }

  /** As little waits as each socket may leave unread at any time: another packet closes no connection. */
  #hasRead(id: string): boolean {
    const socket = this.#socket(id);
    return socket === undefined || this.#options.guard.unsentTo(socket.conn) < SHARE_UNSENT;
  }

  #hold(id: string, projectId: string): void {
    const socket = this.#socket(id);
    if (socket === undefined) return;
    const known = this.#held.get(socket);
    if (known !== undefined) known.add(projectId);
    else {
      const projects = new Set([projectId]);
      this.#held.set(socket, projects);
      socket.conn.transport.once('drain', () => {
        this.#held.delete(socket);
        this.#options.resume(projects);
      });
    }
  }

  #socket(id: string): LiveSocket | undefined {
    return this.#io.of('/').sockets.get(id);
  }
}
