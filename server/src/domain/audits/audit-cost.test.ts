// The cost of audit computations, however often the rate was changed: counted in evaluations, never in time.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as statistics from '@countersign/shared/statistics/statistics';
import { auditError, auditsLeft, budgetState, MOST_RATES, type AuditStratum } from './audit-error.ts';
import { raisedThreshold } from './raised-threshold.ts';

vi.mock('@countersign/shared/statistics/statistics', async (original) => {
  const actual = await original<typeof statistics>();
  return { ...actual, logMixture: vi.fn(actual.logMixture), anytimeUpperBound: vi.fn(actual.anytimeUpperBound) };
});

const mixtures = vi.mocked(statistics.logMixture);
const bounds = vi.mocked(statistics.anytimeUpperBound);

beforeEach(() => {
  mixtures.mockClear();
  bounds.mockClear();
});

/** This many rates, evenly spaced in their logarithm from 0.0001 to 1, with ten audits each, of which some have an error. */
const strataOf = (rates: number): AuditStratum[] =>
  Array.from({ length: rates }, (_, at) => ({
    rate: 10 ** ((-4 * (at + 1)) / (rates + 1)),
    drawn: 10,
    judged: 9,
    wrong: at % 7 === 0 ? 1 : 0,
  }));

/** One bound of one part takes about 60 evaluations; the rest takes a few hundred for each group of rates. */
const MOST_OF_A_BOUND = 250 * MOST_RATES;

describe('AU4: what a bound costs', () => {
  it.each([2, 20, 100, 1000])('does not grow with the number of rates: %i of them', (rates) => {
    auditError(strataOf(rates));
    expect(bounds.mock.calls.length).toBeLessThanOrEqual(MOST_RATES);
    expect(mixtures.mock.calls.length).toBeLessThanOrEqual(MOST_OF_A_BOUND);
  });

  it.each([
    [2, 0.05],
    [20, 0.05],
    [100, 0.03],
    [1000, 0.02],
    [1000, 1e-9],
  ])('does not grow for the number of audits left: %i rates, a budget of %d', (rates, budget) => {
    auditsLeft(strataOf(rates), { rate: 0.1, budget });
    expect(bounds.mock.calls.length).toBeLessThanOrEqual(MOST_SEARCHED * MOST_RATES);
    expect(mixtures.mock.calls.length).toBeLessThanOrEqual(MOST_SEARCHED * MOST_OF_A_BOUND);
  });

  it('a raise tries each confidence once, from any start', () => {
    const audits = strataOf(1000).map(({ rate }, at) => ({ rate, confidence: at / 1000, wrong: false }));
    raisedThreshold(audits, { threshold: 0.1, budget: 0.9 });
    expect(bounds.mock.calls.length).toBeLessThanOrEqual(179 * MOST_RATES);
  });

  it('AU4: frequent changes of the rate do not hide too many errors', () => {
    const strata = strataOf(1000).map((one) => ({ ...one, wrong: 5 }));
    expect(budgetState(strata, 0.1)).toBe('over');
  });
});

/** Bisection alone would take 17 evaluations for a hundred thousand numbers, and 17 more to find the start. */
const MOST_SEARCHED = 16;
