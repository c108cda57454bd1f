// Days and hours of time zones through clock changes, and windows as rows of grains, without overlaps or gaps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsOf, piecesOf, type Bucket } from './calendar.ts';

const HOUR = 3_600_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Havana',
  'Africa/Cairo',
];
const days = (zone: string, from: string, to: string) =>
  bucketsOf({ from: Date.parse(from), to: Date.parse(to) }, 'day', zone).map((at) => new Date(at).toISOString());
const hoursBetween = (starts: string[]) =>
  starts.slice(1).map((start, before) => (Date.parse(start) - Date.parse(starts[before] ?? '')) / HOUR);

describe('AN6: days are those of the project’s zone', () => {
  it.each([
    [
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'],
      [24, 23, 24],
    ],
    [
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00'],
      [24, 25, 24],
    ],
    [
      'America/St_Johns',
      '2026-03-07T12:00:00Z',
      ['2026-03-07T03:30', '2026-03-08T03:30', '2026-03-09T02:30', '2026-03-10T02:30'],
      [24, 23, 24],
    ],
    [
      'Asia/Kathmandu',
      '2026-03-28T12:00:00Z',
      ['2026-03-27T18:15', '2026-03-28T18:15', '2026-03-29T18:15', '2026-03-30T18:15'],
      [24, 24, 24],
    ],
    // Midnight itself is skipped there: the day begins at one.
    [
      'Africa/Cairo',
      '2026-04-23T12:00:00Z',
      ['2026-04-22T22:00', '2026-04-23T22:00', '2026-04-24T21:00', '2026-04-25T21:00'],
      [24, 23, 24],
    ],
  ])('finds the starts and lengths of the days of %s from %s', (zone, from, starts, hours) => {
    const to = new Date(Date.parse(from) + 72 * HOUR).toISOString();
    const found = days(zone, from, to);
    expect(found).toEqual(starts.map((start) => `${start}:00.000Z`));
    expect(hoursBetween(found)).toEqual(hours);
  });

  it('buckets of any zone follow each other without a gap, and begin where its clocks say', () => {
    const moment = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2035-01-01') });
    fc.assert(
      fc.property(moment, fc.constantFrom(...ZONES), fc.constantFrom<Bucket>('hour', 'day'), (from, zone, bucket) => {
        const to = from + 40 * (bucket === 'day' ? 24 : 1) * HOUR;
        const starts = bucketsOf({ from, to }, bucket, zone);
        expect(starts[0]).toBeLessThanOrEqual(from);
        expect(starts[1]).toBeGreaterThan(from);
        const dates = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
        starts.slice(1).forEach((start, before) => {
          expect(start).toBeGreaterThan(starts[before] ?? 0);
          if (bucket === 'day') expect(dates.format(start)).not.toBe(dates.format(start - 1));
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('AN6: a window as rows', () => {
  it('covers every minute of it exactly once', () => {
    const minute = fc.integer({ min: 0, max: 5 * 24 * 60 }).map((n) => n * 60_000);
    const sizes = { minute: 60_000, hour: HOUR, day: 24 * HOUR };
    fc.assert(
      fc.property(minute, minute, (low, high) => {
        const pieces = piecesOf(low, high);
        const ends = pieces.reduce((at, piece) => {
          expect([piece.low, piece.low % sizes[piece.grain], piece.high % sizes[piece.grain]]).toEqual([at, 0, 0]);
          return piece.high;
        }, low);
        expect(ends).toBe(Math.max(low, high));
        expect(pieces.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});
