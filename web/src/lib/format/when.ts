// A time in short form: the time alone if it is today, otherwise with the day.
import { atFirstUse } from './at-first-use.ts';
import { hourAndMinute, timeOfDay } from './format.ts';

const dayClock = atFirstUse(
  () => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
);
const yearClock = atFirstUse(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));

/** Whether an ISO time is of the same day as now (ms), in the user's zone. */
export const isToday = (iso: string, now: number): boolean =>
  new Date(iso).toDateString() === new Date(now).toDateString();

/** An ISO time relative to now, or to a time that stands before it (ms), in the user's zone; seconds, if wanted, only on the same day. */
export function when(iso: string, now: number, { seconds = false } = {}): string {
  const [at, today] = [new Date(iso), new Date(now)];
  if (isToday(iso, now)) return seconds ? timeOfDay(iso) : hourAndMinute(at.getTime());
  return (at.getFullYear() === today.getFullYear() ? dayClock() : yearClock()).format(at);
}
