// The live connection of this tab: facts in, its state in one word, and a resync of everything on every (re)connect.
import type { DomainEvent, DomainEventOf, DomainEventType } from '@countersign/shared/events';
import { readSession } from '@countersign/shared/api/session';
import { PROTOCOL, type ClientToServer, type ServerToClient } from '@countersign/shared/sockets';
import { io, type Socket } from 'socket.io-client';
import { ApiProblem, call, reportSessionMissing } from '../api/client.ts';
import { observeServerTime } from '../time/clock.svelte.ts';
import { onOnlineOrVisible } from './online-or-visible.ts';
import { reloadOutdatedPage } from './outdated-page.ts';
import { Presence } from './presence.svelte.ts';

/** `polling`: no connection, and the service answers all the same: everything is read again every {@link POLL_MS}. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'reconnecting' | 'polling' | 'offline' | 'resyncing';

type DomainEventListener = (event: DomainEvent) => void;
/** Fetches its snapshot again; `projectId` null means every project. The connection counts as live when all have settled. */
type ResyncListener = (projectId: string | null) => void | Promise<unknown>;

/** A short interruption is nobody's business; after these many ms it is named, then called by its name. */
const RECONNECTING_AFTER_MS = 1000;
const OFFLINE_AFTER_MS = 3000;
/**
 * The return shows within two seconds, so a lost connection is tried again about every 0.7 seconds (QU4): what is left is
 * for connecting and reading. The jitter keeps a thousand pages apart when the service starts again.
 */
const RECONNECTION = { reconnectionDelay: 400, reconnectionDelayMax: 700, randomizationFactor: 0.3 };
/** Asked this often whether the library has stopped trying: when the server ended the connection itself, it does. */
const RETRY_MS = 1500;
/** While connecting fails the session is asked for this often, which also tells whether the service can be reached. */
const SESSION_CHECK_MS = 5000;
/** Without a connection to a service that answers, everything is read again this often. */
const POLL_MS = 15_000;
/** The server has this person's connections up to the limit already. */
const TOO_MANY = 'too_many_sockets';
/** What the server says of a connection that it has read: the session is there, and trying again is all there is to do. */
const REFUSALS: ReadonlySet<string> = new Set([TOO_MANY, 'unavailable']);

class Connection {
  /** Who else is online, and what this tab says of itself. */
  readonly presence = new Presence();
  #degraded = $state(false);
  #phase: Exclude<LiveState, 'paused'> = $state('connecting');
  #paused = $state(false);
  #socket: Socket<ServerToClient, ClientToServer> | null = null;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #connectTimeout: ReturnType<typeof setTimeout> | undefined;
  #resyncs = 0;
  /** Whether the session was asked for a moment ago. */
  #sessionChecked = false;
  /** Whether the service answered the last time it was asked without a connection. */
  #serviceReachable = false;
  #tooMany = $state(false);
  #stopRetryOnReturn: () => void = () => undefined;
  #listeners: readonly { type: DomainEventType | '*'; listener: DomainEventListener }[] = [];
  #resyncListeners: readonly ResyncListener[] = [];
  readonly #metricsListeners = new Set<(projectId: string) => void>();
  readonly #offersListeners = new Set<() => void>();

  /** For the pill in the top bar. `paused` is the reader's own choice and only shows while everything else is well. */
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

  /** The lock store is away: two people may open the same item, and the first decision counts (LC6). */
  get degraded(): boolean {
    return this.#degraded;
  }

  /** Whether there is no connection because this person has as many as one may have: of other tabs, most likely. */
  get tooMany(): boolean {
    return this.#tooMany;
  }

