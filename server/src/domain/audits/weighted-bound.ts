// The anytime-valid upper bound of a share that is counted in parts, each with a share of its own (AU4).
import { anytimeUpperBound, logMixture } from '@countersign/shared/statistics/statistics';

/** `wrong` of `judged`; the part stands for this much of the whole. All weights together are more than 0. */
export interface Part {
  wrong: number;
  judged: number;
  weight: number;
}

/**
 * The most that the weighted mean can be, for whoever looks after every audit: with 95 % it is never below the truth. The product of
 * the parts' martingales at the true shares is a martingale as well, whichever part the next audit is of and whenever a part begins; so
 * with 95 % the true shares never leave the region where the product is below 1/0.05 (Ville), and that holds at once for the largest
 * mean in it, whatever the weights are by then. A union of stratified supermartingales: J. Spertus and P. B. Stark, "Sweeter than
 * SUITE", E-Vote-ID 2022. One part alone is `anytimeUpperBound`.
 */
export function weightedBound(parts: readonly Part[], miss: number): number {
  const [only] = parts;
  if (parts.length === 1 && only) return anytimeUpperBound(only.wrong, only.judged, { miss });
  const limit = -Math.log(miss);
  const curves = curvesOf(parts, limit);
  // Convex: the largest mean lies where every part has the same price, the slope of its martingale over its weight.
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
  // Weak duality: at whatever price this is no less than the largest mean, and what is left of the distance is a square.
  return Math.max(0, Math.min(1, mean - excess(curves, high.shares, limit) / Math.exp(high.price)));
}

/** A price, as its logarithm, and the shares it leads to. */
interface Point {
  price: number;
  shares: number[];
}

/** Prices lie between e to the minus this and e to this. */
const MOST = 60;
/** So near a price is found, of itself: the bound is off by the square of that. */
const NEAR = 1e-4;
/** So near a share is found, of the most it can be. */
const SHARE_NEAR = 1e-8;

/** A part whose weight is of 1. */
interface Curve extends Part {
  /** More than this its share cannot be, even where all others are 0: their martingales are 1 / (wrong + 1) then. */
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

/** How far the product of the martingales lies above what it may be, as logarithms. */
const excess = (curves: readonly Curve[], shares: readonly number[], limit: number): number =>
  curves.reduce((sum, { wrong, judged }, index) => sum + logMixture(wrong, judged, shares[index] ?? 0).log, -limit);

/** The share of a part where its martingale rises as steeply as this, between two; 1 where nothing speaks against it. */
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
