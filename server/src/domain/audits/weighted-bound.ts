// The anytime-valid upper bound of a weighted mean of shares, each measured in its own part (AU4).
import { anytimeUpperBound, logMixture } from '@countersign/shared/statistics/statistics';

/** `wrong` of `judged`; `weight` is what the part represents of the whole. The sum of all weights is above 0. */
export interface Part {
  wrong: number;
  judged: number;
  weight: number;
}

/**
 * The upper bound of the weighted mean, valid at every look: with 95 % it is never below the truth. The product of the parts'
 * martingales at the true shares is a martingale too, whichever part the next audit belongs to and whenever a part begins. So
 * with 95 % the true shares never leave the region where the product is below 1/0.05 (Ville), and the largest mean in that region
 * bounds the true mean, for any weights at that time. A union of stratified supermartingales: J. Spertus and P. B. Stark,
 * "Sweeter than SUITE", E-Vote-ID 2022. For one part alone it is `anytimeUpperBound`.
 */
export function weightedBound(parts: readonly Part[], miss: number): number {
  const [only] = parts;
  if (parts.length === 1 && only) return anytimeUpperBound(only.wrong, only.judged, { miss });
  const limit = -Math.log(miss);
  const curves = curvesOf(parts, limit);
  // The problem is convex: at the largest mean every part has the same price, the slope of its martingale over its weight.
  let low: Point = { price: -MOST, shares: curves.map(() => 0) };
  let high: Point = { price: MOST, shares: curves.map(({ most }) => most) };
  while (high.price - low.price > NEAR) {
    const price = (low.price + high.price) / 2;
    const shares = curves.map((curve, index) =>
      shareAt(curve, Math.exp(price) * curve.weight, [low.shares[index] ?? 0, high.shares[index] ?? curve.most]),
    );
    if (excess(curves, shares, limit) < 0) low = { price, shares };
    else high = { price, shares };
  }
  const mean = curves.reduce((sum, { weight }, index) => sum + weight * (high.shares[index] ?? 0), 0);
  // Weak duality: at any price this is at least the largest mean, and the remaining error is quadratic.
  return Math.max(0, Math.min(1, mean - excess(curves, high.shares, limit) / Math.exp(high.price)));
}

/** A price, as its logarithm, and the shares that belong to it. */
interface Point {
  price: number;
  shares: number[];
}

/** Prices lie between e to the minus this and e to this. */
const MOST = 60;
/** The relative precision of a price: the error of the bound is its square. */
const NEAR = 1e-4;
/** The precision of a share relative to its maximum. */
const SHARE_NEAR = 1e-8;

/** A part whose weight is relative to the whole. */
interface Curve extends Part {
  /** The maximum of its share when all others are 0, where their martingales are 1 / (wrong + 1). */
  most: number;
  steepest: number;
}

function curvesOf(parts: readonly Part[], limit: number): Curve[] {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const lowest = parts.reduce((sum, { wrong }) => sum - Math.log(wrong + 1), 0);
  return parts.map(({ wrong, judged, weight }) => {
    const others = lowest + Math.log(wrong + 1);
    const most = anytimeUpperBound(wrong, judged, { miss: Math.exp(others - limit) });
    return { wrong, judged, weight: weight / whole, most, steepest: logMixture(wrong, judged, most).slope };
  });
}

/** How far the product of the martingales is above its limit, as logarithms. */
const excess = (curves: readonly Curve[], shares: readonly number[], limit: number): number =>
  curves.reduce((sum, { wrong, judged }, index) => sum + logMixture(wrong, judged, shares[index] ?? 0).log, -limit);

/** The share at which the part's martingale has this slope, between two bounds; 1 when nothing limits it. */
function shareAt({ wrong, judged, most, steepest }: Curve, slope: number, between: readonly [number, number]): number {
  if (wrong === judged) return 1;
  if ((judged - wrong) / (wrong + 2) >= slope) return 0;
  if (steepest <= slope) return most;
  let [low, high] = between;
  while (high - low > SHARE_NEAR * most) {
    const middle = (low + high) / 2;
    if (logMixture(wrong, judged, middle).slope < slope) low = middle;
    else high = middle;
  }
  return high;
}
