// Scales preserve order and ends; ticks are round, whole, few, and reach the largest figure.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTicks, linear, logarithmic, spanning, thin } from './scale.ts';

describe('scales', () => {
  it('map the ends of the domain to the ends of the range', () => {
    const y = linear([0, 50], [200, 0]);
    expect([y(0), y(25), y(50)]).toEqual([200, 100, 0]);
    const x = logarithmic([1, 100], [0, 200]);
    expect([x(1), x(10), x(100)].map(Math.round)).toEqual([0, 100, 200]);
  });

  it('draw values below a logarithmic domain at its start', () => {
    const x = logarithmic([1, 100], [10, 200]);
    expect(x(0)).toBe(10);
    expect(x(0.2)).toBe(10);
  });

  it('do not divide by an empty domain', () => {
    expect(linear([3, 3], [7, 90])(3)).toBe(7);
  });
});

describe('countTicks', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [28, [0, 10, 20, 30]],
    [214, [0, 100, 200, 300]],
  ])('for %i returns %j', (max, ticks) => {
    expect(countTicks(max)).toEqual(ticks);
  });

  it('returns few whole numbers at even steps that reach the maximum', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (max) => {
        const ticks = countTicks(max);
        const step = ticks[1] ?? 0;
        expect(ticks.every((tick, index) => Number.isInteger(tick) && tick === index * step)).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(1, max));
      }),
    );
  });
});

describe('thin', () => {
  it('retains as many labels as fit, from the first on', () => {
    expect(thin([1, 2, 3, 4, 5, 6, 7], 200, 50)).toEqual([1, 3, 5, 7]);
    expect(thin([1, 2, 3], 200, 50)).toEqual([1, 2, 3]);
    expect(thin([1, 2, 3], 10, 50)).toEqual([1]);
  });
});

describe('spanning', () => {
  const rounds = [1, 10, 60, 600, 3600];
  it('reaches from below the smallest to above the largest value', () => {
    expect(spanning(rounds, [12, 300])).toEqual([10, 60, 600]);
    expect(spanning(rounds, [60, 60])).toEqual([60, 600]);
    expect(spanning(rounds, [0.2, 0.4])).toEqual([1, 10]);
  });

  it('ends with the list when a value is beyond it, and is never a single point', () => {
    expect(spanning(rounds, [4000, 9000])).toEqual([600, 3600]);
  });
});
