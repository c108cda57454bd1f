// Who else is online and which item they look at, and what this tab says of itself.
import type { ClientToServer, Present, ServerToClient } from '@countersign/shared/sockets';
import type { Socket } from 'socket.io-client';
import { isAway, knownAfter, knownOf, knownWithout, lookersOf, NOTHING, others, type Known } from './presence-model.ts';
import { Reporter, watchUse } from './whereabouts.ts';

const NOBODY: readonly Present[] = [];

export class Presence {
  #known: Known = $state.raw(NOTHING);
  readonly #lookers = $derived(lookersOf(this.#known));
  #socket: Socket<ServerToClient, ClientToServer> | null = null;
  readonly #reporter = new Reporter((where) => this.#socket?.emit('presence', where));
  #stopWatching: () => void = () => undefined;

  /** Everybody else who is online, each once; in one project, or in all of the reader's. */
  others(me: string, projectId: string | null): Present[] {
    return others(this.#known, me, projectId);
  }

  /** Who has the item on show, the reader too. */
  lookers(itemId: string): readonly Present[] {
    return this.#lookers.get(itemId) ?? NOBODY;
  }

  /** Is this person not at their work? False as long as nothing is known. */
  isAway(projectId: string, userId: string): boolean {
    return isAway(this.#known, projectId, userId);
  }

  /** This tab shows the item now; null for none. */
  show(item: { id: string; project_id: string } | null): void {
    this.#reporter.update({ project_id: item?.project_id ?? null, item_id: item?.id ?? null });
  }

  /** Follows a socket that is being opened. */
  follow(socket: Socket<ServerToClient, ClientToServer>): void {
    this.#socket = socket;
    this.#stopWatching();
    // Whoever has just opened or signed in to the page is at it.
    this.#reporter.update({ idle: false });
    this.#stopWatching = watchUse((idle) => this.#reporter.update({ idle }));
    let anew = false;
    socket.on('connect', () => {
      anew = true;
      this.#reporter.connected();
    });
    socket.on('rooms', (rooms) => {
      // The first list after connecting is whole. What was known stays until it is told anew: nobody blinks.
      if (anew)
        this.#known = knownOf(
          this.#known,
          rooms.map(({ project_id: id }) => id),
        );
      anew = false;
    });
    socket.on('presence', (change) => (this.#known = knownAfter(this.#known, change)));
    socket.on('resync', ({ project_id: projectId, reason }) => {
      // Who left a project knows nothing of it any more; who entered one is told everything after this.
      if (reason === 'membership' && projectId !== null) this.#known = knownWithout(this.#known, projectId);
    });
    socket.on('disconnect', () => this.#reporter.lost());
  }

  /** Not connected for a while: what was told may be long past. */
  forget(): void {
    this.#known = NOTHING;
  }

  stop(): void {
    this.#stopWatching();
    this.#reporter.lost();
    this.#socket = null;
    this.forget();
  }
}
