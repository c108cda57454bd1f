// Rules AU4 and AU5: what audits say of the automatic answers, and when that is more than the project allows.
import { clopperPearson, logMixture } from '@countersign/shared/statistics/statistics';
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

/** Rates are put together by halves: 1, from 1/2 on, from 1/4 on, and what lies below the smallest. There are so many groups at most. */
export const MOST_RATES = 12;

const groupOf = (rate: number): number => Math.max(1 - MOST_RATES, Math.floor(Math.log2(rate)));

/** Rates that are counted as one. `weight`: how many answers it stands for. */
type Group = Pick<AuditStratum, 'drawn' | 'judged' | 'wrong'> & { weight: number };

/**
 * AU4: rates of which none is twice another are one part, on a grid that nobody's audits or settings have a say in, so that an owner who
 * changes the rate all the time makes no more parts. An audit says the same of the error whatever rate it was drawn at, so those of a
 * group are one series as those of one rate are, in the order they came. Each audit stands for as many answers as it was drawn from
 * (Horvitz and Thompson 1952, JASA 47).
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

/** AU5: what the budget goes by: the bound over the parts of which something was drawn, valid at every look; 1 where there are none. */
export const anytimeBound = (strata: readonly AuditStratum[], miss = MISS): number => boundOf(groupsOf(strata), miss);

/**
 * AU4: the error above the line. Audits of one group of rates are a plain sample, and whoever looks once has Clopper and Pearson's
 * bound. Of several one bound serves both: it shares no chance among its parts, so it is as narrow as theirs together.
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
 * The smallest whole number from 1 on where a falling bound lies within the budget. A bound falls nearly as the number of audits grows,
 * so on logarithms it is nearly a line: where that crosses is asked first, then the middle, so that it can never take long.
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
 * AU5: where the bound stands to the budget: within it, or not. It is over only by rates with as many audits as a clean record would
 * need to hold it, so that one that has just begun crosses nothing by being young. Anything else is too little to tell.
 */
export function budgetState(strata: readonly AuditStratum[], budget: number): BudgetState {
  const groups = groupsOf(strata);
  if (boundOf(groups) <= budget) return 'within';
  const needed = auditsNeeded(budget);
  const grown = groups.filter(({ judged }) => judged >= needed);
  return grown.length > 0 && boundOf(grown) > budget ? 'over' : 'too_little';
}
