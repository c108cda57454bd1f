// The time window of an analytics query, in whole minutes and in buckets of the project's time zone (AN6).
import { bucketsOf, type Bucket } from '../../domain/analytics/calendar.ts';
import { badWindow, timeWindow, type WindowQuery, wholeMinutes } from './time-window.ts';

export interface AnalyticsQuery extends WindowQuery {
  bucket: Bucket | undefined;
}

/** All times are in ms. */
export interface Window {
  from: number;
  to: number;
  bucket: Bucket;
  /** When each bucket begins; the first may begin before the window. */
  starts: number[];
}

const BUCKET_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const satisfies Record<Bucket, number>;
const DEFAULT_SPAN_MS = 24 * BUCKET_MS.hour;
/** More buckets than this cannot be shown, and would not be a bounded query. */
const MAX_BUCKETS = 1500;

/** Errors: `validation_failed` (an empty window, or too many buckets). */
export function windowOf(query: AnalyticsQuery, zone: string, now: Date): Window {
  const asked = timeWindow(query, now, DEFAULT_SPAN_MS);
  const span = asked.to.getTime() - asked.from.getTime();
  const bucket = query.bucket ?? (span <= 2 * BUCKET_MS.hour ? 'minute' : span <= 8 * BUCKET_MS.day ? 'hour' : 'day');
  if (span / BUCKET_MS[bucket] > MAX_BUCKETS) throw badWindow('#/bucket', 'Choose a shorter window or a wider bucket.');
  const { from, to } = wholeMinutes(asked);
  const whole = { from: from.getTime(), to: to.getTime() };
  return { ...whole, bucket, starts: bucketsOf(whole, bucket, zone) };
}
