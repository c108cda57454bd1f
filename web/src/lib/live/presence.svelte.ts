// Who else is online and which item they view, and the presence of this tab.
import type { ClientToServer, UserPresence, ServerToClient } from '@countersign/shared/sockets';
import type { Socket } from 'socket.io-client';
import {
  isAway,
  withPresenceChange,
  onlyProjects,
  withoutProject,
  viewersByItem,
  NO_PRESENCE,
  others,
  type PresenceByProject,
} from './presence-model.ts';
import { PresenceReporter, watchIdle } from './presence-reporter.ts';

const NOBODY: readonly UserPresence[] = [];

export class Presence {
  #presence: PresenceByProject = $state.raw(NO_PRESENCE);
  readonly #viewers = $derived(viewersByItem(this.#presence));
  #socket: Socket<ServerToClient, ClientToServer> | null = null;
  readonly #reporter = new PresenceReporter((state) => this.#socket?.emit('presence', state));
  #stopWatching: () => void = () => undefined;

  /** Everybody else who is online, each once; in one project, or in all of the user's. */
  others(me: string, projectId: string | null): UserPresence[] {
    return others(this.#presence, me, projectId);
  }

  /** The viewers of the item, including the user. */
  viewers(itemId: string): readonly UserPresence[] {
    return this.#viewers.get(itemId) ?? NOBODY;
  }

  /** Whether this person is away. False while nothing is known. */
  isAway(projectId: string, userId: string): boolean {
    return isAway(this.#presence, projectId, userId);
  }

  /** This tab shows the item now; null for none. */
  show(item: { id: string; project_id: string } | null): void {
    this.#reporter.update({ project_id: item?.project_id ?? null, item_id: item?.id ?? null });
  }

  /** Follows a socket that is being opened. */
  follow(socket: Socket<ServerToClient, ClientToServer>): void {
    this.#socket = socket;
    this.#stopWatching();
    // A user who has just opened or signed in to the page is active.
    this.#reporter.update({ idle: false });
    this.#stopWatching = watchIdle((idle) => this.#reporter.update({ idle }));
    let reconnected = false;
    socket.on('connect', () => {
      reconnected = true;
      this.#reporter.connected();
    });
    socket.on('rooms', (rooms) => {
      // The first list after connecting is complete. The old one stays until then, to avoid flicker.
      if (reconnected)
        this.#presence = onlyProjects(
          this.#presence,
          rooms.map(({ project_id: id }) => id),
        );
      reconnected = false;
    });
    socket.on('presence', (change) => (this.#presence = withPresenceChange(this.#presence, change)));
    socket.on('resync', ({ project_id: projectId, reason }) => {
      // A user who left a project sees its presence no more; one who joined gets the full list after this.
      if (reason === 'membership' && projectId !== null) this.#presence = withoutProject(this.#presence, projectId);
    });
    socket.on('disconnect', () => this.#reporter.lost());
  }

  /** Not connected for a while: the presence may be outdated. */
  forget(): void {
    this.#presence = NO_PRESENCE;
  }

  stop(): void {
    this.#stopWatching();
    this.#reporter.lost();
    this.#socket = null;
    this.forget();
  }
}
