// Tests how often a bound that is checked after every audit is wrong, in 10,000 simulated runs and exactly.
import { describe, expect, it } from 'vitest';
import { anytimeUpperBound, clopperPearson } from '@countersign/shared/statistics/statistics';
import { seeded } from '../../../test/fixtures/seeded-random.ts';
import { mathAnswers } from '../../../test/fixtures/math-answers.ts';
import { scaled } from '../../../test/soak.ts';
import { anytimeBound } from './audit-error.ts';
import { raisedThreshold, type Audit } from './raised-threshold.ts';

const RUNS = scaled(10_000, 100_000);
const LOOKS = scaled(1000, 5000);
/** The timeout: a soak takes minutes. */
const PATIENT = { timeout: scaled(60_000, 20 * 60_000) };

type Bound = (errors: number, n: number) => number;
const once: Bound = (errors, n) => clopperPearson(errors, n, { sides: 'upper' })?.high ?? 1;

/** For each n, the largest error count at which the bound is below p; -1: none. Bounds rise with errors and fall with n. */
function missesBelow(bound: Bound, p: number, looks: number): number[] {
  let most = -1;
  return Array.from({ length: looks + 1 }, (_, n) => {
    while (n > 0 && most + 1 < n && bound(most + 1, n) < p) most += 1;
    return most;
  });
}

/** The share of runs in which the true error exceeds the bound at some look. */
function everWrong(misses: readonly number[], p: number, seed: number): number {
  const random = seeded(seed);
  let wrong = 0;
  for (let run = 0; run < RUNS; run += 1) {
    let errors = 0;
    for (let n = 1; n < misses.length; n += 1) {
      if (random() < p) errors += 1;
      if (errors > (misses[n] ?? -1)) continue;
      wrong += 1;
      break;
    }
  }
  return wrong / RUNS;
}

/** The same computed exactly: the probability of each error count without a miss so far, from look to look. */
function everWrongExactly(misses: readonly number[], p: number): number {
  let [chances, wrong] = [[1], 0];
  for (const most of misses.slice(1)) {
    const next = Array.from({ length: chances.length + 1 }, (_, errors) => {
      const before = chances[errors] ?? 0;
      return before * (1 - p) + (errors > 0 ? (chances[errors - 1] ?? 0) * p : 0);
    });
    for (let errors = 0; errors <= most; errors += 1) {
      wrong += next[errors] ?? 0;
      next[errors] = 0;
    }
    chances = next;
  }
  return wrong;
}

/** The simulation error of a share: chance exceeds it in at most one case of twenty. */
const errorOf = (share: number, runs = RUNS) => 1.96 * Math.sqrt((share * (1 - share)) / runs);
const say = (text: string) => process.stdout.write(`${text}\n`);
const shown = (share: number) => `${(100 * share).toFixed(2)} %`;

describe('AU5: checked after every audit', PATIENT, () => {
  it.each([0.005, 0.02, 0.05, 0.2])(
    'with a true error of %d the bound is ever wrong in at most one run of twenty',
    (p) => {
      const misses = missesBelow(anytimeUpperBound, p, LOOKS);
      const [simulated, exact] = [everWrong(misses, p, 11), everWrongExactly(misses, p)];
      say(`error ${p}: ${shown(simulated)} ± ${shown(errorOf(simulated))} of ${RUNS} runs, exactly ${shown(exact)}`);
      expect(simulated).toBeLessThanOrEqual(0.05);
      expect(exact).toBeLessThanOrEqual(0.05);
      expect(Math.abs(simulated - exact)).toBeLessThan(2.5 * errorOf(exact));
    },
  );

  it('the single-look bound, when checked after every audit, is wrong far more often than it claims', () => {
    const misses = missesBelow(once, 0.05, 1000);
    const exact = everWrongExactly(misses, 0.05);
    say(`one look, looked at 1000 times: ${shown(exact)}`);
    expect(exact).toBeGreaterThan(0.14);
  });

  it('is valid for parts drawn at different rates with different errors', () => {
    const random = seeded(5);
    const runs = scaled(200, 2000);
    let wrong = 0;
    for (let run = 0; run < runs; run += 1) if (partsEverWrong(random)) wrong += 1;
    say(`two rates: ${shown(wrong / runs)} ± ${shown(errorOf(wrong / runs, runs))} of ${runs} runs`);
    expect(wrong / runs).toBeLessThanOrEqual(0.05);
  });
});

