// Tests which days the calendar has.
import { describe, expect, it } from 'vitest';
import { startsWithDay } from './calendar-day.ts';

const DAY_MS = 86_400_000;

describe('startsWithDay', () => {
  it.each([
    '2026-01-31',
    '2026-02-28T10:00:00Z',
    '2024-02-29',
    '2000-02-29',
    '0001-01-01',
    '9999-12-31T23:59:59+02:00',
  ])('accepts %s', (text) => expect(startsWithDay(text)).toBe(true));

  it.each([
    '2026-02-29T10:00:00Z',
    '2026-02-30',
    '1900-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '0000-01-01',
    '2026-01-011',
    '12026-01-01',
    '2026-1-1',
    'soon',
    '',
  ])('refuses %j', (text) => expect(startsWithDay(text)).toBe(false));

  it('accepts every day of four centuries', () => {
    const first = Date.parse('1900-01-01T00:00:00Z');
    const days = Array.from({ length: 146_097 }, (_, at) => new Date(first + at * DAY_MS).toISOString());
    expect(days.filter((day) => !startsWithDay(day))).toEqual([]);
  });
});
