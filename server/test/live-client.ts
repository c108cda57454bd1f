// Connects a socket that records events in order, checks them against the contract, and finds gaps in `seq`.
import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import { expect } from 'vitest';
import {
  domainEvent,
  type DomainEvent,
  type DomainEventOf,
  type DomainEventType,
} from '@countersign/shared/schemas/parts/events';
import { applyPresenceChange, type PresenceByUser } from '@countersign/shared/presence';
import type { ClientToServer, UserPresence, ServerToClient } from '@countersign/shared/sockets';
import type { PresenceReport } from '@countersign/shared/schemas/parts/presence-report';
import type { Person } from './client.ts';
import { ObservedList } from './observed-list.ts';

export interface Live {
  /** Every event so far, in order of arrival. */
  readonly events: readonly DomainEvent[];
  /** The projects whose rooms this socket is in, with the `seq` each started from. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly resyncs: readonly { project_id: string | null; reason: string }[];
  /** The first matching event of this type that no earlier `next` has returned; waits for it (`within` ms, 25 s). */
  next<T extends DomainEventType>(
    type: T,
    fits?: (domainEvent: DomainEventOf<T>) => boolean,
    within?: number,
  ): Promise<DomainEventOf<T>>;
  /** Waits until the server has said which rooms the socket is in, this project's among them. */
  entered(projectId: string): Promise<void>;
  /** Who is online in the project, as far as this socket knows; nobody before the first message. */
  people(projectId: string): UserPresence[];
  /** Is live assignment degraded? Null before the first message. */
  degraded(): boolean | null;
  /** Reports where this tab is. */
  reportPresence(where: PresenceReport): void;
  isOpen(): boolean;
  /** Waits until the server has closed the socket; the reason by Socket.IO's name. */
  closed(): Promise<string>;
  /** Closes the socket. Throws on a gap in a `seq`, or an event outside the contract. */
  close(): void;
}

/** Opens a socket to one process as the page does. Throws the server's refusal. */
export async function connectLive(person: Person, via: { process?: number } = {}): Promise<Live> {
  const { testEnv } = person;
  const socket: Socket<ServerToClient, ClientToServer> = io(testEnv.url(via.process), {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { origin: testEnv.baseUrl, cookie: person.cookieHeader() },
  });
  const live = trackEvents(socket);
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  socket.once('connect_error', reject);
  socket.once('rooms', () => resolve(undefined));
  await promise.catch((error: unknown) => {
    socket.close();
    throw error;
  });
  return live;
}

function trackEvents(socket: Socket<ServerToClient, ClientToServer>): Live {
  const events = new ObservedList<DomainEvent>('fact');
  const entries = new ObservedList<string>('room');
  const rooms = new Map<string, number>();
  const last = new Map<string, number>();
  const resyncs: { project_id: string | null; reason: string }[] = [];
  const people = new Map<string, PresenceByUser>();
  let degraded: boolean | null = null;
  const faults: unknown[] = [];
  const watched = (work: () => void) => {
    try {
      work();
    } catch (fault) {
      faults.push(fault);
      events.fail(fault);
    }
  };
  const gone = new Promise<string>((resolve) => socket.once('disconnect', (reason) => resolve(reason)));

  socket.on('rooms', (list) => {
    for (const { project_id: projectId, seq } of list) {
      // After leaving and coming back the sequence starts again; the snapshot covers what was missed.
      last.set(projectId, Math.max(seq, last.get(projectId) ?? 0));
      rooms.set(projectId, seq);
      entries.add(projectId);
    }
  });
  socket.on('resync', (hint) => resyncs.push(hint));
  socket.on('assignment', (state) => (degraded = state.degraded));
  socket.on('presence', (change) =>
    people.set(change.project_id, applyPresenceChange(people.get(change.project_id) ?? new Map(), change)),
  );
  socket.on('events', (frame) => watched(() => frame.forEach((sent) => take(sent))));
  const take = (sent: DomainEvent) => {
    const parsed = exactEvent(sent);
    const before = last.get(parsed.project_id);
    const start = rooms.get(parsed.project_id) ?? 0;
    // Another socket of the room may be behind: events before this socket's start may come, and are ignored.
    if (before !== undefined && parsed.seq > start) expect(parsed.seq, 'seq without gaps').toBe(before + 1);
    last.set(parsed.project_id, Math.max(parsed.seq, before ?? 0));
    events.add(parsed);
  };

  return {
    events: events.all,
    rooms,
    resyncs,
    next: (type, fits = () => true, within) =>
      events.next((one) => one.type === type && fits(one as DomainEventOf<typeof type>), type, within),
    entered: async (projectId) => {
      if (!rooms.has(projectId)) await entries.next((id) => id === projectId, projectId);
    },
    people: (projectId) => [...(people.get(projectId)?.values() ?? [])].sort((a, b) => a.name.localeCompare(b.name)),
    degraded: () => degraded,
    reportPresence: (where) => void socket.emit('presence', where),
    isOpen: () => socket.connected,
    closed: () => gone,
    close: () => {
      socket.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}

function exactEvent(sent: unknown): DomainEvent {
  const parsed = z.parse(domainEvent, sent);
  expect(parsed).toEqual(sent);
  return parsed;
}
