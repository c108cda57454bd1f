// The live connection of this tab: incoming events, its state in one word, and a full resync on every (re)connect.
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/schemas/parts/events';
import { readSession } from '@countersign/shared/routes/session';
import type { Session } from '@countersign/shared/schemas/session';
import { PROTOCOL, type ClientToServer, type ServerToClient } from '@countersign/shared/sockets';
import { io, type Socket } from 'socket.io-client';
import { ApiProblem, call, reportSessionMissing } from '../api/client.ts';
import { isPageServed, isReloadBlocked } from '../shell/page-served.ts';
import { observeServerTime } from '../time/clock.svelte.ts';
import { Presence } from './presence.svelte.ts';

/** `polling`: there is no connection, but the service answers: everything is read again every {@link POLL_MS}. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'reconnecting' | 'polling' | 'offline' | 'resyncing';

type DomainEventListener = (event: DomainEvent) => void;
/** Reads its snapshot again; `projectId` null means every project. The connection counts as live when all have settled. */
type ResyncListener = (projectId: string | null) => void | Promise<unknown>;

/** A short interruption is not shown; after these many ms it shows as reconnecting, then as offline. */
const RECONNECTING_AFTER_MS = 1000;
const OFFLINE_AFTER_MS = 3000;
/**
 * Recovery must show within two seconds, so a lost connection is retried about every 0.7 seconds (QU4), which leaves time for
 * connecting and reading. The jitter spreads a thousand pages when the service restarts.
 */
const RECONNECTION = { reconnectionDelay: 400, reconnectionDelayMax: 700, randomizationFactor: 0.3 };
/** The interval for checking whether the library has stopped retrying: it does when the server closed the connection. */
const RETRY_MS = 1500;
/** While connecting fails the session is requested this often, which also shows whether the service can be reached. */
const SESSION_CHECK_MS = 5000;
/** Without a connection to a service that answers, everything is read again this often. */
const POLL_MS = 15_000;
/** The user's connections have reached the server's limit. */
const TOO_MANY = 'too_many_sockets';
/** Refusals of a connection the server has authenticated: the session is valid, and only retrying helps. */
const REFUSALS: ReadonlySet<string> = new Set([TOO_MANY, 'unavailable']);

class Connection {
  /** Who else is online, and the presence of this tab. */
  readonly presence = new Presence();
  #degraded = $state(false);
  #phase: Exclude<LiveState, 'paused'> = $state('connecting');
  #paused = $state(false);
  #socket: Socket<ServerToClient, ClientToServer> | null = null;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #connectTimeout: ReturnType<typeof setTimeout> | undefined;
  #resyncs = 0;
  /** The positions of the event logs before the page read anything; null once compared, or when they are not known. */
  #readAt: readonly Position[] | null = null;
  /** Whether the session was requested a moment ago. */
  #sessionChecked = false;
  /** Whether the service answered its last request without a connection. */
  #serviceReachable = false;
  #tooMany = $state(false);
  #stopRetryOnReturn: () => void = () => undefined;
  #listeners: readonly { type: DomainEventType | '*'; listener: DomainEventListener }[] = [];
  #resyncListeners: readonly ResyncListener[] = [];
  readonly #metricsListeners = new Set<(projectId: string) => void>();
  readonly #offersListeners = new Set<() => void>();
  readonly #sessionListeners = new Set<(session: Session) => void>();

  /** For the pill in the top bar. `paused` is the user's own choice and only shows while everything else is well. */
  get state(): LiveState {
    return this.#paused && this.#phase === 'live' ? 'paused' : this.#phase;
  }

  /** While paused the queue holds arrivals back; claims and decisions of others still show. */
  get paused(): boolean {
    return this.#paused;
  }

  set paused(value: boolean) {
    this.#paused = value;
  }

  /** The lock store is down: two people may open the same item, and the first decision counts (LC6). */
  get degraded(): boolean {
    return this.#degraded;
  }

  /** Whether the connection was refused because this user has reached the limit, most likely with other tabs. */
  get tooMany(): boolean {
    return this.#tooMany;
  }

