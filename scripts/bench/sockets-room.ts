// A room full of sockets in one process, and when the last of them has heard something.
import { io, type Socket } from 'socket.io-client';
import type { Fact } from '../../shared/src/events.ts';
import type { ServerToClient } from '../../shared/src/sockets.ts';
import type { BenchServer, Visitor } from './house.ts';

/** So many handshakes at a time. */
const AT_ONCE = 50;
const PATIENCE_MS = 30_000;

export interface Room {
  /** Resolves when every socket has had a fact that fits, with the first such fact; errors: not within half a minute. */
  heard(fits: (fact: Fact) => boolean): Promise<Fact>;
  close(): void;
}

/** Opens sockets for these people, `tabs` each, and waits until all are in. */
export async function openRoom(server: BenchServer, people: Visitor[], tabs: number): Promise<Room> {
  const sockets: Socket<ServerToClient>[] = [];
  const waiting = new Set<(facts: Fact[]) => void>();
  const due = people.flatMap((visitor) => Array.from({ length: tabs }, () => visitor));
  while (due.length > 0) {
    await Promise.all(
      due.splice(0, AT_ONCE).map(async (visitor) => {
        const socket = await connect(server, visitor);
        socket.on('events', (facts) => waiting.forEach((hear) => hear(facts)));
        sockets.push(socket);
      }),
    );
  }
  return {
    heard: (fits) => allHeard({ waiting, sockets: sockets.length, fits }),
    close: () => sockets.forEach((socket) => socket.close()),
  };
}

interface Hearing {
  waiting: Set<(facts: Fact[]) => void>;
  sockets: number;
  fits: (fact: Fact) => boolean;
}

/** Each socket is told a fact once, so hearing it as often as there are sockets means that all have it. */
async function allHeard({ waiting, sockets, fits }: Hearing): Promise<Fact> {
  const { promise, resolve, reject } = Promise.withResolvers<Fact>();
  let left = sockets;
  const hear = (facts: Fact[]) => {
    const fact = facts.find(fits);
    if (fact === undefined) return;
    left -= 1;
    if (left === 0) resolve(fact);
  };
  const timer = setTimeout(() => reject(new Error(`${left} of ${sockets} sockets have not heard it.`)), PATIENCE_MS);
  waiting.add(hear);
  return promise.finally(() => {
    clearTimeout(timer);
    waiting.delete(hear);
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
  // The room is entered when the server says which rooms there are.
  socket.once('rooms', () => resolve(undefined));
  await promise;
  return socket;
}
