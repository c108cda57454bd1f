// The formulas against published values, against a seeded simulation, and properties for every k of n.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anytimeUpperBound,
  clopperPearson,
  expectedCalibrationError,
  incompleteBeta,
  logMixture,
  predictCount,
  sumOf,
  wilson,
  type Interval,
} from './statistics.ts';

type Mixture = ReturnType<typeof logMixture>;

const counts = fc.integer({ min: 1, max: 5000 }).chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));

const expectBounds = (interval: Interval | null, low: number, high: number) => {
  expect(interval?.low).toBeCloseTo(low, 4);
  expect(interval?.high).toBeCloseTo(high, 4);
};

/** The probability of each count 0..n of n, with probability p each. */
function binomial(n: number, p: number): number[] {
  const chances = [(1 - p) ** n];
  for (let k = 1; k <= n; k += 1) chances.push(((chances[k - 1] ?? 0) * (n - k + 1) * p) / (k * (1 - p)));
  return chances;
}

/** An empty interval, for a result that is unexpectedly null. */
const nothing: Interval = { low: 1, high: 0 };

const within = ({ low, high }: Interval, value: number) => low <= value && value <= high;

// R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods",
// Statistics in Medicine 17 (1998) 857-872, table I: methods 3 (score) and 5 (Clopper-Pearson).
describe('intervals as Newcombe published them (AN20)', () => {
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0.0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('Wilson: %i of %i is %f to %f', (k, n, low, high) => expectBounds(wilson(k, n), low, high));

  it.each([
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0.0, 0.1684],
    [1, 29, 0.0009, 0.1776],
  ])('Clopper-Pearson: %i of %i is %f to %f', (k, n, low, high) => expectBounds(clopperPearson(k, n), low, high));
});

describe('other published values (AN20)', () => {
  it.each([10, 30, 100, 300, 3000])('the rule of three: 0 of %i has an upper bound slightly below 3/n', (n) => {
    const { low, high } = clopperPearson(0, n, { sides: 'upper' }) ?? { low: 1, high: 1 };
    expect(low).toBe(0);
    expect(high).toBeCloseTo(1 - 0.05 ** (1 / n), 10);
    expect(high).toBeLessThan(3 / n);
  });

  // I_x(1, b) = 1 - (1-x)^b and I_x(a, 1) = x^a (DLMF 8.17.7 with 8.17.4); I_1/2(a, a) = 1/2.
  it('the incomplete beta function in its elementary cases', () => {
    expect(incompleteBeta(0.2, 1, 7)).toBeCloseTo(1 - 0.8 ** 7, 10);
    expect(incompleteBeta(0.9, 5, 1)).toBeCloseTo(0.9 ** 5, 10);
    for (const a of [0.5, 3, 40, 2000]) expect(incompleteBeta(0.5, a, a)).toBeCloseTo(0.5, 9);
    expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1]);
  });

  it('the incomplete beta function as a sum: I_p(k, n-k+1) is the probability of k or more of n (DLMF 8.17.5)', () => {
    for (const [k, n, p] of [
      [3, 20, 0.1],
      [40, 60, 0.7],
      [1, 500, 0.004],
    ] as const) {
      const more = binomial(n, p)
        .slice(k)
        .reduce((sum, chance) => sum + chance, 0);
      expect(incompleteBeta(p, k, n - k + 1)).toBeCloseTo(more, 9);
    }
  });
});

