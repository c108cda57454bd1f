// The doorbells: NOTIFY channels by what happened. Payloads carry no data that is not in the tables.

/** Facts were recorded: payload `type,…`. The relay has something to stamp; a decision may have an undo window to wait for. */
export const EVENTS_APPENDED = 'countersign_recorded';
/** Stands in that payload for an `item.finalized` that routing made in the moment of arrival. */
export const ARRIVED_FINAL = 'item.arrived_final';
/** Facts were stamped: payload of `stampedText`s, separated by commas. */
export const EVENTS_SEQUENCED = 'countersign_stamped';
/** Figures of a project moved without a fact of their own, as an older ledger was counted: payload the project's id. */
export const COUNTED = 'countersign_counted';
/** Deliveries are due. */
export const DUE = 'countersign_due';
/** What is offered to a person changed: payload their user id. */
export const OFFERED = 'countersign_offered';
/** Sessions were ended by the operator: payload their ids, separated by commas. */
export const SESSIONS_ENDED = 'countersign_sessions_ended';
/** Claims were ended beside the lock store: payload `item:user:fence`, separated by commas. */
export const CLAIMS_ENDED = 'countersign_claims_ended';
/** An API key was revoked: payload its id. */
export const REVOKED = 'countersign_revoked';

/** A ledger that grew. */
export interface EventLogAdvance {
  projectId: string;
  /** The first new position. */
  seq: number;
  /** Whether a fact about the project itself is among them: one of those may let people in or out. */
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
