// NOTIFY as a doorbell, and one process at a time for the relay. Loops also poll: a lost ring costs a second, never a fact.
import pg from 'pg';
import { begin, createClient } from './connect.ts';
import type { Connection } from './database-url.ts';
import { LeaderElection, type Heartbeat } from './leader-election.ts';

export type Listener = (payload: string) => void;

export interface Signals {
  /** Rings `listener` for every notification on the channel. */
  on(channel: string, listener: Listener): Promise<void>;
  /** Calls this session so in PostgreSQL's list of sessions, where the other processes of the service read it; at most 63 bytes. */
  announce(name: string): Promise<void>;
  /** Takes, or still has, the named role among all processes on this database: see {@link Lead.take}. */
  lead(key: number): Promise<boolean>;
  close(): Promise<void>;
}

interface Options {
  onError: (error: unknown) => void;
  /** How often who leads is heard of; as always, unless told. */
  heartbeat?: Heartbeat;
}

/** A session of its own, which connects again when it is lost. */
export const openSignals = (connection: Connection, options: Options): Signals =>
  new PostgresSignals(connection, options);

const RECONNECT_MS = 500;

/** A machine or network that is gone says no goodbye: PostgreSQL finds out within twenty seconds, not the two hours of the system. */
const SET_KEEPALIVE = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 2';

const SET_SESSION_NAME = `select set_config('application_name', $1, false)`;

class PostgresSignals implements Signals {
  readonly #connection: Connection;
  readonly #options: Options;
  readonly #listeners = new Map<string, Listener[]>();
  /** Of one session: what it led is gone with it. */
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
    // Several events may tell of one loss, and late ones of an older connection: only the first of the present one counts.
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
    // A server that does not know these goes on as it is.
    await client.query(SET_KEEPALIVE).catch(() => undefined);
    if (this.#name !== null) await client.query(SET_SESSION_NAME, [this.#name]);
    for (const channel of this.#listeners.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
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
