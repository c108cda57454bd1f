// The query of a range, and how the server's buckets become the steps of the plot.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeOfDay, zoneName } from '#lib/format/format.ts';
import {
  queryOf,
  rangeOf,
  timeBucketsOf,
  timeBucketTicks,
  flowBuckets,
  flowBucketName,
  ticksOf,
  windowName,
} from './range.ts';

const at = (time: string) => new Date(`2026-11-20T${time}Z`);
const minutes = (from: string, counts: [enqueued: number, decided: number][]) =>
  counts.map(([enqueued, decided], index) => ({
    at: new Date(at(from).getTime() + index * 60_000).toISOString(),
    enqueued,
    decided,
    ...{ queued: index, escalated: 1 },
  }));

const DAY = 24 * 60 * 60_000;

describe('rangeOf', () => {
  it.each([
    ['week', 0, 'week'],
    ['century', 0, 'day'],
    [null, -1, 'day'],
    [null, DAY, 'day'],
    [null, DAY + 1, 'week'],
    [null, 7 * DAY, 'week'],
    [null, 21 * DAY, 'month'],
    [null, 400 * DAY, 'month'],
  ])('is that of the URL, or shows all of a young project: %s, %d ms old', (asked, age, range) => {
    expect(rangeOf(asked, age)).toBe(range);
  });
});

describe('queryOf', () => {
  it('ends now and begins one range earlier', () => {
    const now = at('14:02:37').getTime();
    expect(queryOf('hour', now)).toEqual({ from: '2026-11-20T13:02:37.000Z', bucket: 'minute' });
    expect(queryOf('week', now)).toEqual({ from: '2026-11-13T14:02:37.000Z', bucket: 'hour' });
    expect(queryOf('month', now).bucket).toBe('day');
  });
});

describe('flowBuckets', () => {
  const flow = minutes('13:02:00', [...Array.from({ length: 8 }, (): [number, number] => [1, 0]), [2, 5], [0, 1]]);
  const report = {
    from: '2026-11-20T13:02:37.000Z',
    to: '2026-11-20T13:11:20.000Z',
    bucket: 'minute' as const,
    time_zone: 'UTC',
    flow,
  };

  it('joins minutes by the clock, and marks partial steps', () => {
    const [first, second, third, ...none] = flowBuckets('hour', report);
    expect(first).toEqual({
      start: at('13:02:00').getTime(),
      end: at('13:05:00').getTime(),
      enqueued: 3,
      decided: 0,
      ...{ queued: 2, escalated: 1 },
      partial: true,
    });
    expect(second).toMatchObject({ start: at('13:05:00').getTime(), enqueued: 5, decided: 0, partial: false });
    expect(third).toMatchObject({ end: at('13:12:00').getTime(), enqueued: 2, decided: 6, partial: true });
    expect(none).toEqual([]);
  });

  it('marks a bucket cut by the window as partial, at both ends', () => {
    const hours = ['13', '14', '15'].map((hour) => ({
      at: `2026-11-20T${hour}:00:00.000Z`,
      enqueued: 1,
      decided: 1,
      queued: 0,
      escalated: 0,
    }));
    const steps = flowBuckets('day', {
      from: '2026-11-20T13:00:01.000Z',
      to: '2026-11-20T15:59:59.000Z',
      bucket: 'hour',
      time_zone: 'UTC',
      flow: hours,
    });
    expect(steps.map(({ partial }) => partial)).toEqual([true, false, true]);
  });

  it('loses nothing and counts nothing twice', () => {
    const count = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { maxLength: 90 }), (counts) => {
        const steps = flowBuckets('hour', { ...report, flow: minutes('13:02:00', counts) });
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
        expect(sum(steps.map(({ enqueued }) => enqueued))).toBe(sum(counts.map(([enqueued]) => enqueued)));
        expect(sum(steps.map(({ decided }) => decided))).toBe(sum(counts.map(([, decided]) => decided)));
        expect(steps.every((step, index) => index === 0 || step.start === steps[index - 1]?.end)).toBe(true);
      }),
    );
  });

  it('AN6: begins six-hour steps at the zone’s midnight', () => {
    const nine = Date.parse('2026-11-20T03:15:00Z');
    const hours = Array.from({ length: 24 }, (_, index) => ({
      at: new Date(nine + index * 3_600_000).toISOString(),
      ...{ enqueued: 1, decided: 0, queued: 0, escalated: 0 },
    }));
    const window = { from: new Date(nine).toISOString(), to: new Date(nine + 24 * 3_600_000).toISOString() };
    const steps = flowBuckets('week', { ...window, bucket: 'hour', time_zone: 'Asia/Kathmandu', flow: hours });
    const begins = steps.map(({ start }) => new Date(start).toISOString().slice(11, 16));
    expect(begins).toEqual(['03:15', '06:15', '12:15', '18:15', '00:15']);
    expect(steps.map(({ partial }) => partial)).toEqual([true, false, false, false, true]);
    expect(ticksOf('week', steps, 'Asia/Kathmandu')).toHaveLength(1);
  });

  it.each([
    [
      'forward',
      '2026-03-28T00:00:00Z',
      ['00:00', '06:00', '12:00', '18:00', '00:00', '05:00', '11:00', '17:00', '23:00'],
    ],
    ['back', '2026-10-24T00:00:00+01:00', ['23:00', '05:00', '11:00', '17:00', '23:00', '06:00', '12:00', '18:00']],
  ])('AN6: a step in which the clocks go %s is one complete step', (_, from, begins) => {
    const first = Date.parse(from);
    const hours = Array.from({ length: 48 }, (_bucket, index) => ({
      at: new Date(first + index * 3_600_000).toISOString(),
      ...{ enqueued: 1, decided: 0, queued: 0, escalated: 0 },
    }));
    const window = { from: new Date(first).toISOString(), to: new Date(first + 48 * 3_600_000).toISOString() };
    const steps = flowBuckets('week', { ...window, bucket: 'hour', time_zone: 'Europe/Lisbon', flow: hours });
    expect(steps.map(({ start }) => new Date(start).toISOString().slice(11, 16))).toEqual(begins);
    expect(steps.slice(0, -1).every(({ partial }) => !partial)).toBe(true);
  });
});

