// Rules AU4 and AU5: what audits say about the automatic answers, and when the error exceeds the project's budget.
import { clopperPearson, logMixture, anytimeUpperBound } from '@countersign/shared/statistics/statistics';

/** Audits drawn at one rate: how many, how many of those were judged, and how many of the judged were edited or rejected. */
export interface AuditStratum {
  /** Above 0, at most 1. */
  rate: number;
  drawn: number;
  judged: number;
  wrong: number;
}

/** Shares from 0 to 1; null where nothing was judged, because nothing is known then. */
export interface AuditError {
  drawn: number;
  judged: number;
  wrong: number;
  /** The share of automatic answers that people would have edited or rejected. */
  estimate: number | null;
  /** The upper bound at 95 % for a single look. */
  bound: number | null;
  /** The upper bound at 95 % that is valid at every look. */
  anytime: number | null;
}

/** The probability that the true error exceeds the bound: at the single look, or at any look. */
export const MISS = 0.05;

/** The maximum number of rate groups. Rates are grouped by halves: 1, from 1/2, from 1/4, and everything below the smallest. */
export const MOST_RATES = 12;

const groupOf = (rate: number): number => Math.max(1 - MOST_RATES, Math.floor(Math.log2(rate)));

/** Rates that are counted as one. `weight`: how many answers the group represents. */
type Group = Pick<AuditStratum, 'drawn' | 'judged' | 'wrong'> & { weight: number };

/**
 * AU4: rates of which none is twice another are one part, on a fixed grid that no audit and no setting influences, so that
 * frequent changes of the rate do not add parts. An audit carries the same information about the error at any rate, so the audits
 * of a group are one series in the order of their arrival, like those of one rate. Each audit represents as many answers as it
 * was drawn from (Horvitz and Thompson 1952, JASA 47).
 */
function groupsOf(strata: readonly AuditStratum[]): Group[] {
  const groups = new Map<number, Group>();
  for (const { rate, drawn, judged, wrong } of strata) {
    if (drawn <= 0) continue;
    const key = groupOf(rate);
    const sum = groups.get(key) ?? { drawn: 0, judged: 0, wrong: 0, weight: 0 };
    groups.set(key, {
      drawn: sum.drawn + drawn,
      judged: sum.judged + judged,
      wrong: sum.wrong + wrong,
      weight: sum.weight + drawn / rate,
    });
  }
  return [...groups.values()];
}

const boundOf = (groups: readonly Group[], miss = MISS): number =>
  groups.length === 0 ? 1 : weightedBound(groups, miss);

/** AU5: the bound that the budget uses: over the parts with drawn audits, valid at every look; 1 without any. */
export const anytimeBound = (strata: readonly AuditStratum[], miss = MISS): number => boundOf(groupsOf(strata), miss);

/**
 * AU4: the error above the auto-approve threshold. Audits of one rate group are a plain sample, so Clopper and Pearson's bound
 * applies to a single look. For several groups one bound serves both purposes: it does not divide the error probability among its
 * parts, so it is as narrow as a bound of the whole.
 */
export function auditError(strata: readonly AuditStratum[]): AuditError {
  const parts = groupsOf(strata);
  const sum = (of: 'drawn' | 'judged' | 'wrong') => parts.reduce((total, part) => total + part[of], 0);
  const counts = { drawn: sum('drawn'), judged: sum('judged'), wrong: sum('wrong') };
  if (counts.judged === 0) return { ...counts, estimate: null, bound: null, anytime: null };
  const judgedParts = parts.filter(({ judged }) => judged > 0);
  const answers = judgedParts.reduce((total, { weight }) => total + weight, 0);
  const anytime = boundOf(parts);
  const singleLook =
    parts.length === 1 ? clopperPearson(counts.wrong, counts.judged, { sides: 'upper', miss: MISS }) : null;
  return {
    ...counts,
    estimate: judgedParts.reduce(
      (total, { weight, wrong, judged }) => total + (weight / answers) * (wrong / judged),
      0,
    ),
    bound: singleLook?.high ?? anytime,
    anytime,
  };
}

