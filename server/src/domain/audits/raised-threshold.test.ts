// To which confidence an exceeded budget raises the auto-approve threshold, and how often that is wrong.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anytimeBound } from './audit-error.ts';
import { raisedThreshold, type Audit } from './raised-threshold.ts';

describe('AU5: the raise', () => {
  const verdicts = (confidence: number, right: number, wrong: number, rate = 0.02): Audit[] =>
    Array.from({ length: right + wrong }, (_, at) => ({ confidence, rate, wrong: at >= right }));

  it('raises the threshold past the confidence with many errors', () => {
    const seen = [...verdicts(0.9, 50, 10), ...verdicts(0.95, 60, 0), ...verdicts(0.99, 120, 0)];
    expect(raisedThreshold(seen, { threshold: 0.9, budget: 0.05 })).toBe(0.95);
  });

  it('raises it to 1 where no audit supports less', () => {
    expect(raisedThreshold(verdicts(0.95, 20, 5), { threshold: 0.9, budget: 0.05 })).toBe(1);
    expect(raisedThreshold([], { threshold: 0.9, budget: 0.05 })).toBe(1);
  });

  it('tries nothing below a confidence that is not proven, even if the lower one would be proven alone', () => {
    const seen = [...verdicts(0.97, 2000, 0), ...verdicts(0.99, 80, 20)];
    expect(anytimeBound([{ rate: 0.02, drawn: 2100, judged: 2100, wrong: 20 }])).toBeLessThan(0.05);
    expect(raisedThreshold(seen, { threshold: 0.96, budget: 0.05 })).toBe(1);
    // From a threshold below 0.95 the search starts there again.
    expect(raisedThreshold(seen, { threshold: 0.94, budget: 0.05 })).toBe(0.95);
  });

  it('divides the error probability among the starts', () => {
    // Enough for one in twenty, but not for a fifth of that.
    const seen = verdicts(0.9995, 95, 0);
    expect(raisedThreshold(seen, { threshold: 0.995, budget: 0.05 })).toBe(0.999);
    expect(raisedThreshold(seen, { threshold: 0.5, budget: 0.05 })).toBe(1);
  });

  it('weighs each audit by the answers it represents, as the bound does', () => {
    // A tenth of those drawn at 1 in 100 is wrong: each represents fifty times as many answers as one drawn at 1 in 2.
    const seen = [...verdicts(0.95, 54, 6, 0.01), ...verdicts(0.95, 600, 0, 0.5), ...verdicts(0.99, 200, 0, 0.01)];
    const pooled = seen.map((audit) => ({ ...audit, rate: 0.02 }));
    expect(raisedThreshold(pooled, { threshold: 0.9, budget: 0.04 })).toBe(0.95);
    expect(raisedThreshold(seen, { threshold: 0.9, budget: 0.04 })).toBe(0.99);
  });

  it('raises it past drawn audits without verdicts where too few were judged', () => {
    const waiting = Array.from({ length: 60 }, () => ({ confidence: 0.99, rate: 0.02, wrong: null }));
    expect(raisedThreshold([...waiting, ...verdicts(0.95, 120, 0)], { threshold: 0.9, budget: 0.05 })).toBe(0.95);
    expect(raisedThreshold(waiting, { threshold: 0.9, budget: 0.05 })).toBe(1);
  });

  it('never lowers it, and what it leaves above is within the budget', () => {
    const verdict = fc.record({
      confidence: fc.constantFrom(0.8, 0.85, 0.9, 0.95, 1),
      rate: fc.constant(0.02),
      wrong: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 120 }), fc.constantFrom(0.05, 0.3, 0.6), (seen, budget) => {
        const raised = raisedThreshold(seen, { threshold: 0.85, budget });
        expect(raised).toBeGreaterThan(0.85);
        const above = seen.filter(({ confidence }) => confidence >= raised);
        const wrong = above.filter((one) => one.wrong).length;
        const counted = { rate: 0.02, drawn: above.length, judged: above.length, wrong };
        if (raised < 1) expect(anytimeBound([counted])).toBeLessThanOrEqual(budget);
      }),
    );
  });
});
