// The doorbells: NOTIFY channels by what happened. Payloads carry no data that is not in the tables.

/** Facts were recorded: payload `type,…`. The relay has something to stamp; a decision may have an undo window to wait for. */
export const RECORDED = 'countersign_recorded';
/** Facts were stamped: payload `project:seq,…`, the first new position of each ledger that grew. */
export const STAMPED = 'countersign_stamped';
/** Deliveries are due. */
export const DUE = 'countersign_due';
