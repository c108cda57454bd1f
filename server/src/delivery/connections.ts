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

/** The idle connections of a worker, longest idle first. */
export class ConnectionPool {
  #idle: { key: string; connection: Connection }[] = [];

  /** An open connection to one of these addresses, most recently used first; those to other addresses are closed. */
  take(key: string, addresses: readonly { address: string }[]): Connection | undefined {
    const sameKey = this.#idle.filter((each) => each.key === key).map(({ connection }) => connection);
    const fits = (connection: Connection) =>
      connection.isFresh() && addresses.some(({ address }) => address === connection.openTo);
    const stale = new Set(sameKey.filter((connection) => !fits(connection)));
    const taken = sameKey.findLast((connection) => !stale.has(connection));
    for (const connection of stale) connection.close();
    this.#idle = this.#idle.filter(({ connection }) => connection !== taken && !stale.has(connection));
    return taken;
  }

  /** Returns it to the pool for the next attempt, unless the response closed it. */
  release(key: string, connection: Connection): void {
    connection.rest();
    if (connection.openTo === undefined) return;
    if (!connection.isSent) return connection.close();
    this.#idle.push({ key, connection });
    if (this.#idle.length > MOST_IDLE) this.#idle.shift()?.connection.close();
  }

  close(): void {
    for (const { connection } of this.#idle.splice(0)) connection.close();
  }
}
