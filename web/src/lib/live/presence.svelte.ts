// Who else is online and which item they view, and the presence of this tab.
import type { ClientToServer, UserPresence, ServerToClient } from '@countersign/shared/sockets';
import type { PresenceReport } from '@countersign/shared/schemas/parts/presence-report';
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

  /** Whether it is known who is online in the project. */
  isKnown(projectId: string): boolean {
    return this.#presence.has(projectId);
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
    this.#stopWatching = watchAway((away) => this.#reporter.update({ idle: away }));
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

/** At most one message in this many ms; the server disconnects tabs that send more. */
export const SPACING_MS = 1000;
/** Without any input for this many ms its user is away. */
export const AWAY_MS = 60_000;

/** The state the server assumes of a tab that has reported nothing. */
const INITIAL_STATE: PresenceReport = { project_id: null, item_id: null, idle: false };

export class PresenceReporter {
  readonly #send: (state: PresenceReport) => void;
  #state = INITIAL_STATE;
  #lastSent: string | null = null;
  #lastSentAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (state: PresenceReport) => void) {
    this.#send = send;
  }

  /** Sets the present state of the tab. */
  update(state: Partial<PresenceReport>): void {
    this.#state = { ...this.#state, ...state };
    if (this.#lastSent !== null) this.#scheduleSend();
  }

  /** Reconnected: the server knows nothing of this tab. */
  connected(): void {
    this.#lastSent = JSON.stringify(INITIAL_STATE);
    this.#scheduleSend();
  }

  /** Not connected: changes are reported after the next connection. */
  lost(): void {
    this.#lastSent = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Never at once: two changes in one moment are reported once. */
  #scheduleSend(): void {
    this.#timer ??= setTimeout(
      () => this.#sendIfChanged(),
      Math.max(0, this.#lastSentAt + SPACING_MS - performance.now()),
    );
  }

  #sendIfChanged(): void {
    this.#timer = undefined;
    const now = JSON.stringify(this.#state);
    if (this.#lastSent === null || this.#lastSent === now) return;
    this.#lastSent = now;
    this.#lastSentAt = performance.now();
    this.#send(this.#state);
  }
}

const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Reports whether the tab is in use: visible, and with input within the last minute. Returns the function that stops it. */
export function watchAway(onChange: (away: boolean) => void): () => void {
  let usedAt = performance.now();
  let away = false;
  let timer: ReturnType<typeof setTimeout>;
  const check = () => {
    clearTimeout(timer);
    const left = usedAt + AWAY_MS - performance.now();
    const now = document.visibilityState === 'hidden' || left <= 0;
    if (now !== away) onChange((away = now));
    if (!now) timer = setTimeout(check, left);
  };
  const used = () => {
    usedAt = performance.now();
    if (away) check();
  };
  // A user who returns to a tab is active before any input.
  const shown = () => (document.visibilityState === 'visible' ? used() : check());
  for (const input of INPUTS) window.addEventListener(input, used, { passive: true });
  document.addEventListener('visibilitychange', shown);
  timer = setTimeout(check, AWAY_MS);
  if (document.visibilityState === 'hidden') check();
  return () => {
    clearTimeout(timer);
    for (const input of INPUTS) window.removeEventListener(input, used);
    document.removeEventListener('visibilitychange', shown);
  };
}