/** First 4,000 answers are audited at 5 %, then 2,000 with more errors at 20 %; the bound is checked every 400 answers. */
function partsEverWrong(random: () => number): boolean {
  const parts = [
    { rate: 0.05, error: 0.02, answers: 0, drawn: 0, judged: 0, wrong: 0 },
    { rate: 0.2, error: 0.08, answers: 0, drawn: 0, judged: 0, wrong: 0 },
  ];
  for (let answer = 1; answer <= 6000; answer += 1) {
    const part = parts[answer <= 4000 ? 0 : 1];
    if (!part) throw new Error('There are two parts.');
    part.answers += 1;
    if (random() < part.rate) {
      part.drawn += 1;
      part.judged += 1;
      if (random() < part.error) part.wrong += 1;
    }
    if (answer % 400 !== 0) continue;
    const truth = parts.reduce((sum, { error, answers }) => sum + error * answers, 0) / answer;
    if (anytimeBound(parts) < truth) return true;
  }
  return false;
}

describe('AU5: raised at any look', PATIENT, () => {
  // The budget is 5 %. The last case is the worst possible: every choice breaks the budget, by the smallest amount.
  it.each([
    ['falls with confidence', (confidence: number) => 1.1 * (1 - confidence)],
    ['breaks the budget in the middle', (confidence: number) => (confidence < 0.97 ? 0.12 : 0.01)],
    ['is a little too much everywhere', () => 0.051],
  ])(
    'where the error %s, a threshold that breaks the budget is ever chosen in at most one run of twenty',
    (_, error) => {
      const random = seeded(3);
      const runs = scaled(100, 2000);
      let wrong = 0;
      for (let run = 0; run < runs; run += 1) if (everRaisedWrong(error, random)) wrong += 1;
      say(`raises: ${shown(wrong / runs)} ± ${shown(errorOf(wrong / runs, runs))} of ${runs} runs`);
      expect(wrong / runs).toBeLessThanOrEqual(0.05);
    },
  );
});

/** Confidences are spread evenly from 0.9 to 1; the bound is checked after every twentieth audit. */
function everRaisedWrong(error: (confidence: number) => number, random: () => number): boolean {
  const audits: Audit[] = [];
  for (let n = 1; n <= 800; n += 1) {
    const confidence = 0.9 + 0.1 * random();
    audits.push({ confidence, rate: 0.1, wrong: random() < error(confidence) });
    if (n % 20 !== 0) continue;
    const raised = raisedThreshold(audits, { threshold: 0.9, budget: 0.05 });
    if (raised < 1 && meanFrom(raised, error) > 0.05) return true;
  }
  return false;
}

function meanFrom(confidence: number, error: (confidence: number) => number): number {
  const points = Array.from({ length: 1000 }, (_, at) => confidence + ((at + 0.5) / 1000) * (1 - confidence));
  return points.reduce((sum, at) => sum + error(at), 0) / points.length;
}

const answers = mathAnswers('raises on real answers');

describe.runIf(answers !== null)('AU5: raised at any look, on 2,640 real answers', PATIENT, () => {
  it('to a threshold that meets the budget of 10 % on all of them, in all but one run of twenty', () => {
    const random = seeded(9);
    const passed = (answers ?? []).filter(({ confidence }) => confidence >= 0.5);
    const errorFrom = (threshold: number) => {
      const above = passed.filter(({ confidence }) => confidence >= threshold);
      return above.filter(({ right }) => !right).length / above.length;
    };
    const runs = scaled(40, 1000);
    const thresholds = Array.from({ length: runs }, () => {
      const audits = Array.from({ length: 500 }, () => passed[Math.floor(random() * passed.length)]).flatMap((one) =>
        one ? [{ confidence: one.confidence, rate: 0.1, wrong: !one.right }] : [],
      );
      const looks = [100, 200, 300, 400, 500].map((n) => audits.slice(0, n));
      return looks
        .map((seen) => raisedThreshold(seen, { threshold: 0.5, budget: 0.1 }))
        .filter((threshold) => threshold < 1);
    });
    const wrong = thresholds.filter((chosen) => chosen.some((threshold) => errorFrom(threshold) > 0.1)).length;
    const raised = thresholds.filter(({ length }) => length > 0).length;
    say(
      `real answers: raised below 1 in ${raised} of ${runs} runs, ever to a threshold that breaks the budget in ${wrong}`,
    );
    expect(raised).toBeGreaterThan(0);
    expect(wrong / runs).toBeLessThanOrEqual(0.05);
  });
});
