// Statistics for shares and score calibration: cited formulas, each null for an empty sample.

/** Both bounds are inclusive. */
export interface Interval {
  low: number;
  high: number;
}

/**
 * The 97.5 % quantile of the standard normal distribution: every interval here is two-sided at 95 % unless stated
 * otherwise.
 */
export const Z = 1.959963984540054;

/**
 * The Wilson score interval of a share `k` of `n` at 95 %, without continuity correction; both bounds 0..1, null for n
 * = 0. E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212: (p
 * + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = k/n. `n` may be an effective size and need not be an integer.
 */
export function wilson(k: number, n: number): Interval | null {
  if (n <= 0) return null;
  const p = k / n;
  const middle = p + (Z * Z) / (2 * n);
  const reach = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const denominator = 1 + (Z * Z) / n;
  // At the ends the bound is exact: the formula would miss it by a rounding error.
  return { low: k === 0 ? 0 : (middle - reach) / denominator, high: k === n ? 1 : (middle + reach) / denominator };
}

/**
 * The exact interval of a share `k` of `n` at 95 %; null for n = 0. It never covers less than stated, so it is wide. C.
 * J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404-413: quantiles of Beta(k, n-k+1) and Beta(k+1, n-k). `sides:
 * 'upper'` puts the whole 5 % above, for "at most": for 0 in n that is 1 - 0.05^(1/n), the rule of three. `miss`:
 * another error probability than 5 %.
 */
export function clopperPearson(
  k: number,
  n: number,
  { sides = 'both', miss = 0.05 }: { sides?: 'both' | 'upper'; miss?: number } = {},
): Interval | null {
  if (n <= 0) return null;
  const tail = sides === 'both' ? miss / 2 : miss;
  return {
    low: k === 0 || sides === 'upper' ? 0 : betaQuantile(tail, k, n - k + 1),
    high: k === n ? 1 : betaQuantile(1 - tail, k + 1, n - k),
  };
}

/**
 * How much better the shares below `p` explain `k` of `n` than `p` itself does, on average: the martingale of `anytimeUpperBound`, as
 * its logarithm, and how steeply that rises with `p`. With B the unnormalised incomplete beta function it is
 * [B(p; 1+k, 1+n-k) / p] / [p^k (1-p)^(n-k)]. Integrated by parts n-k times (DLMF 8.17.18) this is a finite sum of positive terms,
 * 1/(k+1) * Σ Π (n-k-i)/(k+2+i) * p/(1-p): nothing cancels and no gamma function is needed. It is rising and convex in `p`.
 */
export function logMixture(k: number, n: number, p: number): { log: number; slope: number } {
  const right = n - k;
  if (p >= 1) return right === 0 ? { log: -Math.log(k + 1), slope: 0 } : { log: Infinity, slope: Infinity };
  const odds = p / (1 - p);
  let [term, sum, moment, scale] = [1, 1, 0, -Math.log(k + 1)];
  for (let j = 0; j < right; j += 1) {
    const ratio = ((right - j) / (k + 2 + j)) * odds;
    term *= ratio;
    sum += term;
    moment += (j + 1) * term;
    // The ratios decrease: the remainder is less than a geometric series.
    if (ratio < 1 && term * ratio < (1 - ratio) * sum * 1e-17) break;
    if (sum < 1e200) continue;
    [term, sum, moment, scale] = [term / sum, 1, moment / sum, scale + Math.log(sum)];
  }
  return { log: scale + Math.log(sum), slope: p === 0 ? right / (k + 2) : moment / sum / (p * (1 - p)) };
}

/**
 * The upper bound of a share of which `errors` of `n` were counted so far, for continuous monitoring: with 95 %
 * probability it is never, at any `n`, below the truth. 1 for an empty sample or for errors only; `errors` and `n` are
 * integers, n up to a million. It is sup{p : M(p) < 1/0.05} with M the mixture over a uniform prior cut to [0, p], a
 * supermartingale for every share of p or more (H. Robbins, Ann. Math. Statist. 41 (1970) 1397-1409; S. R. Howard et
 * al., Ann. Statist. 49 (2021) 1055-1080; J. Ville 1939). `miss`: another probability of ever being wrong than 5 %.
 */
