// Rules AU4 and AU5: what audits say of the automatic answers, and when that is more than the project allows.
import { clopperPearson } from '@countersign/shared/statistics';

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
  /** At most this share, with 95 %. */
  bound: number | null;
}

/** How long ago audits still count for the budget, in milliseconds: 30 days. */
export const WINDOW_MS = 30 * 24 * 60 * 60_000;

/** The chance that the truth lies above the bound. */
const MISS = 0.05;

/**
 * AU4: the error above the line. Audits of one rate are a plain sample, and the bound is Clopper and Pearson's. Of several rates each
 * stands for as many answers as it drew from (Horvitz and Thompson 1952, JASA 47: drawn / rate), and the bounds of the parts share the
 * chance to miss (Bonferroni), so that together they hold. A part of which nothing was judged may be all wrong.
 */
export function auditError(strata: readonly AuditStratum[]): AuditError {
  const parts = strata.filter(({ drawn }) => drawn > 0);
  const sum = (of: 'drawn' | 'judged' | 'wrong') => parts.reduce((total, part) => total + part[of], 0);
  const counts = { drawn: sum('drawn'), judged: sum('judged'), wrong: sum('wrong') };
  if (counts.judged === 0) return { ...counts, estimate: null, bound: null };
  const answers = (part: AuditStratum) => part.drawn / part.rate;
  const seen = parts.filter(({ judged }) => judged > 0);
  const miss = MISS / parts.length;
  return {
    ...counts,
    estimate: mean(seen, answers, ({ wrong, judged }) => wrong / judged),
    bound: mean(parts, answers, ({ wrong, judged }) => upper(wrong, judged, miss)),
  };
}

function mean<Part>(parts: readonly Part[], weight: (part: Part) => number, value: (part: Part) => number): number {
  const total = parts.reduce((sum, part) => sum + weight(part), 0);
  return parts.reduce((sum, part) => sum + (weight(part) / total) * value(part), 0);
}

const upper = (wrong: number, judged: number, miss = MISS): number =>
  clopperPearson(wrong, judged, { sides: 'upper', miss })?.high ?? 1;

/** How many audits without a single error it takes before the bound can lie within the budget: the rule of three, exactly. */
export const auditsNeeded = (budget: number, miss = MISS): number =>
  budget >= 1 ? 1 : budget <= 0 ? Infinity : Math.ceil(Math.log(miss) / Math.log1p(-budget));

export const BUDGET_STATES = ['too_little', 'within', 'over'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

/**
 * AU5: where the bound stands to the budget. A rate with fewer audits than a clean record would need to hold it is left out, so that
 * one that has just begun crosses nothing by being young; where all are left out nothing is said.
 */
export function budgetState(strata: readonly AuditStratum[], budget: number): BudgetState {
  const drawn = strata.filter((part) => part.drawn > 0);
  const needed = auditsNeeded(budget, MISS / Math.max(1, drawn.length));
  const { bound } = auditError(drawn.filter(({ judged }) => judged >= needed));
  if (bound === null) return 'too_little';
  return bound > budget ? 'over' : 'within';
}

/** One audit. `wrong` is null while nobody has judged it. */
export interface Audit {
  confidence: number;
  /** It was drawn at. */
  rate: number;
  wrong: boolean | null;
}

/** How many confidences a raise tries at most: of more the nearest one above is as good, and a bound takes time. */
const TRIED = 200;

/**
 * AU5: the automatic threshold to raise to: the lowest confidence of an audit above the line from which on the bound holds the
 * budget; 1 where there is none. The audits choose it and judge it, so it is a step on the safe side and no promise: those that come
 * judge it anew.
 */
export function raisedThreshold(audits: readonly Audit[], { line, budget }: { line: number; budget: number }): number {
  const falling = audits.toSorted((one, other) => other.confidence - one.confidence);
  const strata = new Map<number, AuditStratum>();
  let found = 1;
  let tried = -1;
  falling.forEach(({ confidence, rate, wrong }, at) => {
    const { drawn, judged, wrong: wrongs } = strata.get(rate) ?? { drawn: 0, judged: 0, wrong: 0 };
    const counted = { drawn: drawn + 1, judged: judged + (wrong === null ? 0 : 1), wrong: wrongs + (wrong ? 1 : 0) };
    strata.set(rate, { rate, ...counted });
    const isLowest = falling[at + 1]?.confidence !== confidence;
    if (!isLowest || confidence <= line || at - tried < Math.floor(falling.length / TRIED)) return;
    tried = at;
    if (budgetState([...strata.values()], budget) === 'within') found = confidence;
  });
  return found;
}
