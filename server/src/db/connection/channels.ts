// The NOTIFY channels by event. Payloads contain no data that is not in the tables.

/**
 * Events were appended: payload `type,…`. The event relay has to assign sequence numbers; a decision may have an undo
 * window to wait for.
 */
export const EVENTS_APPENDED = 'countersign_recorded';
/** The types in that payload. */
export const parseEventTypes = (payload: string): Set<string> => new Set(payload.split(','));
/** In that payload for an `item.finalized` that routing produced on arrival. */
export const ARRIVED_FINAL = 'item.arrived_final';
/** Events got their sequence numbers: payload of `formatAdvance` texts, separated by commas. */
export const EVENTS_SEQUENCED = 'countersign_stamped';
/** Figures of a project changed without an event, while an older event log was counted: payload the project ID. */
export const COUNTED = 'countersign_counted';
/** Deliveries are due. */
export const DUE = 'countersign_due';
/** The offers of a user changed: payload their user ID. */
export const OFFERED = 'countersign_offered';
/** The operator ended sessions: payload their IDs, separated by commas. */
export const SESSIONS_ENDED = 'countersign_sessions_ended';
/** Claims ended without the lock store: payload `item:user:fence`, separated by commas. */
export const CLAIMS_ENDED = 'countersign_claims_ended';
/** An API key was revoked: payload its ID. */
export const REVOKED = 'countersign_revoked';

/** New events in the log of a project. */
export interface EventLogAdvance {
  projectId: string;
  /** The first new sequence number. */
  seq: number;
  /** Whether an event about the project itself is among them: such an event may change who has access. */
  changed: boolean;
}

export const formatAdvance = ({ projectId, seq, changed }: EventLogAdvance): string =>
  `${projectId}:${seq}${changed ? ':changed' : ''}`;

export function parseAdvances(payload: string): EventLogAdvance[] {
  return payload.split(',').flatMap((entry) => {
    const [projectId, seq, changed] = entry.split(':');
    return projectId && seq ? [{ projectId, seq: Number(seq), changed: changed === 'changed' }] : [];
  });
}
