// Opens many sockets in one process, and measures when the last has received an event.
import { io, type Socket } from 'socket.io-client';
import type { DomainEvent } from '../../shared/src/schemas/parts/events.ts';
import type { ServerToClient } from '../../shared/src/sockets.ts';
import type { BenchServer, Visitor } from './environment.ts';

/** How many handshakes run at a time. */
const HANDSHAKES_AT_A_TIME = 50;
const WAIT_TIMEOUT_MS = 30_000;

export interface SocketClients {
  /** Resolves when every socket has received a matching event, with the first one; throws after half a minute. */
  received(fits: (event: DomainEvent) => boolean): Promise<DomainEvent>;
  close(): void;
}

/** Opens sockets for these people, `tabs` each, and waits until all are in. */
export async function openSocketClients(server: BenchServer, people: Visitor[], tabs: number): Promise<SocketClients> {
  const sockets: Socket<ServerToClient>[] = [];
  const waiting = new Set<(events: DomainEvent[]) => void>();
  const pending = people.flatMap((visitor) => Array.from({ length: tabs }, () => visitor));
  while (pending.length > 0) {
    await Promise.all(
      pending.splice(0, HANDSHAKES_AT_A_TIME).map(async (visitor) => {
        const socket = await connect(server, visitor);
        socket.on('events', (events) => waiting.forEach((onEvents) => onEvents(events)));
        sockets.push(socket);
      }),
    );
  }
  return {
    received: (fits) => receivedByAll({ waiting, sockets: sockets.length, fits }),
    close: () => sockets.forEach((socket) => socket.close()),
  };
}

interface EventWait {
  waiting: Set<(events: DomainEvent[]) => void>;
  sockets: number;
  fits: (event: DomainEvent) => boolean;
}

/** Each socket receives an event once, so as many receipts as sockets mean that all have it. */
async function receivedByAll({ waiting, sockets, fits }: EventWait): Promise<DomainEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<DomainEvent>();
  let left = sockets;
  const onEvents = (events: DomainEvent[]) => {
    const event = events.find(fits);
    if (event === undefined) return;
    left -= 1;
    if (left === 0) resolve(event);
  };
  const timer = setTimeout(
    () => reject(new Error(`${left} of ${sockets} sockets have not heard it.`)),
    WAIT_TIMEOUT_MS,
  );
  waiting.add(onEvents);
  return promise.finally(() => {
    clearTimeout(timer);
    waiting.delete(onEvents);
  });
}

async function connect({ url }: BenchServer, { cookie }: Visitor): Promise<Socket<ServerToClient>> {
  const socket: Socket<ServerToClient> = io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { origin: url, cookie },
  });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  socket.once('connect_error', reject);
  // A socket is in the room once the server lists its rooms.
  socket.once('rooms', () => resolve(undefined));
  await promise;
  return socket;
}