/** More audits than this are not worth waiting for. */
const MOST_LEFT = 100_000;

/** The smallest integer from 1 for which a monotonic condition is true; Infinity when none is small enough. */
function leastOf(isTrue: (number: number) => boolean): number {
  let high = 1;
  while (!isTrue(high)) {
    if (high >= MOST_LEFT) return Infinity;
    high *= 2;
  }
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** How many audits without an error it takes before the bound can be within the budget, valid at every look. */
export const auditsNeeded = (budget: number): number =>
  budget <= 0 ? Infinity : leastOf((n) => logMixture(0, n, budget).log >= -Math.log(MISS) || budget >= 1);

/**
 * How many more audits without an error, drawn at this rate, prove the budget;
 * 0 when it is proven already, Infinity when none would.
 */
export function auditsLeft(
  strata: readonly AuditStratum[],
  { rate, budget }: { rate: number; budget: number },
): number {
  const now = anytimeBound(strata);
  if (now <= budget) return 0;
  if (rate <= 0) return Infinity;
  const same = strata.find((part) => part.rate === rate) ?? { rate, drawn: 0, judged: 0, wrong: 0 };
  const others = strata.filter((part) => part.rate !== rate);
  const judged = strata.reduce((sum, part) => sum + part.judged, 0);
  return firstWithin(budget, { judged, bound: now }, (more) => {
    const after = { ...same, judged: same.judged + more, drawn: Math.max(same.drawn, same.judged + more) };
    return anytimeBound([...others, after]);
  });
}

/**
 * The smallest integer from 1 at which a falling bound is within the budget. A bound falls about as the
 * number of audits grows, so it is nearly a line on logarithmic scales: the search tries the crossing of
 * that line, and every third time the middle, so that it always ends soon.
 */
function firstWithin(
  budget: number,
  { judged, bound }: { judged: number; bound: number },
  boundAt: (more: number) => number,
): number {
  const height = (share: number) =>
    Math.log(Math.max(share, Number.MIN_VALUE)) - Math.log(Math.max(budget, Number.MIN_VALUE));
  const at = (more: number) => ({ more, along: Math.log(judged + more + 1), above: height(boundAt(more)) });
  let low = { more: 0, along: Math.log(judged + 1), above: height(bound) };
  let high = at(MOST_LEFT);
  if (high.above > 0) return Infinity;
  for (let iteration = 1; high.more - low.more > 1; iteration += 1) {
    const part = iteration % 3 === 0 ? 0.5 : low.above / (low.above - high.above);
    const guess = Math.round(Math.exp(low.along + part * (high.along - low.along)) - judged - 1);
    const asked = at(Math.min(high.more - 1, Math.max(low.more + 1, guess)));
    if (asked.above <= 0) high = asked;
    else low = asked;
  }
  return high.more;
}

export const BUDGET_STATES = ['too_little', 'within', 'over'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

/**
 * AU5: the state of the bound relative to the budget. It is `over` only by rate groups with as
 * many audits as an error-free record would need to prove the budget, so that a new rate is not
 * over because it has few audits. Everything else is `too_little`.
 */
export function budgetState(strata: readonly AuditStratum[], budget: number): BudgetState {
  const groups = groupsOf(strata);
  if (boundOf(groups) <= budget) return 'within';
  const needed = auditsNeeded(budget);
  const grown = groups.filter(({ judged }) => judged >= needed);
  return grown.length > 0 && boundOf(grown) > budget ? 'over' : 'too_little';
}

/** `wrong` of `judged`; `weight` is what the part represents of the whole. The sum of all weights is above 0. */
interface Part {
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
function weightedBound(parts: readonly Part[], miss: number): number {
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
