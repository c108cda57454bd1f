// Who else is online and which item they view, and the presence of this tab.
import type {
  ClientToServer,
  UserPresence,
  ServerToClient,
  PresenceReport,
  PresenceChange,
} from '@countersign/shared/sockets';
import type { Socket } from 'socket.io-client';
import { applyPresenceChange, mergePresence, type PresenceByUser } from '@countersign/shared/presence';

/** By project. A project that is missing has not been reported yet. */
type PresenceByProject = ReadonlyMap<string, PresenceByUser>;

export const NO_PRESENCE: PresenceByProject = new Map();

/** The presence after a change from the server. */
export function withPresenceChange(known: PresenceByProject, change: PresenceChange): PresenceByProject {
  const people = known.get(change.project_id) ?? new Map<string, UserPresence>();
  return new Map(known).set(change.project_id, applyPresenceChange(people, change));
}

/** Removes a project the user has left. */
export function withoutProject(known: PresenceByProject, projectId: string): PresenceByProject {
  return new Map([...known].filter(([id]) => id !== projectId));
}

/** Only the presence of these projects. */
export function onlyProjects(known: PresenceByProject, projectIds: readonly string[]): PresenceByProject {
  return new Map([...known].filter(([id]) => projectIds.includes(id)));
}

/** Everybody else in these projects, each once, active people first, then by name: viewing an item changes no one's place. */
export function others(known: PresenceByProject, me: string, projectId: string | null): UserPresence[] {
  const rooms = projectId === null ? [...known.values()] : [known.get(projectId) ?? new Map<string, UserPresence>()];
  const parts = new Map<string, UserPresence[]>();
  for (const present of rooms.flatMap((people) => [...people.values()])) {
    if (present.user_id !== me) parts.set(present.user_id, [...(parts.get(present.user_id) ?? []), present]);
  }
  const people = [...parts.values()].flatMap((each) => mergePresence(each) ?? []);
  return people.sort(
    (a, b) => Number(a.idle) - Number(b.idle) || a.name.localeCompare(b.name) || (a.user_id < b.user_id ? -1 : 1),
  );
}

/** The viewers of each item, in the order of names. */
export function viewersByItem(known: PresenceByProject): ReadonlyMap<string, readonly UserPresence[]> {
  const viewers = new Map<string, UserPresence[]>();
  for (const people of known.values()) {
    for (const present of people.values()) {
      for (const item of present.viewing) viewers.set(item, [...(viewers.get(item) ?? []), present]);
    }
  }
  for (const each of viewers.values()) each.sort((a, b) => a.name.localeCompare(b.name));
  return viewers;
}

/** Whether this person is away: none of their tabs is open, or none is in use. False while nothing is known. */
export function isAway(known: PresenceByProject, projectId: string, userId: string): boolean {
  const people = known.get(projectId);
  return people !== undefined && people.get(userId)?.idle !== false;
}

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

/** At most one message in this many ms; the server disconnects tabs that send more. */
export const SPACING_MS = 1000;
/** Without any input for this many ms the tab is idle. */
export const IDLE_MS = 60_000;

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
export function watchIdle(onChange: (idle: boolean) => void): () => void {
  let usedAt = performance.now();
  let idle = false;
  let timer: ReturnType<typeof setTimeout>;
  const check = () => {
    clearTimeout(timer);
    const left = usedAt + IDLE_MS - performance.now();
    const now = document.visibilityState === 'hidden' || left <= 0;
    if (now !== idle) onChange((idle = now));
    if (!now) timer = setTimeout(check, left);
  };
  const used = () => {
    usedAt = performance.now();
    if (idle) check();
  };
  // A user who returns to a tab is active before any input.
  const shown = () => (document.visibilityState === 'visible' ? used() : check());
  for (const input of INPUTS) window.addEventListener(input, used, { passive: true });
  document.addEventListener('visibilitychange', shown);
  timer = setTimeout(check, IDLE_MS);
  if (document.visibilityState === 'hidden') check();
  return () => {
    clearTimeout(timer);
    for (const input of INPUTS) window.removeEventListener(input, used);
    document.removeEventListener('visibilitychange', shown);
  };
}
