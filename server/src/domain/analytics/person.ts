// The figures of one person (PF1): their hours summed by day and by hour of the day, and those of everybody together.
import { wilson } from '@countersign/shared/statistics/statistics';
import { hourOfDay } from './calendar.ts';
import type { Figure } from './report.ts';

/** What a person decided in the hour from `start` (ms). */
export interface HourFigure {
  start: number;
  decided: number;
  overridden: number;
}

const HOURS = 24;

/**
 * The hours summed by day, and by hour of the day in the zone. `days`: when each day begins, in ms and in order, the first at or
 * before the first hour. An hour that the clocks repeat counts twice, one that they skip never.
 */
export function byDayAndHour(hours: readonly HourFigure[], days: readonly number[], zone: string) {
  const byDay = days.map((start) => ({ at: new Date(start).toISOString(), decided: 0, overridden: 0 }));
  const byHour = Array.from({ length: HOURS }, () => 0);
  for (const { start, decided, overridden } of hours) {
    if (decided === 0 && overridden === 0) continue;
    const day =
      byDay[
        Math.max(
          0,
          days.findLastIndex((first) => first <= start),
        )
      ];
    if (day !== undefined) {
      day.decided += decided;
      day.overridden += overridden;
    }
    const hour = hourOfDay(start, zone);
    byHour[hour] = (byHour[hour] ?? 0) + decided;
  }
  return { days: byDay, hours: byHour };
}

/** Decisions and overrides of all people of the figures. */
export function everybodyIn(figures: readonly Figure[]) {
  const people = figures.filter(({ measure }) => measure === 'reviewer');
  const decided = people.reduce((sum, { n }) => sum + n, 0);
  const overridden = people.reduce((sum, { part }) => sum + part, 0);
  return { decided, overridden, interval: wilson(overridden, decided) };
}
