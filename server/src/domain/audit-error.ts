// Rules AU4 and AU5: what audits say of the automatic answers, and when that is more than the project allows.
import { clopperPearson, logMixture } from '@countersign/shared/statistics';
import { weightedBound } from './weighted-bound.ts';

/** Audits that were drawn at one rate: how many, how many of those people have judged, and how many of these they edited or rejected. */
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
  /** At most this share, with 95 %, for who looks once. */
  bound: number | null;
  /** At most this share, with 95 %, for who looks however often. */
  anytime: number | null;
}

/** The chance that the truth lies above the bound: at the one look, or at any. */
export const MISS = 0.05;

/** How many answers a part stands for: each audit for as many as it was drawn from (Horvitz and Thompson 1952, JASA 47). */
const weighed = (part: AuditStratum) => ({ ...part, weight: part.drawn / part.rate });

/** AU5: what the budget goes by: the bound over the parts of which something was drawn, valid at every look; 1 where there are none. */
export function anytimeBound(strata: readonly AuditStratum[], miss = MISS): number {
  const parts = strata.filter(({ drawn }) => drawn > 0).map(weighed);
  return parts.length === 0 ? 1 : weightedBound(parts, miss);
}

/**
 * AU4: the error above the line. Audits of one rate are a plain sample, and whoever looks once has Clopper and Pearson's bound. Of
 * several rates one bound serves both: it shares no chance among its parts, so it is as narrow as theirs together.
 */
export function auditError(strata: readonly AuditStratum[]): AuditError {
  const parts = strata.filter(({ drawn }) => drawn > 0).map(weighed);
  const sum = (of: 'drawn' | 'judged' | 'wrong') => parts.reduce((total, part) => total + part[of], 0);
  const counts = { drawn: sum('drawn'), judged: sum('judged'), wrong: sum('wrong') };
  if (counts.judged === 0) return { ...counts, estimate: null, bound: null, anytime: null };
  const seen = parts.filter(({ judged }) => judged > 0);
  const answers = seen.reduce((total, { weight }) => total + weight, 0);
  const anytime = anytimeBound(parts);
  const once = parts.length === 1 ? clopperPearson(counts.wrong, counts.judged, { sides: 'upper', miss: MISS }) : null;
  return {
    ...counts,
    estimate: seen.reduce((total, { weight, wrong, judged }) => total + (weight / answers) * (wrong / judged), 0),
    bound: once?.high ?? anytime,
    anytime,
  };
}

/** More than this many audits nobody waits for. */
const MOST_LEFT = 100_000;

/** The smallest whole number from 1 on of which it is true, where it stays true once it is; Infinity where none is small enough. */
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

/** How many audits without a single error it takes before the bound can lie within the budget, however often it is looked at. */
export const auditsNeeded = (budget: number): number =>
  budget <= 0 ? Infinity : leastOf((n) => logMixture(0, n, budget).log >= -Math.log(MISS) || budget >= 1);

/** How many more audits without an error, drawn at this rate, prove the budget; 0 where they do already, Infinity where none would. */
export function auditsLeft(
  strata: readonly AuditStratum[],
  { rate, budget }: { rate: number; budget: number },
): number {
  if (anytimeBound(strata) <= budget) return 0;
  if (rate <= 0) return Infinity;
  const now = strata.find((part) => part.rate === rate) ?? { rate, drawn: 0, judged: 0, wrong: 0 };
  const others = strata.filter((part) => part.rate !== rate);
  return leastOf((more) => {
    const judged = now.judged + more;
    return anytimeBound([...others, { ...now, judged, drawn: Math.max(now.drawn, judged) }]) <= budget;
  });
}

export const BUDGET_STATES = ['too_little', 'within', 'over'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

/**
 * AU5: where the bound stands to the budget: within it, or not. It is over only by rates with as many audits as a clean record would
 * need to hold it, so that one that has just begun crosses nothing by being young. Anything else is too little to tell.
 */
export function budgetState(strata: readonly AuditStratum[], budget: number): BudgetState {
  if (anytimeBound(strata) <= budget) return 'within';
  const needed = auditsNeeded(budget);
  const grown = strata.filter(({ drawn, judged }) => drawn > 0 && judged >= needed);
  return grown.length > 0 && anytimeBound(grown) > budget ? 'over' : 'too_little';
}