describe('every k of n (AN20)', () => {
  it.each([
    ['wilson', wilson],
    ['clopperPearson', clopperPearson],
  ])('%s contains k/n, stays inside 0..1 and is symmetric', (_, interval) => {
    fc.assert(
      fc.property(counts, ([k, n]) => {
        const [one, other] = [interval(k, n), interval(n - k, n)];
        if (!one || !other) throw new Error('undefined');
        expect(one.low).toBeGreaterThanOrEqual(0);
        expect(one.high).toBeLessThanOrEqual(1);
        expect(within(one, k / n)).toBe(true);
        expect(one.low).toBeCloseTo(1 - other.high, 9);
      }),
      { numRuns: 60 },
    );
  });

  it('is null for an empty sample', () => {
    expect([wilson(0, 0), clopperPearson(0, 0), predictCount(0, 0, 5), predictCount(1, 5, 0)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(expectedCalibrationError([])).toBeNull();
    expect(expectedCalibrationError([{ n: 0, unchanged: 0, confidence_sum: 0 }])).toBeNull();
  });

  // L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001) 101-133:
  // Clopper-Pearson never covers less than it says; Wilson does so on average, with dips near the ends.
  it.each([10, 50, 200])('has at least the nominal coverage, computed over all outcomes of %i', (n) => {
    const all = (interval: typeof wilson) => Array.from({ length: n + 1 }, (_, k) => interval(k, n) ?? nothing);
    const shares = Array.from({ length: 25 }, (_, j) => (j + 1) / 50);
    const covered = (intervals: Interval[], p: number) =>
      binomial(n, p).reduce((sum, chance, k) => sum + (within(intervals[k] ?? nothing, p) ? chance : 0), 0);
    const [exact, scores] = [all(clopperPearson), all(wilson)];
    for (const p of shares) expect(covered(exact, p)).toBeGreaterThanOrEqual(0.95 - 1e-9);
    const mean = shares.reduce((sum, p) => sum + covered(scores, p), 0) / shares.length;
    expect(mean).toBeGreaterThan(0.945);
    expect(mean).toBeLessThan(0.965);
  });
});

describe('the upper bound that is valid at every look (AU4)', () => {
  // u(errors, n) by the package confseq 0.0.11 of Howard et al.: the one-sided BetaBinomialMixture of its
  // uniform_boundaries.h with s = np - errors, v = np(1-p), g = 1-p, h = p. Its prior is Beta(r/g, r/h); for r towards
  // 0 and the ratio to one error of two it is the uniform one (at p = 1/2 it is for r = 1/2). mpmath gives the same
  // digits for the integral itself with 30 and 60 digits.
  it.each([
    [1, 0, 0.974358974],
    [2, 1, 0.991525424],
    [10, 0, 0.353516848],
    [10, 5, 0.866384171],
    [10, 9, 0.999543379],
    [300, 0, 0.01491568],
    [300, 3, 0.035142522],
    [1000, 5, 0.0140178],
    [1000, 10, 0.021664418],
    [1000, 500, 0.552918854],
    [3000, 15, 0.009627162],
    [10_000, 0, 0.000451273],
    [10_000, 200, 0.024725535],
    [100_000, 1000, 0.011093869],
    [1_000_000, 0, 0.000004514],
    [1_000_000, 5, 0.000014083],
    [1_000_000, 20_000, 0.020530785],
  ])('of %i audits with %i errors is %f, as in confseq', (n, errors, bound) => {
    expect(Math.abs(anytimeUpperBound(errors, n) - bound)).toBeLessThan(2e-9);
  });

  // The logarithm of its martingale at p = 1/2, where the prior of the package is uniform.
  it.each([
    [5, 0, 2.3513752572],
    [20, 5, 1.8493239085],
    [100, 40, 0.5788911232],
    [400, 180, -0.1034177275],
  ])('of %i with %i errors has this martingale at 1/2: %f', (n, errors, log) => {
    expect(logMixture(errors, n, 0.5).log).toBeCloseTo(log, 9);
  });

  it('is 1 for an empty sample, and for errors only', () => {
    expect(
      [
        [0, 0],
        [1, 1],
        [300, 300],
        [1_000_000, 1_000_000],
      ].map(([k = 0, n = 0]) => anytimeUpperBound(k, n)),
    ).toEqual([1, 1, 1, 1]);
  });

  it('lies above the bound of one look, rises with errors and falls with correct decisions', () => {
    fc.assert(
      fc.property(counts, fc.constantFrom(0.05, 0.0125), ([k, n], miss) => {
        const bound = anytimeUpperBound(k, n, { miss });
        expect(bound).toBeGreaterThanOrEqual((clopperPearson(k, n, { sides: 'upper', miss })?.high ?? 1) - 1e-9);
        expect(anytimeUpperBound(k + 1, n + 1, { miss })).toBeGreaterThanOrEqual(bound);
        if (k < n) expect(anytimeUpperBound(k, n + 1, { miss })).toBeLessThan(bound);
      }),
      { numRuns: 100 },
    );
  });

  it('has the slope of its martingale, which is rising and convex', () => {
    const share = fc.double({ min: 0.001, max: 0.97, noNaN: true });
    fc.assert(
      fc.property(counts, share, ([k, n], p) => {
        const step = 1e-6;
        const [before, here, after] = [p - step, p, p + step].map((at) => logMixture(k, n, at)) as [
          Mixture,
          Mixture,
          Mixture,
        ];
        const scale = Math.max(1, here.slope);
        expect(Math.abs((after.log - before.log) / (2 * step) - here.slope) / scale).toBeLessThan(1e-3);
        expect(before.slope).toBeLessThanOrEqual(after.slope + 1e-9 * scale);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the prediction interval (AN21)', () => {
  it.each([
    [40, 40],
    [100, 50],
    [50, 400],
  ])('covers 95 % of the outcomes of %i seen and %i future items', (n, m) => {
    const shares = [0.05, 0.1, 0.2, 0.35, 0.5, 0.8];
    const covered = shares.map((p) => {
      const next = binomial(m, p);
      return binomial(n, p).reduce((sum, chance, k) => {
        const interval = predictCount(k, n, m) ?? nothing;
        return sum + chance * next.reduce((inside, other, y) => inside + (within(interval, y) ? other : 0), 0);
      }, 0);
    });
    for (const share of covered) expect(share).toBeGreaterThan(0.92);
    expect(covered.reduce((sum, share) => sum + share, 0) / covered.length).toBeGreaterThan(0.94);
  });

  it('converges to the Wilson interval for very many future items', () => {
    for (const [k, n] of [
      [3, 40],
      [81, 263],
      [0, 20],
    ] as const) {
      const m = 1e9;
      const { low, high } = predictCount(k, n, m) ?? nothing;
      expectBounds({ low: low / m, high: high / m }, wilson(k, n)?.low ?? 1, wilson(k, n)?.high ?? 0);
    }
  });

  it('contains the expected count, stays inside 0..m, and is exact at the ends', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 5000 }), ([k, n], m) => {
        const { low, high } = predictCount(k, n, m) ?? nothing;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(m);
        expect(low).toBeLessThanOrEqual((m * k) / n + 1e-9);
        expect(high).toBeGreaterThanOrEqual((m * k) / n - 1e-9);
      }),
    );
    expect(predictCount(0, 30, 30)?.low).toBe(0);
    expect(predictCount(30, 30, 30)?.high).toBe(30);
  });

  it('adds up: a single estimate is unchanged, no estimates sum to zero, and two equal ones are √2 as wide', () => {
    const one = { value: 4, low: 1, high: 9 };
    expect(sumOf([])).toEqual({ value: 0, low: 0, high: 0 });
    expect(sumOf([one])).toEqual(one);
    expect(sumOf([one, one])).toEqual({ value: 8, low: 8 - 3 * Math.SQRT2, high: 8 + 5 * Math.SQRT2 });
  });
});

describe('the calibration error (AN22)', () => {
  it('is the mean distance of score and share right, weighted by bin size', () => {
    // Half of 10 at 0.5 are right, 8 of 10 at 0.9: (10·0 + 10·0.1) / 20.
    const bins = [
      { n: 10, unchanged: 5, confidence_sum: 5 },
      { n: 0, unchanged: 0, confidence_sum: 0 },
      { n: 10, unchanged: 8, confidence_sum: 9 },
    ];
    expect(expectedCalibrationError(bins)).toBeCloseTo(0.05, 12);
  });

  it('is 0 for calibrated scores, and 1 for scores that are always wrong and certain', () => {
    expect(expectedCalibrationError([{ n: 8, unchanged: 6, confidence_sum: 6 }])).toBe(0);
    expect(expectedCalibrationError([{ n: 8, unchanged: 0, confidence_sum: 8 }])).toBe(1);
  });
});