describe('time texts', () => {
  it('name a day in the project’s zone', () => {
    const start = Date.parse('2026-11-20T00:00:00Z');
    expect(flowBucketName('month', { start, end: start + 86_400_000 }, 'UTC')).toMatch(/20/);
  });

  it('time texts name the zone', () => {
    expect(zoneName('Europe/Lisbon')).toBe('Lisbon time');
    expect(zoneName('America/Argentina/Buenos_Aires')).toBe('Buenos Aires time');
    expect(zoneName('UTC')).toBe('UTC');
  });

  it('AN28: use UTC for a zone that the browser does not know, and the page says so', () => {
    const zone = 'Europe/Atlantis';
    expect(zoneName(zone)).toBe('UTC (this browser does not know Europe/Atlantis)');
    const report = { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:00:00.000Z', time_zone: zone };
    expect(windowName('hour', report)).toBe(windowName('hour', { ...report, time_zone: 'UTC' }));
    const start = Date.parse(report.from);
    expect(ticksOf('hour', [{ start }], zone)).toEqual(ticksOf('hour', [{ start }], 'UTC'));
    expect(timeOfDay(report.from, zone)).toBe(timeOfDay(report.from, 'UTC'));
  });
});

describe('timeBucketsOf', () => {
  const times = { p50: 4, p90: 8, p99: 9 };
  const none = { p50: null, p90: null, p99: null };

  it("uses the server's buckets, each with its own length, and no duration without decisions", () => {
    const [first, second] = [Date.parse('2026-10-25T00:00:00+01:00'), Date.parse('2026-10-26T00:00:00Z')];
    const flow = [
      { at: new Date(first).toISOString(), time: { n: 2, ...times } },
      { at: new Date(second).toISOString(), time: { n: 0, ...none } },
    ] as unknown as Parameters<typeof timeBucketsOf>[0]['flow'];
    expect(timeBucketsOf({ bucket: 'day', flow })).toEqual([
      { start: first, end: second, n: 2, times },
      { start: second, end: second + 86_400_000, n: 0, times: null },
    ]);
  });

  it('labels the midnights of a week', () => {
    const hour = 3_600_000;
    const timeBuckets = Array.from({ length: 48 }, (_, index) => {
      const start = at('00:00:00').getTime() + index * hour;
      return { start, end: start + hour, n: 0, times: null };
    });
    expect(timeBucketTicks('week', timeBuckets, 'UTC').map(({ at: moment }) => moment)).toEqual([
      at('00:00:00').getTime(),
      at('00:00:00').getTime() + 24 * hour,
    ]);
  });
});
