// Parses the time window of a query about the past, with its defaults.
import { Refusal } from '@countersign/shared/errors';
import { WINDOW_MS } from '../../domain/audits/audit-start.ts';

export interface WindowQuery {
  projectId: string;
  from: Date | undefined;
  to: Date | undefined;
}

export interface TimeWindow {
  projectId: string;
  from: Date;
  to: Date;
}

/** The requested window; by default it ends now and is `length` ms long. Errors: `validation_failed` (before 1970, or empty). */
export function timeWindow({ projectId, from, to }: WindowQuery, now: Date, length: number): TimeWindow {
  const end = to ?? now;
  const start = from ?? new Date(end.getTime() - length);
  if (start.getTime() < 0) throw badWindow('#/from', 'The window must start in 1970 or later.');
  if (end.getTime() <= start.getTime()) throw badWindow('#/from', 'The window must end after it starts.');
  return { projectId, from: start, to: end };
}

/** The requested window; by default the last 30 days. Errors: as `timeWindow`. */
export const monthWindow = (query: WindowQuery, now: Date): TimeWindow => timeWindow(query, now, WINDOW_MS);

const MINUTE_MS = 60_000;
/** The last minute with a four-digit year. */
const LAST = Date.UTC(9999, 11, 31, 23, 59);

/** The window extended to whole minutes at both ends (AN6). */
export const wholeMinutes = ({ projectId, from, to }: TimeWindow): TimeWindow => ({
  projectId,
  from: new Date(Math.floor(from.getTime() / MINUTE_MS) * MINUTE_MS),
  to: new Date(Math.min(LAST, Math.ceil(to.getTime() / MINUTE_MS) * MINUTE_MS)),
});

export function badWindow(pointer: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'invalid', detail }] });
}
