// Tests percentiles of histograms against those of the durations: within the promised error, also after merging.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKET_RATIO, bucketOf, percentileOf, type Histogram } from './histogram.ts';

const durations = fc.array(fc.double({ min: 1, max: 4e10, noNaN: true }), { minLength: 1, maxLength: 200 });

function histogramOf(ms: readonly number[]): Histogram {
  const counts = new Map<number, number>();
  for (const one of ms) counts.set(bucketOf(one), (counts.get(bucketOf(one)) ?? 0) + 1);
  return counts;
}

const merged = (one: Histogram, other: Histogram): Histogram =>
  new Map(
    [...new Set([...one.keys(), ...other.keys()])].map((key) => [key, (one.get(key) ?? 0) + (other.get(key) ?? 0)]),
  );

/** PostgreSQL's `percentile_cont`. */
function exact(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below = NaN, above = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}

describe('AN3: percentiles', () => {
  it('are within 4.5 % of the exact ones', () => {
    fc.assert(
      fc.property(durations, fc.constantFrom(0, 0.5, 0.9, 0.99, 1), (ms, share) => {
        const ratio = (percentileOf(histogramOf(ms), share) ?? NaN) / exact(ms, share);
        expect(Math.max(ratio, 1 / ratio)).toBeLessThanOrEqual(BUCKET_RATIO + 1e-9);
      }),
    );
    expect(BUCKET_RATIO).toBeLessThan(1.045);
  });

  it('are the same for the whole and for its merged parts', () => {
    fc.assert(
      fc.property(durations, durations, (one, other) => {
        const together = merged(histogramOf(one), histogramOf(other));
        expect(percentileOf(together, 0.9)).toBe(percentileOf(histogramOf([...one, ...other]), 0.9));
      }),
    );
  });

  it('are null without durations, and when all of them were subtracted again', () => {
    expect(percentileOf(new Map(), 0.5)).toBeNull();
    expect(percentileOf(new Map([[4, 0]]), 0.5)).toBeNull();
  });

  it('have a first bucket for durations of zero or less', () => {
    expect([bucketOf(-5), bucketOf(0), bucketOf(0.9), bucketOf(1), bucketOf(2)]).toEqual([0, 0, 0, 0, 16]);
  });
});
