// What audits say of the automatic answers: against published numbers, against chance, and undefined where nothing was seen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  auditError,
  auditsNeeded,
  budgetState,
  raisedThreshold,
  type Audit,
  type AuditStratum,
} from './audit-error.ts';

const of = (judged: number, wrong: number, { rate = 0.02, drawn = judged } = {}): AuditStratum => ({
  rate,
  drawn,
  judged,
  wrong,
});

describe('AU4: the error above the line', () => {
  it('is not known where nobody judged anything', () => {
    for (const strata of [[], [of(0, 0)], [of(0, 0, { drawn: 40 })]]) {
      expect(auditError(strata)).toMatchObject({ judged: 0, estimate: null, bound: null });
    }
  });

  // Clopper and Pearson's upper bounds at 95 %: of none in n the exact rule of three, 1 - 0.05^(1/n); 2 of 100 is 6.16 %.
  it.each([
    [300, 0, 0, 0.009936],
    [59, 0, 0, 0.049505],
    [100, 2, 0.02, 0.061619],
    [1, 1, 1, 1],
  ])('of %i audits with %i wrong it is %d, at most %d', (judged, wrong, estimate, bound) => {
    const error = auditError([of(judged, wrong)]);
    expect(error.estimate).toBeCloseTo(estimate, 6);
    expect(error.bound).toBeCloseTo(bound, 4);
  });

  it('weighs audits by the answers they stand for', () => {
    // 100 drawn of 1 000, a tenth wrong; 100 drawn of 10 000, none wrong.
    const error = auditError([of(100, 10, { rate: 0.1 }), of(100, 0, { rate: 0.01 })]);
    expect(error.estimate).toBeCloseTo((0.1 * 1000) / 11_000, 10);
    expect(error.bound ?? 0).toBeGreaterThan(auditError([of(100, 0)]).bound ?? 1);
  });

  it('takes a part that nobody judged as all wrong', () => {
    const error = auditError([of(50, 0, { rate: 0.5 }), of(0, 0, { rate: 0.5, drawn: 50 })]);
    expect(error.estimate).toBe(0);
    expect(error.bound ?? 0).toBeGreaterThan(0.5);
  });

  it('the bound is never below the estimate, and falls with every audit that is right', () => {
    const stratum = fc
      .record({
        rate: fc.double({ min: 0.001, max: 1, noNaN: true }),
        judged: fc.integer({ min: 1, max: 400 }),
        p: fc.double({ min: 0, max: 1, noNaN: true }),
        more: fc.nat(50),
      })
      .map(({ rate, judged, p, more }) => of(judged, Math.floor(p * judged), { rate, drawn: judged + more }));
    fc.assert(
      fc.property(fc.array(stratum, { minLength: 1, maxLength: 3 }), (strata) => {
        const { estimate, bound } = auditError(strata);
        expect(bound ?? -1).toBeGreaterThanOrEqual((estimate ?? 2) - 1e-9);
        const better = strata.map((part) => ({ ...part, judged: part.judged + 1, drawn: part.drawn }));
        expect(auditError(better).bound ?? 1).toBeLessThanOrEqual((bound ?? 0) + 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('holds the truth in at least 95 of 100 samples of two rates', () => {
    const random = seeded(7);
    const drawOf = (n: number, p: number) => Array.from({ length: n }, () => random() < p).filter(Boolean).length;
    const truth = (0.08 * 1000 + 0.01 * 4000) / 5000;
    const held = Array.from({ length: 400 }, () => {
      const strata = [of(100, drawOf(100, 0.08), { rate: 0.1 }), of(200, drawOf(200, 0.01), { rate: 0.05 })];
      return (auditError(strata).bound ?? 0) >= truth;
    }).filter(Boolean).length;
    expect(held).toBeGreaterThanOrEqual(380);
  });
});

describe('AU5: the budget', () => {
  it.each([
    [0.01, 299],
    [0.05, 59],
    [0.1, 29],
    [1, 1],
    [0, Infinity],
  ])('of %d takes %d audits before anything can be said', (budget, needed) => {
    expect(auditsNeeded(budget)).toBe(needed);
  });

  it.each([
    [58, 0, 'too_little'],
    [59, 0, 'within'],
    [100, 2, 'over'],
    [400, 8, 'within'],
    [0, 0, 'too_little'],
  ] as const)('of 5 %%, with %i audits of which %i are wrong: %s', (judged, wrong, state) => {
    expect(budgetState([of(judged, wrong)], 0.05)).toBe(state);
  });

  it('is not crossed by a rate that has just begun: it is left out until its audits can tell', () => {
    const clean = of(1500, 0, { rate: 0.05 });
    for (const young of [of(0, 0, { rate: 0.1, drawn: 100 }), of(10, 0, { rate: 0.1, drawn: 100 })])
      expect(budgetState([clean, young], 0.02)).toBe('within');
    expect(budgetState([of(100, 0), of(100, 0, { rate: 0.1 })], 0.02)).toBe('too_little');
    expect(budgetState([of(400, 0, { rate: 0.05 }), of(300, 30, { rate: 0.1 })], 0.02)).toBe('over');
  });

  it('is never crossed without a wrong answer, at whatever rates', () => {
    const part = fc.record({ rate: fc.constantFrom(0.01, 0.1, 1), judged: fc.nat(400), waiting: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.constantFrom(0.01, 0.05, 0.3), (parts, budget) => {
        const strata = parts.map(({ rate, judged, waiting }) => of(judged, 0, { rate, drawn: judged + waiting }));
        expect(budgetState(strata, budget)).not.toBe('over');
      }),
    );
  });

  const verdicts = (confidence: number, right: number, wrong: number, rate = 0.02): Audit[] =>
    Array.from({ length: right + wrong }, (_, at) => ({ confidence, rate, wrong: at >= right }));

  it('raises the line past the confidence that is often wrong', () => {
    const seen = [...verdicts(0.9, 50, 10), ...verdicts(0.95, 60, 0), ...verdicts(0.99, 60, 0)];
    expect(raisedThreshold(seen, { line: 0.9, budget: 0.05 })).toBe(0.95);
  });

  it('raises it to 1 where no audit speaks for less', () => {
    expect(raisedThreshold(verdicts(0.95, 20, 5), { line: 0.9, budget: 0.05 })).toBe(1);
    expect(raisedThreshold([], { line: 0.9, budget: 0.05 })).toBe(1);
  });

  it('weighs each audit by the answers it stands for, as the bound does', () => {
    // A tenth is wrong of what was drawn at 1 in 100: it stands for fifty times as many answers as what was drawn at 1 in 2.
    const seen = [...verdicts(0.95, 54, 6, 0.01), ...verdicts(0.95, 600, 0, 0.5), ...verdicts(0.99, 200, 0, 0.01)];
    const pooled = seen.map((audit) => ({ ...audit, rate: 0.02 }));
    expect(raisedThreshold(pooled, { line: 0.9, budget: 0.04 })).toBe(0.95);
    expect(raisedThreshold(seen, { line: 0.9, budget: 0.04 })).toBe(0.99);
  });

  it('raises it past what was drawn and not judged, where too little was', () => {
    const waiting = Array.from({ length: 60 }, () => ({ confidence: 0.99, rate: 0.02, wrong: null }));
    expect(raisedThreshold([...waiting, ...verdicts(0.95, 60, 0)], { line: 0.9, budget: 0.05 })).toBe(0.95);
    expect(raisedThreshold(waiting, { line: 0.9, budget: 0.05 })).toBe(1);
  });

  it('never lowers it, and what it leaves above holds the budget', () => {
    const verdict = fc.record({
      confidence: fc.constantFrom(0.8, 0.85, 0.9, 0.95, 1),
      rate: fc.constant(0.02),
      wrong: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 120 }), fc.constantFrom(0.05, 0.3, 0.6), (seen, budget) => {
        const raised = raisedThreshold(seen, { line: 0.85, budget });
        expect(raised).toBeGreaterThan(0.85);
        const above = seen.filter(({ confidence }) => confidence >= raised);
        const wrong = above.filter((one) => one.wrong).length;
        const { bound } = auditError([of(above.length, wrong)]);
        if (raised < 1) expect(bound ?? 1).toBeLessThanOrEqual(budget);
      }),
    );
  });
});

/** Chance that is the same in every run: Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