  /**
   * Opens the connection. Does nothing when it is open. `readAt` are the positions of the user's event logs from before the page
   * read anything: sockets that start there have missed nothing, and nothing is read twice.
   */
  start(readAt: readonly Position[] | null = null): void {
    if (this.#socket !== null) return;
    this.#phase = 'connecting';
    this.#readAt = readAt;
    const socket: Socket<ServerToClient, ClientToServer> = io({
      transports: ['websocket'],
      auth: { protocol: PROTOCOL },
      ...RECONNECTION,
    });
    this.#socket = socket;
    // The server has joined this socket to its rooms: no event is missed from here on, so the snapshots are read now.
    socket.on('rooms', (rooms) => this.#entered(rooms));
    socket.on('resync', ({ project_id }) => this.#resync(project_id));
    socket.on('events', (events) => this.#receive(events));
    socket.on('metrics', ({ project_id }) => this.#metricsListeners.forEach((listener) => listener(project_id)));
    socket.on('offers', () => this.#offersListeners.forEach((listener) => listener()));
    socket.on('assignment', ({ degraded }) => (this.#degraded = degraded));
    this.presence.follow(socket);
    this.#stopRetryOnReturn = onOnlineOrVisible(() => this.#reconnectNow());
    socket.on('disconnect', (reason) => this.#disconnected(socket, reason));
    // Where a proxy swallows upgrades, no answer arrives at all.
    this.#connectTimeout = setTimeout(() => this.#disconnected(socket), OFFLINE_AFTER_MS);
    socket.on('connect_error', ({ message }) => {
      this.#disconnected(socket);
      this.#tooMany = message === TOO_MANY;
      if (this.#tooMany) this.#setReachable(true);
      if (message === 'outdated_page') reloadOutdatedPage();
      else if (message === 'session_missing') reportSessionMissing();
      else if (!REFUSALS.has(message)) this.#checkSession();
    });
  }

  /** Closes the connection for good; listeners stay registered. */
  stop(): void {
    this.#stopRetryOnReturn();
    this.#socket?.disconnect();
    this.#socket = null;
    this.presence.stop();
    this.#degraded = false;
    this.#clearTimers();
    this.#phase = 'connecting';
  }

  /** Subscribes to events of one type, or of all with `*`, in the order they arrive. Returns the function that unsubscribes. */
  on<T extends DomainEventType>(type: T, listener: (event: DomainEventOf<T>) => void): () => void;
  on(type: '*', listener: DomainEventListener): () => void;
  on(type: DomainEventType | '*', listener: (event: never) => void): () => void {
    // Only events of `type` are ever passed to it.
    const entry = { type, listener: listener as DomainEventListener };
    this.#listeners = [...this.#listeners, entry];
    return () => (this.#listeners = this.#listeners.filter((other) => other !== entry));
  }

  /** Subscribes to changed figures of a project. Returns the function that unsubscribes. */
  onMetrics(listener: (projectId: string) => void): () => void {
    this.#metricsListeners.add(listener);
    return () => this.#metricsListeners.delete(listener);
  }

  /** Subscribes to changes of the user's membership offers. Returns the function that unsubscribes. */
  onOffers(listener: () => void): () => void {
    this.#offersListeners.add(listener);
    return () => this.#offersListeners.delete(listener);
  }

  /** Subscribes to the session that is read while connecting fails. Returns the function that unsubscribes. */
  onSession(listener: (session: Session) => void): () => void {
    this.#sessionListeners.add(listener);
    return () => this.#sessionListeners.delete(listener);
  }

  /** Subscribes to resyncs, after which events may be missing. Returns the function that unsubscribes. */
  onResync(listener: ResyncListener): () => void {
    this.#resyncListeners = [...this.#resyncListeners, listener];
    return () => (this.#resyncListeners = this.#resyncListeners.filter((other) => other !== listener));
  }

  #receive(events: DomainEvent[]): void {
    for (const event of events) {
      // A time stated by the server is in its past, so its clock shows at least that.
      const from = Date.parse(event.server_time);
      observeServerTime({ from, to: Infinity, sentAt: Date.now() });
      for (const { type, listener } of this.#listeners) if (type === '*' || type === event.type) listener(event);
    }
  }

  #entered(rooms: readonly Position[]): void {
    const readAt = this.#readAt;
    this.#readAt = null;
    if (this.#phase !== 'connecting' || this.#resyncs > 0 || readAt === null || !isSame(readAt, rooms)) {
      void this.#resync(null);
      return;
    }
    this.#clearTimers();
    this.#phase = 'live';
  }

  async #resync(projectId: string | null): Promise<void> {
    this.#clearTimers();
    this.#resyncs += 1;
    // The first snapshot is loading, not catching up.
    if (this.#phase !== 'connecting') this.#phase = 'resyncing';
    await Promise.allSettled(this.#resyncListeners.map(async (listener) => listener(projectId)));
    this.#resyncs -= 1;
    if (this.#resyncs === 0 && this.#socket?.connected) this.#phase = 'live';
  }

  #disconnected(socket: Socket, reason?: string): void {
    if (this.#socket !== socket || this.#timers.length > 0) return;
    this.#timers = [
      setTimeout(() => this.#showReconnecting(), RECONNECTING_AFTER_MS),
      setTimeout(() => this.#showDisconnected(), OFFLINE_AFTER_MS),
      setInterval(() => !socket.active && socket.connect(), RETRY_MS),
      setInterval(() => ((this.#sessionChecked = false), this.#checkSession()), SESSION_CHECK_MS),
      setInterval(() => this.#poll(), POLL_MS),
    ];
    // The server closed the connection: the session may be over, and reconnecting at once shows whether it is.
    if (reason === 'io server disconnect') socket.connect();
  }

  /** Retries a lost connection now instead of at the scheduled time: the library resets its schedule only this way. */
  #reconnectNow(): void {
    if (this.#timers.length > 0) this.#socket?.disconnect().connect();
    this.#poll();
  }

  /**
   * A failed handshake carries no cause: without a cookie it is refused before any check, and the page would wait forever. An
   * ordinary call shows whether the session is over, and whose it is by now.
   */
  #checkSession(): void {
    if (this.#sessionChecked) return;
    this.#sessionChecked = true;
    const socket = this.#socket;
    const isReachable = (error: unknown) => error instanceof ApiProblem && error.status < 500;
    const tell = (session: Session) => {
      // An answer that arrives after the page has stopped is about another session.
      if (this.#socket === socket) this.#sessionListeners.forEach((listener) => listener(session));
      return true;
    };
    void call(readSession)
      .then(tell, isReachable)
      .then((reachable) => this.#setReachable(reachable));
  }

  /** Records whether the service answers, as far as is known now. */
  #setReachable(reachable: boolean): void {
    this.#serviceReachable = reachable;
    if (this.#phase === 'offline' || this.#phase === 'polling') this.#showDisconnected();
  }

  /** By the time the interruption shows as offline it is known whether the service answers. */
  #showReconnecting(): void {
    this.#phase = 'reconnecting';
    this.#checkSession();
  }

  /** The connection has been down for long: the presence of others is too old to be shown. */
  #showDisconnected(): void {
    const begins = this.#serviceReachable && this.#phase !== 'polling';
    this.#phase = this.#serviceReachable ? 'polling' : 'offline';
    this.presence.forget();
    this.#degraded = false;
    if (begins) this.#poll();
  }

  /** Reads everything again, as long as nothing better works and the page is visible. */
  #poll(): void {
    if (this.#phase !== 'polling' || document.visibilityState === 'hidden') return;
    void Promise.allSettled(this.#resyncListeners.map(async (listener) => listener(null)));
  }

  #clearTimers(): void {
    clearTimeout(this.#connectTimeout);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.#sessionChecked = this.#serviceReachable = this.#tooMany = false;
  }
}

export const live = new Connection();

interface Position {
  project_id: string;
  seq: number;
}

/** Whether both name the same projects at the same positions. */
function isSame(before: readonly Position[], now: readonly Position[]): boolean {
  const seqs = new Map(before.map(({ project_id, seq }) => [project_id, seq]));
  return before.length === now.length && now.every(({ project_id, seq }) => seqs.get(project_id) === seq);
}

/** Calls back on either. Returns the function that stops it. */
function onOnlineOrVisible(callback: () => void): () => void {
  const onVisible = () => document.visibilityState === 'visible' && callback();
  window.addEventListener('online', callback);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', callback);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

const RELOADED_AT = 'countersign.reloaded-at';
/** A service that serves the old page for a while, as during a rolling update, makes the page reload this often at most. */
const RELOAD_GAP_MS = 60_000;
/** The pages of a restarted service do not all load again at once. */
const SPREAD_MS = 30_000;

interface Browser {
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  now: () => number;
  random: () => number;
  after: (ms: number, action: () => void) => void;
  /** Whether a reload would lose something: a dialog is open, or an element says so with `data-blocks-reload`. */
  isBusy: () => boolean;
  /** Whether the page can be loaded now. */
  isServed: () => Promise<boolean>;
  reload: () => void;
}

let scheduled = false;

/**
 * Loads the page again within half a minute, at most once a minute in this tab, when nothing is open that would be lost and the
 * service can serve it. Otherwise nothing happens, and the next refused connection asks again. Drafts are saved in the browser.
 */
export function reloadOutdatedPage(browser: Browser = thisBrowser()): void {
  if (scheduled) return;
  scheduled = true;
  browser.after(browser.random() * SPREAD_MS, () => {
    void tryReload(browser).finally(() => (scheduled = false));
  });
}

async function tryReload({ storage, now, isBusy, isServed, reload }: Browser): Promise<void> {
  try {
    const last = Number(storage.getItem(RELOADED_AT) ?? -Infinity);
    // A time in the future comes from a clock that was set back.
    const isRecent = last <= now() && now() - last < RELOAD_GAP_MS;
    if (isRecent || isBusy() || !(await isServed()) || isBusy()) return;
    storage.setItem(RELOADED_AT, String(now()));
  } catch {
    // Without storage reloads could repeat without end: the page stays as it is.
    return;
  }
  reload();
}

const thisBrowser = (): Browser => ({
  storage: sessionStorage,
  now: () => Date.now(),
  random: () => Math.random(),
  after: (ms, action) => setTimeout(action, ms),
  isBusy: () => isReloadBlocked(),
  isServed: isPageServed,
  reload: () => location.reload(),
});
