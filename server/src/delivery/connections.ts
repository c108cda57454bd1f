// Reuses connections for later attempts of a project to the same origin: a handshake costs more than a POST (W2).
import type { Socket } from 'node:net';
import { type buildConnector, Client } from 'undici';
import { InterimAnswers, readPast } from './received.ts';

/** Nearly every receiver keeps idle connections longer than this; a bounded number of them costs little. */
const IDLE_MS = 1_000;
const MOST_IDLE = 128;
/** A receiver that serves few connections at a time can serve others: well before their attempts time out. */
const OLDEST_MS = 5_000;

/** At most one connection to one origin, for one attempt at a time. */
export class Connection {
  readonly client: Client;
  readonly #interim: InterimAnswers;
  /** Set by the current user: how to connect if no socket is open. */
  connector: buildConnector.connector | undefined;
  #socket: Socket | undefined;
  #openedAt = 0;
  #freeAt = 0;
  #readBefore = 0;
  /** The open socket is older than the attempt that uses it. */
  isOld = false;

  constructor(origin: string, { headerBytes }: { headerBytes: number }) {
    this.#interim = new InterimAnswers(headerBytes);
    this.client = new Client(origin, {
      connect: (options, callback) => this.connector?.(options, callback),
      maxHeaderSize: headerBytes,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
    });
  }

  /** The remote address while it is open. */
  get openTo(): string | undefined {
    const socket = this.#socket;
    return socket === undefined || socket.destroyed || socket.readableEnded ? undefined : socket.remoteAddress;
  }

  /** The bytes received for the current attempt. */
  get read(): number {
    return (this.#socket?.bytesRead ?? 0) - this.#readBefore;
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    this.#interim.begin();
    readPast(socket, this.#interim);
    this.#openedAt = performance.now();
    this.#readBefore = 0;
    this.isOld = false;
  }

  isFresh(): boolean {
    const now = performance.now();
    return now - this.#openedAt < OLDEST_MS && now - this.#freeAt < IDLE_MS;
  }

  /**
   * Whether the request was sent completely: a response may arrive before that, and the next request would follow the
   * rest.
   */
  get isSent(): boolean {
    return this.#socket?.writableLength === 0;
  }

  rest(): void {
    this.connector = undefined;
    this.#interim.begin();
    this.isOld = true;
    this.#freeAt = performance.now();
    this.#readBefore = this.#socket?.bytesRead ?? 0;
  }

  close(): void {
    this.client.destroy().catch(() => undefined);
  }
}

interface Idle {
  key: string;
  connection: Connection;
}

/** The idle connections of a worker. Taking and releasing cost the same, however many there are. */
export class ConnectionPool {
  /** All of them, and those of each key, longest idle first. */
  readonly #all = new Set<Idle>();
  readonly #byKey = new Map<string, Idle[]>();

  /**
   * Takes the most recently used connection to one of these addresses. Closes those that are too old or lead to other addresses,
   * from both ends: without a look at the longest idle ones, these would stay open while newer ones fit.
   */
  take(key: string, addresses: readonly { address: string }[]): Connection | undefined {
    const idle = this.#byKey.get(key) ?? [];
    const fits = ({ connection }: Idle) =>
      connection.isFresh() && addresses.some(({ address }) => address === connection.openTo);
    while (idle[0] !== undefined && !fits(idle[0])) this.#remove(idle[0]).close();
    for (let last = idle.at(-1); last !== undefined; last = idle.at(-1)) {
      const isFit = fits(last);
      const connection = this.#remove(last);
      if (isFit) return connection;
      connection.close();
    }
    return undefined;
  }

  /** Returns it to the pool for the next attempt, unless the response closed it. */
  release(key: string, connection: Connection): void {
    connection.rest();
    if (connection.openTo === undefined) return;
    if (!connection.isSent) return connection.close();
    const idle = { key, connection };
    this.#all.add(idle);
    const ofKey = this.#byKey.get(key) ?? [];
    ofKey.push(idle);
    this.#byKey.set(key, ofKey);
    const [longest] = this.#all;
    if (this.#all.size > MOST_IDLE && longest !== undefined) this.#remove(longest).close();
  }

  close(): void {
    for (const idle of this.#all) this.#remove(idle).close();
  }

  /** Removes the first or the last connection of its key. */
  #remove(idle: Idle): Connection {
    const ofKey = this.#byKey.get(idle.key) ?? [];
    if (ofKey.at(-1) === idle) ofKey.pop();
    else ofKey.shift();
    if (ofKey.length === 0) this.#byKey.delete(idle.key);
    this.#all.delete(idle);
    return idle.connection;
  }
}
