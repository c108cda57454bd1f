// The interval against published values, and what must hold for every k of n.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wilson } from './wilson.ts';

const counts = fc
  .integer({ min: 1, max: 100_000 })
  .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));

describe('wilson', () => {
  // R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods",
  // Statistics in Medicine 17 (1998) 857-872, table I, method 3 (score, without continuity correction).
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0.0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i is %f to %f, as published', (k, n, low, high) => {
    const interval = wilson(k, n);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it('knows nothing from nothing', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it('holds the rate itself and stays inside 0..1', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const { low, high } = wilson(k, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(k / n);
        expect(high).toBeGreaterThanOrEqual(k / n);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('mirrors: what is left over has the mirrored interval', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const [one, other] = [wilson(k, n), wilson(n - k, n)];
        expect(one.low).toBeCloseTo(1 - other.high, 10);
        expect(one.high).toBeCloseTo(1 - other.low, 10);
      }),
    );
  });

  it('is narrower with ten times as many of the same rate', () => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const [few, many] = [wilson(k, n), wilson(10 * k, 10 * n)];
        expect(many.high - many.low).toBeLessThan(few.high - few.low);
      }),
    );
  });
});
