// Quantile bins: no item is lost, no group is split, and bins do not overlap.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantileBins, type AtConfidence } from './calibration.ts';

const groups = fc
  .uniqueArray(fc.record({ confidence: fc.integer({ min: 0, max: 1000 }), n: fc.integer({ min: 1, max: 50 }) }), {
    selector: ({ confidence }) => confidence,
    minLength: 1,
  })
  .map((list) =>
    list
      .sort((a, b) => a.confidence - b.confidence)
      .map(({ confidence, n }): AtConfidence => ({ confidence: confidence / 1000, n, unchanged: n >> 1 })),
  );

describe('AN22: quantile bins', () => {
  it('hold every item once, in at most ten bins that do not overlap', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const bins = quantileBins(list, false);
        const sum = (of: readonly { n: number; unchanged: number }[], key: 'n' | 'unchanged') =>
          of.reduce((total, one) => total + one[key], 0);
        expect(bins.length).toBeLessThanOrEqual(10);
        expect([sum(bins, 'n'), sum(bins, 'unchanged')]).toEqual([sum(list, 'n'), sum(list, 'unchanged')]);
        bins.slice(1).forEach(({ low }, before) => expect(low).toBeGreaterThan(bins[before]?.high ?? 2));
      }),
    );
  });

  it('are even where there are many confidences, and keep items of one confidence together', () => {
    const even = Array.from({ length: 100 }, (_, n) => ({ confidence: n / 100, n: 1, unchanged: 1 }));
    expect(quantileBins(even, true).map(({ n }) => n)).toEqual(Array.from({ length: 10 }, () => 10));
    const two = [
      { confidence: 0.3, n: 97, unchanged: 30 },
      { confidence: 0.9, n: 3, unchanged: 3 },
    ];
    expect(quantileBins(two, false)).toMatchObject([
      { low: 0.3, high: 0.3, n: 97, unchanged: 30 },
      { low: 0.9, high: 0.9, n: 3, unchanged: 3 },
    ]);
    expect(quantileBins([], false)).toEqual([]);
  });
});
