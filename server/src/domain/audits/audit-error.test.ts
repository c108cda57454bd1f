// What audits say about automatic answers: against published numbers, against chance, and unknown without verdicts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../test/fixtures/seeded-random.ts';
import { anytimeUpperBound, logMixture } from '@countersign/shared/statistics/statistics';
import { anytimeBound, auditError, auditsLeft, auditsNeeded, budgetState, type AuditStratum } from './audit-error.ts';

const of = (judged: number, wrong: number, { rate = 0.02, drawn = judged } = {}): AuditStratum => ({
  rate,
  drawn,
  judged,
  wrong,
});

describe('AU4: the error above the threshold', () => {
  it('is unknown where nobody judged anything', () => {
    for (const strata of [[], [of(0, 0)], [of(0, 0, { drawn: 40 })]]) {
      expect(auditError(strata)).toMatchObject({ judged: 0, estimate: null, bound: null, anytime: null });
    }
  });

  // Clopper and Pearson's upper bounds at 95 %: for 0 errors in n the exact rule of three, 1 - 0.05^(1/n); for 2 of 100 6.16 %.
  it.each([
    [300, 0, 0, 0.009936],
    [59, 0, 0, 0.049505],
    [100, 2, 0.02, 0.061619],
    [1, 1, 1, 1],
  ])(
    'for %i audits with %i wrong it is %d, at most %d, and more with the anytime bound',
    (judged, wrong, estimate, bound) => {
      const error = auditError([of(judged, wrong)]);
      expect(error.estimate).toBeCloseTo(estimate, 6);
      expect(error.bound).toBeCloseTo(bound, 4);
      expect(error.anytime).toBe(anytimeUpperBound(wrong, judged));
    },
  );

  it('weighs audits by the answers they represent', () => {
    // 100 drawn of 1,000, a tenth wrong; 100 drawn of 10,000, none wrong.
    const error = auditError([of(100, 10, { rate: 0.1 }), of(100, 0, { rate: 0.01 })]);
    expect(error.estimate).toBeCloseTo((0.1 * 1000) / 11_000, 10);
    expect(error.bound ?? 0).toBeGreaterThan(auditError([of(100, 0)]).bound ?? 1);
  });

  it('counts a part that nobody judged as all wrong', () => {
    const error = auditError([of(50, 0, { rate: 0.5 }), of(0, 0, { rate: 0.25, drawn: 25 })]);
    expect(error.estimate).toBe(0);
    expect(error.bound ?? 0).toBeGreaterThan(0.5);
  });

  it('has a bound that is never below the estimate, and falls with every correct audit', () => {
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
        const { estimate, bound, anytime } = auditError(strata);
        expect(bound ?? -1).toBeGreaterThanOrEqual((estimate ?? 2) - 1e-9);
        expect(anytime ?? -1).toBeGreaterThanOrEqual((bound ?? 2) - 1e-9);
        const better = strata.map((part) => ({ ...part, judged: part.judged + 1, drawn: part.drawn }));
        expect(auditError(better).bound ?? 1).toBeLessThanOrEqual((bound ?? 0) + 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('is within its bound in at least 95 of 100 samples of two rates', () => {
    const random = seeded(7);
    const drawOf = (n: number, p: number) => Array.from({ length: n }, () => random() < p).filter(Boolean).length;
    const truth = (0.08 * 1000 + 0.01 * 4000) / 5000;
    const held = Array.from({ length: 100 }, () => {
      const strata = [of(100, drawOf(100, 0.08), { rate: 0.1 }), of(200, drawOf(200, 0.01), { rate: 0.05 })];
      return (auditError(strata).bound ?? 0) >= truth;
    }).filter(Boolean).length;
    expect(held).toBeGreaterThanOrEqual(95);
  });
});

describe('AU4: parts with different rates', () => {
  const stratum = fc
    .record({
      rate: fc.constantFrom(0.01, 0.1, 1),
      judged: fc.nat(300),
      p: fc.double({ min: 0, max: 0.2, noNaN: true }),
    })
    .map(({ rate, judged, p }) => of(judged, Math.floor(p * judged), { rate, drawn: judged + 5 }));

  it('are bounded by the largest mean in the confidence region of their shares: no point of it is above', () => {
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.uniqueArray(stratum, { minLength: 2, maxLength: 3, selector: ({ rate }) => rate }),
        places,
        (strata, at) => {
          const shares = strata.map(({ judged, wrong }, index) => (at[index] ?? 0) * anytimeUpperBound(wrong, judged));
          const logs = strata.map(({ judged, wrong }, index) => logMixture(wrong, judged, shares[index] ?? 0).log);
          const weights = strata.map(({ drawn, rate }) => drawn / rate);
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          const mean = weights.reduce((sum, weight, index) => sum + (weight / total) * (shares[index] ?? 0), 0);
          if (logs.reduce((sum, log) => sum + log, 0) < Math.log(20))
            expect(mean).toBeLessThanOrEqual(anytimeBound(strata) + 1e-6);
        },
      ),
    );
  });

  it('are one part where no rate is twice another: each audit counts as in one series', () => {
    const changed = [of(150, 1, { rate: 0.05 }), of(100, 2, { rate: 0.04 }), of(50, 0, { rate: 0.06 })];
    expect(auditError(changed)).toMatchObject({ bound: auditError([of(300, 3)]).bound, estimate: 0.01 });
    expect(anytimeBound(changed)).toBe(anytimeUpperBound(3, 300));
    expect(anytimeBound([of(150, 1, { rate: 0.06 }), of(150, 2, { rate: 0.07 })])).not.toBe(anytimeUpperBound(3, 300));
  });

  it('are one part where all but one have no weight', () => {
    const alone = of(300, 3, { rate: 1e-9 });
    expect(anytimeBound([alone, of(0, 0, { drawn: 1, rate: 1 })])).toBeCloseTo(anytimeUpperBound(3, 300), 6);
  });
});

describe('AU5: the budget', () => {
  it.each([
    [0, 0, 88],
    [60, 0, 28],
    [88, 0, 0],
    [100, 2, 74],
    [400, 8, 0],
  ])('of one in twenty, after %i audits with %i wrong, takes %i more without an error', (judged, wrong, left) => {
    const strata = judged === 0 ? [] : [of(judged, wrong)];
    expect(auditsLeft(strata, { rate: 0.02, budget: 0.05 })).toBe(left);
    if (left === 0) return;
    expect(budgetState([of(judged + left, wrong)], 0.05)).toBe('within');
    expect(budgetState([of(judged + left - 1, wrong)], 0.05)).not.toBe('within');
  });

  it('takes more audits at the present rate, and is never proven without audits or when other rates alone break it', () => {
    const mixed = [of(200, 1, { rate: 0.05 }), of(20, 0, { rate: 0.1, drawn: 40 })];
    const left = auditsLeft(mixed, { rate: 0.1, budget: 0.03 });
    expect(left).toBeGreaterThan(0);
    const proven = [of(200, 1, { rate: 0.05 }), of(20 + left, 0, { rate: 0.1, drawn: Math.max(40, 20 + left) })];
    expect(budgetState(proven, 0.03)).toBe('within');
    expect(auditsLeft(mixed, { rate: 0, budget: 0.03 })).toBe(Infinity);
    expect(auditsLeft([of(10, 9, { rate: 0.001, drawn: 90_000 })], { rate: 1, budget: 0.05 })).toBe(Infinity);
  });

  it.each([
    [0.01, 449],
    [0.02, 224],
    [0.05, 88],
    [0.1, 43],
    [1, 1],
    [0, Infinity],
  ])('of %d takes %d audits before it can be proven', (budget, needed) => {
    expect(auditsNeeded(budget)).toBe(needed);
  });

  it.each([
    [87, 0, 'too_little'],
    [88, 0, 'within'],
    [100, 2, 'over'],
    [400, 8, 'within'],
    [0, 0, 'too_little'],
  ] as const)('of one in twenty, with %i audits of which %i are wrong: %s', (judged, wrong, state) => {
    expect(budgetState([of(judged, wrong)], 0.05)).toBe(state);
  });

  it('is not exceeded because of a new rate: the rate is excluded until it has enough audits', () => {
    const clean = of(1500, 0, { rate: 0.05 });
    // All of a hundred audits drawn of 30,100 answers may be wrong while none is judged; with a thousand of 31,000, not after ten
    // are judged.
    expect(budgetState([clean, of(0, 0, { rate: 0.1, drawn: 10 })], 0.02)).toBe('within');
    expect(budgetState([clean, of(0, 0, { rate: 0.1, drawn: 100 })], 0.02)).toBe('too_little');
    expect(budgetState([clean, of(10, 0, { rate: 0.1, drawn: 100 })], 0.02)).toBe('within');
    expect(budgetState([of(100, 0), of(100, 0, { rate: 0.1 })], 0.02)).toBe('too_little');
    expect(budgetState([of(400, 0, { rate: 0.05 }), of(300, 30, { rate: 0.1 })], 0.02)).toBe('over');
  });

  it('is never exceeded without a wrong answer, at any rates', () => {
    const part = fc.record({ rate: fc.constantFrom(0.01, 0.1, 1), judged: fc.nat(400), waiting: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.constantFrom(0.01, 0.05, 0.3), (parts, budget) => {
        const strata = parts.map(({ rate, judged, waiting }) => of(judged, 0, { rate, drawn: judged + waiting }));
        expect(budgetState(strata, budget)).not.toBe('over');
      }),
    );
  });
});
