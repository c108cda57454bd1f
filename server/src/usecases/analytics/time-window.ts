// From when until when a question about the past is asked.
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

/** Ends now and is so many milliseconds long where nothing else was asked. Errors: `validation_failed` (before 1970, or empty). */
export function timeWindow({ projectId, from, to }: WindowQuery, now: Date, length: number): TimeWindow {
  const end = to ?? now;
  const start = from ?? new Date(end.getTime() - length);
  if (start.getTime() < 0) throw badWindow('#/from', 'The window must start in 1970 or later.');
  if (end.getTime() <= start.getTime()) throw badWindow('#/from', 'The window must end after it starts.');
  return { projectId, from: start, to: end };
}

/** The last 30 days where nothing else was asked. Errors: as `timeWindow`. */
export const monthWindow = (query: WindowQuery, now: Date): TimeWindow => timeWindow(query, now, WINDOW_MS);

const MINUTE_MS = 60_000;
/** Times have four digits for the year: the last minute of them. */
const LAST = Date.UTC(9999, 11, 31, 23, 59);

/** The whole minutes that the window lies in: it begins at or before it and ends at or after it (AN6). */
export const wholeMinutes = ({ projectId, from, to }: TimeWindow): TimeWindow => ({
  projectId,
  from: new Date(Math.floor(from.getTime() / MINUTE_MS) * MINUTE_MS),
  to: new Date(Math.min(LAST, Math.ceil(to.getTime() / MINUTE_MS) * MINUTE_MS)),
});

export function badWindow(pointer: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'invalid', detail }] });
}