export function anytimeUpperBound(errors: number, n: number, { miss = 0.05 }: { miss?: number } = {}): number {
  if (errors >= n) return 1;
  const isAbove = (p: number) => logMixture(errors, n, p).log >= -Math.log(miss);
  // From the observed share upwards, because the sum is long far above it.
  let [low, high] = [errors / n, (errors + 4 * Math.sqrt(errors + 1)) / n];
  while (high < 1 && !isAbove(high)) [low, high] = [high, 2 * high];
  high = Math.min(1, high);
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * How many of the next `m` will have the property that `k` of `n` had: the expected count is m·k/n, and with 95 % it
 * lies in the interval, which includes the randomness of both samples. Null for n = 0 or m = 0. Sizes may be effective
 * ones; the bounds are not rounded. K. Krishnamoorthy and J. Peng, "Improved closed-form prediction intervals for
 * binomial and Poisson distributions", J. Statist. Plann. Inference 141 (2011) 1709-1718, joint sampling: all y with
 * (m·k - n·y)² <= z² m n N p(1-p), where N = n + m and p = (k + y)/N. As m grows y/m becomes the Wilson interval.
 */
export function predictCount(k: number, n: number, m: number): Interval | null {
  if (n <= 0 || m <= 0) return null;
  const all = n + m;
  const c = (Z * Z * m * n) / all;
  const reach = Math.sqrt(c * (c + 4 * k * (n - k)));
  const root = (sign: 1 | -1) => (all * (2 * k * n + c + sign * reach)) / (2 * (n * n + c));
  return {
    low: k === 0 ? 0 : Math.max(0, root(-1) - k),
    high: k === n ? m : Math.min(m, root(1) - k),
  };
}

/** A sum of independent estimates, each with its interval. */
export interface Estimate extends Interval {
  value: number;
}

/**
 * The sum of independent estimates with its interval: distances to the bounds add as squares (MOVER).
 * G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures", Statistics in Medicine 27 (2008) 1693-1702.
 */
export function sumOf(estimates: readonly Estimate[]): Estimate {
  const value = estimates.reduce((sum, one) => sum + one.value, 0);
  const squaredDistances = (bound: 'low' | 'high') => Math.hypot(...estimates.map((one) => one[bound] - one.value));
  return { value, low: value - squaredDistances('low'), high: value + squaredDistances('high') };
}

/**
 * How much more a count varies from block to block than by chance: Pearson's X² over its degrees of freedom, at least
 * 1; null with fewer than two blocks or when all or none are counted. Items that arrive together (four answers to one
 * question, a batch of one kind) resemble each other, so n of them carry less information than n independent ones: n /
 * dispersion. P. McCullagh and J. A. Nelder, "Generalized Linear Models", 2nd ed. 1989, section 4.5.2.
 */
export function dispersion(blocks: readonly { k: number; n: number }[]): number | null {
  const counted = blocks.filter(({ n }) => n > 0);
  const all = counted.reduce((sum, { k, n }) => ({ k: sum.k + k, n: sum.n + n }), { k: 0, n: 0 });
  const p = all.k / all.n;
  if (counted.length < 2 || p === 0 || p === 1) return null;
  const x2 = counted.reduce((sum, { k, n }) => sum + (k - n * p) ** 2 / (n * p * (1 - p)), 0);
  return Math.max(1, x2 / (counted.length - 1));
}

/** A bin of similar scores: its size, how many of them were right, and the sum of the scores. */
export interface Bin {
  n: number;
  unchanged: number;
  confidence_sum: number;
}

/**
 * The mean distance of score and share right, weighted by bin size: Σ (n/N)·|kept/n - mean score|. Null when all bins
 * are empty. M. P. Naeini, G. F. Cooper and M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
 * binning", AAAI 2015; C. Guo et al., "On calibration of modern neural networks", ICML 2017, equation 3.
 */
export function expectedCalibrationError(bins: readonly Bin[]): number | null {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (n === 0) return null;
  return bins.reduce((sum, bin) => sum + Math.abs(bin.unchanged - bin.confidence_sum), 0) / n;
}

/** Lanczos coefficients for g = 5, n = 6: Press et al., Numerical Recipes, 2nd ed., section 6.1 (relative error below 2e-10). */
const LANCZOS = [
  76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
  -0.5395239384953e-5,
] as const;

/** ln Γ(x) for x > 0. */
function lnGamma(x: number): number {
  const series = LANCZOS.reduce((sum, coefficient, j) => sum + coefficient / (x + j + 1), 1.000000000190015);
  return (x + 0.5) * Math.log(x + 5.5) - (x + 5.5) + Math.log((2.5066282746310005 * series) / x);
}

/** The regularised incomplete beta function I_x(a, b) of DLMF 8.17.22; mirrored (8.17.4) where its continued fraction is slow. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return Math.exp(front) / (a * betaFraction(x, a, b));
}

/** 1 + d₁/(1 + d₂/(1 + …)) with the d of DLMF 8.17.23, by W. J. Lentz's method (Applied Optics 15 (1976) 668). */
function betaFraction(x: number, a: number, b: number): number {
  let [value, c, d] = [1, 1, 0];
  for (let j = 1, change = 0; j < 10_000 && Math.abs(change - 1) > 1e-15; j += 1) {
    const m = Math.floor(j / 2);
    const above = j % 2 === 0 ? m * (b - m) * x : -(a + m) * (a + b + m) * x;
    const term = above / ((a + j - 1) * (a + j));
    d = 1 / (1 + term * d);
    c = 1 + term / c;
    change = c * d;
    value *= change;
  }
  return value;
}

/** The x with I_x(a, b) = p, by bisection to the last significant bit: I is rising, so bisection always converges. */
function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
