// Tells whether a text begins with a day that the calendar has. Pure.

const DAY = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const FEBRUARY = 2;

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * Whether a date, or a moment such as `2026-01-31T10:00:00Z`, is on a real day. `Date.parse` reads February 30 as March 2, and a
 * browser's own field shows it empty. Years begin with 1, as in those fields.
 */
export function startsWithDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = DAY.exec(text)?.slice(1).map(Number) ?? [];
  const days = (DAYS_IN_MONTH[month - 1] ?? 0) + (month === FEBRUARY && isLeapYear(year) ? 1 : 0);
  return year > 0 && day > 0 && day <= days;
}
