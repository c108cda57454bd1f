// What a range asks for, and how the server's buckets become the steps of the plot.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryOf, rangeOf, stretches, stretchName, ticksOf, zoneName } from './range.ts';

const at = (time: string) => new Date(`2026-11-20T${time}Z`);
const minutes = (from: string, counts: [arrived: number, decided: number][]) =>
  counts.map(([arrived, decided], index) => ({
    at: new Date(at(from).getTime() + index * 60_000).toISOString(),
    arrived,
    decided,
  }));

describe('rangeOf', () => {
  it('reads the address, and takes the last day for anything it does not know', () => {
    expect(rangeOf('week')).toBe('week');
    expect(rangeOf('century')).toBe('day');
    expect(rangeOf(null)).toBe('day');
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

describe('stretches', () => {
  const flow = minutes('13:02:00', [...Array.from({ length: 8 }, (): [number, number] => [1, 0]), [2, 5], [0, 1]]);
  const report = { from: '2026-11-20T13:02:37.000Z', to: '2026-11-20T13:11:20.000Z', bucket: 'minute' as const, flow };

  it('joins minutes by the clock, and says which steps are not whole', () => {
    const [first, second, third, ...none] = stretches('hour', report);
    expect(first).toEqual({
      start: at('13:02:00').getTime(),
      end: at('13:05:00').getTime(),
      arrived: 3,
      decided: 0,
      partial: true,
    });
    expect(second).toMatchObject({ start: at('13:05:00').getTime(), arrived: 5, decided: 0, partial: false });
    expect(third).toMatchObject({ end: at('13:12:00').getTime(), arrived: 2, decided: 6, partial: true });
    expect(none).toEqual([]);
  });

  it('says that a bucket the window cuts is not whole, at both ends', () => {
    const hours = ['13', '14', '15'].map((hour) => ({ at: `2026-11-20T${hour}:00:00.000Z`, arrived: 1, decided: 1 }));
    const steps = stretches('day', {
      from: '2026-11-20T13:00:01.000Z',
      to: '2026-11-20T15:59:59.000Z',
      bucket: 'hour',
      flow: hours,
    });
    expect(steps.map(({ partial }) => partial)).toEqual([true, false, true]);
  });

  it('loses nothing and counts nothing twice', () => {
    const count = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { maxLength: 90 }), (counts) => {
        const steps = stretches('hour', { ...report, flow: minutes('13:02:00', counts) });
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
        expect(sum(steps.map(({ arrived }) => arrived))).toBe(sum(counts.map(([arrived]) => arrived)));
        expect(sum(steps.map(({ decided }) => decided))).toBe(sum(counts.map(([, decided]) => decided)));
        expect(steps.every((step, index) => index === 0 || step.start === steps[index - 1]?.end)).toBe(true);
      }),
    );
  });

  it('begins six-hour steps at the reader’s midnight', () => {
    const noon = new Date(2026, 10, 20, 9).getTime();
    const hours = Array.from({ length: 24 }, (_, index) => ({
      at: new Date(noon + index * 3_600_000).toISOString(),
      arrived: 1,
      decided: 0,
    }));
    const end = new Date(noon + 24 * 3_600_000).toISOString();
    const steps = stretches('week', { from: new Date(noon).toISOString(), to: end, bucket: 'hour', flow: hours });
    expect(steps.map(({ start }) => new Date(start).getHours())).toEqual([9, 12, 18, 0, 6]);
    expect(steps.map(({ partial }) => partial)).toEqual([true, false, false, false, true]);
    expect(ticksOf('week', steps)).toHaveLength(1);
  });
});

describe('words', () => {
  it('name a day of the server as it counts it, in UTC', () => {
    const start = Date.parse('2026-11-20T00:00:00Z');
    expect(stretchName('month', { start, end: start + 86_400_000 })).toMatch(/20/);
  });

  it('name the reader’s zone', () => {
    expect(zoneName('Europe/Lisbon')).toBe('Lisbon time');
    expect(zoneName('America/Argentina/Buenos_Aires')).toBe('Buenos Aires time');
    expect(zoneName('UTC')).toBe('UTC');
  });
});
