// The socket protocol in both directions (docs/spec/live-events.md); clients only report their presence.
import type { DomainEvent } from './schemas/parts/events.ts';
import type { PresenceReport } from './schemas/parts/presence-report.ts';

/**
 * Counts the changes of socket events and of the dashboard API that an older page cannot read. A page sends the number that it was
 * built with as `auth.protocol`; one with a lower number is refused with `outdated_page` and loads itself again. Clients that send
 * none are let in.
 */
export const PROTOCOL = 5;

/** Events of a burst are coalesced into one frame, delayed by at most this long. */
export const COALESCE_MS = 25;

/** A user who has the product open now, all their tabs together. */
export interface UserPresence {
  user_id: string;
  name: string;
  /** They are away: none of their tabs is in use. */
  idle: boolean;
  /** The items of this project that are open in their tabs. */
  viewing: string[];
}

/**
 * Who is online in one project. With `snapshot` it replaces the known presence; otherwise it is a change. Never in the
 * event log.
 */
export interface PresenceChange {
  project_id: string;
  snapshot: boolean;
  online: UserPresence[];
  /** User IDs. */
  left: string[];
}

export interface ServerToClient {
  /** Events of one project in `seq` order, without gaps within the array. */
  events: (events: DomainEvent[]) => void;
  /**
   * The rooms of this socket and the event log position that each starts from. Sent on connect and when membership
   * changes.
   */
  rooms: (rooms: { project_id: string; seq: number }[]) => void;
  /** Events may have been missed: fetch the snapshot again. */
  resync: (hint: { project_id: string | null; reason: string }) => void;
  /** Complete on entering a room and to a client that read too slowly for a change, otherwise changes. */
  presence: (change: PresenceChange) => void;
  /**
   * The figures of a project changed, up to this event log position: sent to members who may see them, at most once a
   * second. Never in the event log.
   */
  metrics: (tick: { project_id: string; seq: number }) => void;
  /** The membership offers to this user changed: fetch them again (PM5). */
  offers: () => void;
  /** Sent on connect and on change: without the lock store, claims rely on the fence alone (LC6). */
  assignment: (state: { degraded: boolean }) => void;
}

export interface ClientToServer {
  presence: (where: PresenceReport) => void;
}
