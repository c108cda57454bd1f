// Tests the sums of a person's hours by day and by hour of the day, through clock changes.
import { expect, it } from 'vitest';
import { bucketsOf } from './calendar.ts';
import { byDayAndHour, everybodyIn } from './person.ts';

const HOUR = 3_600_000;
const ZONE = 'Europe/Lisbon';

it('PF1: sums hours by day and by hour of the day in the zone, also where the clocks go back', () => {
  // 25 October 2026: 01:00 to 02:00 occurs twice, so the day has 25 hours.
  const span = { from: Date.parse('2026-10-24T21:00:00Z'), to: Date.parse('2026-10-26T03:00:00Z') };
  const starts = bucketsOf(span, 'hour', ZONE);
  const hours = starts.map((start) => ({ start, decided: 1, overridden: start < span.from + HOUR ? 1 : 0 }));
  const { days, hours: byHour } = byDayAndHour(hours, bucketsOf(span, 'day', ZONE), ZONE);
  expect(days).toEqual([
    { at: '2026-10-23T23:00:00.000Z', decided: 2, overridden: 1 },
    { at: '2026-10-24T23:00:00.000Z', decided: 25, overridden: 0 },
    { at: '2026-10-26T00:00:00.000Z', decided: 3, overridden: 0 },
  ]);
  expect(byHour.reduce((sum, n) => sum + n, 0)).toBe(starts.length);
  expect([byHour[0], byHour[1], byHour[12], byHour[22]]).toEqual([2, 3, 1, 2]);
});

it('adds up all people, and knows no interval without decisions', () => {
  const of = (key: string, n: number, part: number) => ({ measure: 'reviewer', key, n, part, total: 0 }) as const;
  const moved = { ...of('a', 9, 0), measure: 'mover' } as const;
  expect(everybodyIn([of('a', 3, 1), of('b', 5, 1), moved])).toMatchObject({ decided: 8, overridden: 2 });
  expect(everybodyIn([])).toEqual({ decided: 0, overridden: 0, interval: null });
});