  /** Opens the connection. Does nothing when it is open. */
  start(): void {
    if (this.#socket !== null) return;
    this.#phase = 'connecting';
    const socket: Socket<ServerToClient, ClientToServer> = io({
      transports: ['websocket'],
      auth: { protocol: PROTOCOL },
      ...RECONNECTION,
    });
    this.#socket = socket;
    // The server has put this socket into its rooms: nothing is missed from here on, so now the snapshots are read.
    socket.on('rooms', () => this.#resync(null));
    socket.on('resync', ({ project_id }) => this.#resync(project_id));
    socket.on('events', (events) => this.#receive(events));
    socket.on('metrics', ({ project_id }) => this.#metricsListeners.forEach((listener) => listener(project_id)));
    socket.on('offers', () => this.#offersListeners.forEach((listener) => listener()));
    socket.on('assignment', ({ degraded }) => (this.#degraded = degraded));
    this.presence.follow(socket);
    this.#stopRetryOnReturn = onOnlineOrVisible(() => this.#reconnectNow());
    socket.on('disconnect', (reason) => this.#disconnected(socket, reason));
    // Where upgrades are swallowed, nothing comes at all.
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

  /** Hears facts of one type, or of all with `*`, in the order they arrive. Answers the function that stops it. */
  on<T extends DomainEventType>(type: T, listener: (event: DomainEventOf<T>) => void): () => void;
  on(type: '*', listener: DomainEventListener): () => void;
  on(type: DomainEventType | '*', listener: (event: never) => void): () => void {
    // Only facts of `type` are ever handed to it.
    const entry = { type, listener: listener as DomainEventListener };
    this.#listeners = [...this.#listeners, entry];
    return () => (this.#listeners = this.#listeners.filter((other) => other !== entry));
  }

  /** Hears that the figures of a project moved. Answers the function that stops it. */
  onMetrics(listener: (projectId: string) => void): () => void {
    this.#metricsListeners.add(listener);
    return () => this.#metricsListeners.delete(listener);
  }

  /** Hears that the seats offered to this person changed. Answers the function that stops it. */
  onOffers(listener: () => void): () => void {
    this.#offersListeners.add(listener);
    return () => this.#offersListeners.delete(listener);
  }

  /** Hears that something may have been missed. Answers the function that stops it. */
  onResync(listener: ResyncListener): () => void {
    this.#resyncListeners = [...this.#resyncListeners, listener];
    return () => (this.#resyncListeners = this.#resyncListeners.filter((other) => other !== listener));
  }

  #receive(events: DomainEvent[]): void {
    for (const event of events) {
      // What the server has stated lies in its past, so its clock shows at least that.
      const from = Date.parse(event.server_time);
      observeServerTime({ from, to: Infinity, sentAt: Date.now() });
      for (const { type, listener } of this.#listeners) if (type === '*' || type === event.type) listener(event);
    }
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
    // The server hung up: the session may be over, and whoever connects again at once is told so at once.
    if (reason === 'io server disconnect') socket.connect();
  }

  /** A lost connection is tried again now, and not when its turn comes: the library lets go of its turns only so. */
  #reconnectNow(): void {
    if (this.#timers.length > 0) this.#socket?.disconnect().connect();
    this.#poll();
  }

  /**
   * A handshake that failed says no more than that: without a cookie it is refused before anybody looks, and the page would wait
   * for ever. An answered call tells, by itself, whether the session is over.
   */
  #checkSession(): void {
    if (this.#sessionChecked) return;
    this.#sessionChecked = true;
    const isReachable = (error: unknown) => error instanceof ApiProblem && error.status < 500;
    void call(readSession)
      .then(() => true, isReachable)
      .then((reachable) => this.#setReachable(reachable));
  }

  /** Whether the service answers, as far as is known now. */
  #setReachable(reachable: boolean): void {
    this.#serviceReachable = reachable;
    if (this.#phase === 'offline' || this.#phase === 'polling') this.#showDisconnected();
  }

  /** By the time the interruption is called by its name it is known whether the service answers. */
  #showReconnecting(): void {
    this.#phase = 'reconnecting';
    this.#checkSession();
  }

  /** The connection has been away for long enough: what was told of others is too old to be shown. */
  #showDisconnected(): void {
    const begins = this.#serviceReachable && this.#phase !== 'polling';
    this.#phase = this.#serviceReachable ? 'polling' : 'offline';
    this.presence.forget();
    this.#degraded = false;
    if (begins) this.#poll();
  }

  /** Reads everything again, as long as that is all that can be done and somebody looks. */
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
