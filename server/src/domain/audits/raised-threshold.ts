// Rule AU5: to which confidence the auto-approve threshold is raised, with the choice itself covered by the guarantee.
import { anytimeBound, type AuditStratum, MISS } from './audit-error.ts';

/** One audit. `wrong` is null while nobody has judged it. */
export interface Audit {
  confidence: number;
  /** The rate at which it was drawn. */
  rate: number;
  wrong: boolean | null;
}

/**
 * The candidates, strictest first: thousandths down to 0.9, then hundredths. Fixed in advance, so that no audit influences them.
 */
const TRIED: readonly number[] = [
  ...Array.from({ length: 100 }, (_, step) => (999 - step) / 1000),
  ...Array.from({ length: 89 }, (_, step) => (89 - step) / 100),
];

/**
 * Where the tests start: at the strictest, and again further down, because few answers may have such a confidence. Fixed as well.
 */
const STARTS: readonly number[] = [0.999, 0.99, 0.95, 0.9, 0.8];

/**
 * AU5: the lowest candidate above the present threshold from which on the audits prove the budget; 1 where they prove none. Uses
 * fixed-sequence testing (A. Angelopoulos et al., "Learn then Test", arXiv 2110.01052, with several starts): from each start
 * downwards until a confidence is not proven. The starts share the error probability. On the way down from a start, the first
 * confidence that breaks the budget has to be passed by mistake before any below it can be chosen, so with 95 % no chosen one
 * ever breaks the budget, at any look.
 */
export function raisedThreshold(
  audits: readonly Audit[],
  { threshold, budget }: { threshold: number; budget: number },
): number {
  const above = TRIED.filter((confidence) => confidence > threshold);
  const starts = STARTS.filter((confidence) => confidence > threshold);
  const counted = countsFrom(audits, above);
  const known = new Map<number, boolean>();
  const isProven = (confidence: number): boolean => {
    const proven =
      known.get(confidence) ?? anytimeBound(counted.get(confidence)?.strata ?? [], MISS / starts.length) <= budget;
    known.set(confidence, proven);
    return proven;
  };
  const ends = starts.map((start) => {
    const sequence = above.filter((confidence) => confidence <= start);
    const stop = sequence.findIndex((confidence) => !isProven(confidence));
    const proven = stop === -1 ? sequence : sequence.slice(0, stop);
    // Of those that the same audits prove, take the strictest: no answer between them was reviewed.
    const drawn = counted.get(proven.at(-1) ?? 1)?.drawn;
    return proven.find((confidence) => counted.get(confidence)?.drawn === drawn) ?? 1;
  });
  return Math.min(1, ...ends);
}

/** The audits from each of these confidences on, by rate. `falling`: the strictest first. */
function countsFrom(
  audits: readonly Audit[],
  falling: readonly number[],
): Map<number, { drawn: number; strata: AuditStratum[] }> {
  const waiting = audits.toSorted((one, other) => one.confidence - other.confidence);
  const strata = new Map<number, AuditStratum>();
  return new Map(
    falling.map((from) => {
      for (let last = waiting.at(-1); last && last.confidence >= from; last = waiting.at(-1)) {
        const { rate, wrong } = last;
        const { drawn, judged, wrong: wrongs } = strata.get(rate) ?? { drawn: 0, judged: 0, wrong: 0 };
        const [seen, bad] = [wrong === null ? 0 : 1, wrong ? 1 : 0];
        strata.set(rate, { rate, drawn: drawn + 1, judged: judged + seen, wrong: wrongs + bad });
        waiting.pop();
      }
      return [from, { drawn: audits.length - waiting.length, strata: [...strata.values()] }];
    }),
  );
}
