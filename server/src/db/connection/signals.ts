// A dedicated session for NOTIFY and leader election; what it misses while it is lost is polled, or read afterwards.
import pg from 'pg';
import { begin, createClient } from './connect.ts';
import type { Connection } from './database-url.ts';

export type Listener = (payload: string) => void;

export interface Signals {
  /** Calls `listener` for every notification on the channel. */
  on(channel: string, listener: Listener): Promise<void>;
  /**
   * Calls `listener` whenever it listens again after its session was lost: notifications of the time between reached
   * nobody. Needed where nothing polls.
   */
  onReconnected(listener: () => void): void;
  /** Sets the application name of this session, where other processes of the service read it; at most 63 bytes. */
  announce(name: string): Promise<void>;
  /** Acquires, or still holds, the named role among all processes on this database: see {@link LeaderElection.take}. */
  lead(key: number): Promise<boolean>;
  close(): Promise<void>;
}

interface Options {
  onError: (error: unknown) => void;
  /** The heartbeat of the leader; default as in production. */
  heartbeat?: Heartbeat;
}

/** A dedicated session that reconnects when it is lost. */
export const openSignals = (connection: Connection, options: Options): Signals =>
  new PostgresSignals(connection, options);

const RECONNECT_MS = 500;

/**
 * A crashed machine or network closes no connection: keepalives let PostgreSQL notice within twenty seconds instead of
 * the two hours of the system.
 */
const SET_KEEPALIVE = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 2';

const SET_SESSION_NAME = `select set_config('application_name', $1, false)`;

class PostgresSignals implements Signals {
  readonly #connection: Connection;
  readonly #options: Options;
  readonly #listeners = new Map<string, Listener[]>();
  readonly #reconnectListeners: (() => void)[] = [];
  /** Belongs to one session: its roles are lost with it. */
  #lead: LeaderElection | null = null;
  #client: Promise<pg.Client> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #generation = 0;
  #name: string | null = null;

  constructor(connection: Connection, options: Options) {
    this.#connection = connection;
    this.#options = options;
  }

  async on(channel: string, listener: Listener): Promise<void> {
    const known = this.#listeners.get(channel);
    this.#listeners.set(channel, [...(known ?? []), listener]);
    const client = await this.#connected();
    if (!known) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  }

  onReconnected(listener: () => void): void {
    this.#reconnectListeners.push(listener);
  }

  async announce(name: string): Promise<void> {
    this.#name = name;
    await (await this.#connected()).query(SET_SESSION_NAME, [name]);
  }

  async lead(key: number): Promise<boolean> {
    const client = await this.#connected();
    if (this.#lead?.client !== client) this.#lead = new LeaderElection(client, this.#options.heartbeat);
    return this.#lead.take(key);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    await client?.end();
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#lost(error);
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const client = createClient(this.#connection, { keepAlive: true });
    // Several errors may report one loss, and late ones belong to an older connection: only the first error of the
    // current one counts.
    const present = (this.#generation += 1);
    const lost = (error: unknown) => {
      if (present !== this.#generation) return;
      this.#generation += 1;
      this.#lost(error);
    };
    client.on('error', lost);
    client.on('end', () => lost(null));
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload ?? '');
    });
    await begin(client, this.#connection);
    // A server without these settings works unchanged.
    await client.query(SET_KEEPALIVE).catch(() => undefined);
    if (this.#name !== null) await client.query(SET_SESSION_NAME, [this.#name]);
    for (const channel of this.#listeners.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    if (present > 1) for (const listener of this.#reconnectListeners) listener();
    return client;
  }

  #lost(error: unknown): void {
    if (error !== null && !this.#closed) this.#options.onError(error);
    this.#client = null;
    if (this.#closed || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#connected().catch(() => undefined);
    }, RECONNECT_MS);
  }
}

/** Interval of the leader's heartbeat, in milliseconds. */
const BEAT_MS = 3000;
/**
 * A leader without a heartbeat for this many milliseconds is frozen or disconnected: a candidate terminates its
 * session.
 */
const SILENT_MS = 15_000;

export interface Heartbeat {
  beatMs: number;
  silentMs: number;
}

/** pg_locks shows a key of eight bytes in two halves. Only the same database role sees the other sessions' activity. */
const END_SILENT = `
  select pg_terminate_backend(l.pid)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.classid::bigint << 32 | l.objid::bigint = $1
    and l.database = (select oid from pg_database where datname = current_database())
    and a.state = 'idle' and a.state_change < clock_timestamp() - make_interval(secs => $2 / 1000.0)`;

/** The roles that one session leads, for as long as it lives. */
class LeaderElection {
  readonly client: pg.Client;
  readonly #rhythm: Heartbeat;
  readonly #held = new Set<number>();
  #askedAt = -Infinity;

  constructor(client: pg.Client, heartbeat: Heartbeat = { beatMs: BEAT_MS, silentMs: SILENT_MS }) {
    this.client = client;
    this.#rhythm = heartbeat;
  }

  /**
   * Acquires, or still holds, the named role. `key`: any fixed number. Call it at least once per `SILENT_MS`, otherwise
   * another process takes the role. Errors: those of a lost session, which loses every role it held.
   */
  async take(key: number): Promise<boolean> {
    if (this.#held.has(key)) {
      if (this.#isTime()) await this.client.query('select 1');
      return true;
    }
    const { rows } = await this.client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [key]);
    if (rows[0]?.held) this.#held.add(key);
    else if (this.#isTime()) await this.client.query(END_SILENT, [key, this.#rhythm.silentMs]);
    return rows[0]?.held ?? false;
  }

  #isTime(): boolean {
    const now = performance.now();
    if (now - this.#askedAt < this.#rhythm.beatMs) return false;
    this.#askedAt = now;
    return true;
  }
}
