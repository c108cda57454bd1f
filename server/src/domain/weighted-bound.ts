// The anytime-valid upper bound of a share that is counted in parts, each with a share of its own (AU4).
import { anytimeUpperBound, logMixture } from '@countersign/shared/statistics';

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
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const [only] = parts;
  if (parts.length === 1 && only) return anytimeUpperBound(only.wrong, only.judged, { miss });
  // Convex: the largest mean lies where every part has the same price, the slope of its martingale over its weight.
  const bounded = parts.map((part) => ({ ...part, most: mostOf(part, parts, miss) }));
  const at = (price: number) => bounded.map((part) => shareAt(part, (price * part.weight) / whole));
  const product = (shares: number[]) =>
    parts.reduce((sum, { wrong, judged }, index) => sum + logMixture(wrong, judged, shares[index] ?? 0).log, 0);
  let [low, high] = [-MOST, MOST];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (product(at(Math.exp(middle))) < -Math.log(miss)) low = middle;
    else high = middle;
  }
  const shares = at(Math.exp(high));
  return Math.min(
    1,
    parts.reduce((sum, { weight }, index) => sum + (weight / whole) * (shares[index] ?? 0), 0),
  );
}

/** Prices lie between e to the minus this and e to this. */
const MOST = 60;
const HALVINGS = 40;

/** More than this the share of a part cannot be, even where all others are 0: their martingales are 1 / (wrong + 1) then. */
function mostOf(part: Part, parts: readonly Part[], miss: number): number {
  const others = parts.filter((one) => one !== part).reduce((product, { wrong }) => product / (wrong + 1), 1);
  return anytimeUpperBound(part.wrong, part.judged, { miss: miss * others });
}

/** The share of a part where its martingale rises as steeply as this; 1 where nothing speaks against it. */
function shareAt({ wrong, judged, most }: Part & { most: number }, slope: number): number {
  if (wrong === judged) return 1;
  let [low, high] = [0, most];
  if (logMixture(wrong, judged, 0).slope >= slope) return 0;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (logMixture(wrong, judged, middle).slope < slope) low = middle;
    else high = middle;
  }
  return high;
}
