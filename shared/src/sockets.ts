// The socket protocol, both directions (docs/spec/live-events.md). Commands go by HTTP: a client says only where it is.
import { z } from 'zod';
import type { DomainEvent } from './events.ts';
import { uuid } from './ids.ts';

/**
 * Counts the changes of socket events and of the dashboard API that an older page cannot read. A page sends the number that it was
 * built with as `auth.protocol`; one with a lower number is refused with `outdated_page` and loads itself again. Clients that send
 * none are let in.
 */
export const PROTOCOL = 2;

/** Seconds-long silences never happen by design: bursts are one frame, held back at most this long. */
export const COALESCE_MS = 25;

/**
 * Where one tab is: the item on show with its project, or neither. `idle` while the tab is hidden or saw no input for a minute.
 * The server passes it on only to the rooms this socket is in.
 */
export const presenceReport = z
  .strictObject({ project_id: uuid.nullable(), item_id: uuid.nullable(), idle: z.boolean() })
  .refine(({ project_id, item_id }) => (project_id === null) === (item_id === null));
export type PresenceReport = z.infer<typeof presenceReport>;

/** Somebody who has the product open now, all their tabs together. */
export interface UserPresence {
  user_id: string;
  name: string;
  /** None of their tabs is in use. */
  idle: boolean;
  /** The items of this project on show in their tabs. */
  viewing: string[];
}

/** Who is online in one project. With `whole` it replaces what was known; otherwise it changes it. Never in the ledger. */
export interface PresenceChange {
  project_id: string;
  snapshot: boolean;
  online: UserPresence[];
  /** User ids. */
  left: string[];
}

export interface ServerToClient {
  /** Facts of one project in `seq` order, without gaps within the array. */
  events: (facts: DomainEvent[]) => void;
  /** The rooms this socket is in and the ledger position each starts from. Sent on connect and when membership changes. */
  rooms: (rooms: { project_id: string; seq: number }[]) => void;
  /** Something may have been missed: fetch the snapshot again. */
  resync: (hint: { project_id: string | null; reason: string }) => void;
  /** Whole on entering a room, then what changed. */
  presence: (change: PresenceChange) => void;
  /** The figures of a project moved, up to this place of its ledger: to those who may see them, at most once a second. Never in the ledger. */
  metrics: (tick: { project_id: string; seq: number }) => void;
  /** The seats that are offered to this person are not what they were: read them again (PM5). */
  offers: () => void;
  /** Sent on connect and when it changes: without the lock store claims go by the fence alone (LC6). */
  assignment: (state: { degraded: boolean }) => void;
}

export interface ClientToServer {
  presence: (where: PresenceReport) => void;
}
