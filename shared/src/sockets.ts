// The socket protocol, both directions (CONTRACT section 5). Commands go by HTTP: a client sends nothing.
import type { Fact } from './events.ts';

/** Seconds-long silences never happen by design: bursts are one frame, held back at most this long. */
export const COALESCE_MS = 25;

export interface ServerToClient {
  /** Facts of one project in `seq` order, without gaps within the array. */
  events: (facts: Fact[]) => void;
  /** The rooms this socket is in and the ledger position each starts from. Sent on connect and when membership changes. */
  rooms: (rooms: { project_id: string; seq: number }[]) => void;
  /** Something may have been missed: fetch the snapshot again. */
  resync: (hint: { project_id: string | null; reason: string }) => void;
}

export type ClientToServer = Record<never, never>;
