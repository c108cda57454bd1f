// The figures of a person as the page shows them: shares with their intervals, active days, and the busiest hours.
import { count, share, UNKNOWN } from '#lib/format/format.ts';
import type { PersonFigures } from '@countersign/shared/schemas/team';
import { personMessages } from './person-messages.ts';

type Judged = Pick<PersonFigures, 'decided' | 'overridden' | 'interval'>;

/** A share with its interval and n. `agreed`: of those that were not overridden. */
export function rateOf({ decided, overridden, interval }: Judged, agreed = false) {
  const { overrides } = personMessages;
  if (interval === null) return { value: UNKNOWN, detail: overrides.none };
  const [low, high] = agreed ? [1 - interval.high, 1 - interval.low] : [interval.low, interval.high];
  return {
    value: share(agreed ? decided - overridden : overridden, decided),
    detail: overrides.interval(share(low, 1), share(high, 1), count(decided)),
  };
}

/** How many days have decisions, and how many decisions those have on average. */
export function activeDays(days: PersonFigures['days']): { days: number; each: number } {
  const active = days.filter(({ decided }) => decided > 0);
  const decided = active.reduce((sum, day) => sum + day.decided, 0);
  return { days: active.length, each: active.length === 0 ? 0 : decided / active.length };
}

/** The first of the `length` hours in a row, also over midnight, with most decisions; null without any. */
export function busiestHours(hours: readonly number[], length: number): number | null {
  if (!hours.some((n) => n > 0)) return null;
  const sumFrom = (first: number) =>
    Array.from({ length }, (_, at) => hours[(first + at) % hours.length] ?? 0).reduce((sum, n) => sum + n, 0);
  const sums = hours.map((_, first) => sumFrom(first));
  return sums.indexOf(Math.max(...sums));
}
