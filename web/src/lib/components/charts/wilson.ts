// How sure a rate is: the Wilson score interval of a share k of n.

/** The 97.5 % quantile of the standard normal distribution: a two-sided interval of 95 %. */
const Z = 1.959963984540054;

/** Below this many a rate says little, and its mark is drawn hollow. */
export const SMALL_N = 30;

export interface Interval {
  low: number;
  high: number;
}

/**
 * The Wilson score interval at 95 %, without continuity correction; both bounds 0..1.
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212:
 * (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = k/n.
 * Unlike p ± z√(p(1-p)/n) it stays inside 0..1 and is not a point at 0 of n. With n = 0 nothing is known: 0..1.
 */
export function wilson(k: number, n: number): Interval {
  const p = k / n;
  const z2 = Z * Z;
  const middle = p + z2 / (2 * n);
  const reach = Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  const whole = 1 + z2 / n;
  // At the ends the bound is exactly the end: the roots miss it by a rounding error, and with n = 0 there are none.
  return {
    low: k === 0 ? 0 : (middle - reach) / whole,
    high: k === n ? 1 : (middle + reach) / whole,
  };
}
