// The leaky bucket: never more than the quota at once plus its refill over time, and an exact Retry-After.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clampCost, drained, EMPTY, emptyInMs, pour } from './bucket.ts';
import type { Policy } from './policies.ts';

const policy = fc.record({ quota: fc.integer({ min: 1, max: 100_000 }), windowSeconds: fc.constantFrom(1, 7, 60) });
const asked = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 3000 }), cost: fc.integer({ min: 1, max: 600 }) }), {
  maxLength: 60,
});
const START = Date.parse('2026-03-01T12:00:00Z');

/** Requests one after the other; returns what was granted, and when. */
function run(limit: Policy, steps: readonly { wait: number; cost: number }[]) {
  let [now, bucket] = [START, EMPTY];
  return steps.map(({ wait, cost }) => {
    now += wait;
    const { level, results } = pour(drained(bucket, limit, now), limit, [clampCost(cost, limit)]);
    bucket = { level, at: now };
    return { at: now, cost: clampCost(cost, limit), allowed: results[0]?.allowed ?? false };
  });
}

describe('a bucket', () => {
  it('RL1: grants in any period no more than the quota plus its refill', () => {
    fc.assert(
      fc.property(policy, asked, (limit, steps) => {
        const granted = run(limit, steps).filter(({ allowed }) => allowed);
        for (const [from, { at: start }] of granted.entries()) {
          let sum = 0;
          for (const { at, cost } of granted.slice(from)) {
            sum += cost;
            const back = ((at - start) * limit.quota) / (limit.windowSeconds * 1000);
            expect(sum).toBeLessThanOrEqual(limit.quota + back + 1e-6);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('agrees with exact fractions, step by step', () => {
    fc.assert(
      fc.property(policy, asked, (limit, steps) => {
        const reference = exactly(limit);
        for (const { at, cost, allowed } of run(limit, steps)) expect(allowed).toBe(reference(at, cost));
      }),
      { numRuns: 60 },
    );
  });

  it('applies a list of costs like the same costs one by one: a small one fits after a refused large one', () => {
    const limit = { quota: 10, windowSeconds: 60 };
    const { results } = pour(0, limit, [6, 5, 4, 1]);
    expect(results.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 4],
      [false, 4],
      [true, 0],
      [false, 0],
    ]);
    fc.assert(
      fc.property(policy, fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 30 }), (any, costs) => {
        let level = 0;
        const single = costs.flatMap((cost) => {
          const poured = pour(level, any, [cost]);
          level = poured.level;
          return poured.results;
        });
        expect(pour(0, any, costs)).toEqual({ level, results: single });
      }),
      { numRuns: 60 },
    );
  });

  it('RL1: reports in whole seconds when the cost fits again, and not a second too early', () => {
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 600 }), fc.nat(100), (limit, wanted, percent) => {
        const cost = clampCost(wanted, limit);
        const level = Math.floor((limit.quota * limit.windowSeconds * 1000 * percent) / 100);
        const [first] = pour(level, limit, [cost]).results;
        const wait = first?.retryAfterSeconds ?? 0;
        expect(wait === 0).toBe(first?.allowed);
        const after = (seconds: number) => drained({ level, at: START }, limit, START + seconds * 1000);
        expect(pour(after(wait), limit, [cost]).results[0]?.allowed).toBe(true);
        if (wait > 1) expect(pour(after(wait - 1), limit, [cost]).results[0]?.allowed).toBe(false);
        expect(after(first?.fullInSeconds ?? 0) <= cost * limit.windowSeconds * 1000).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('a bucket neither drains nor blocks when the clock is set back', () => {
    const limit = { quota: 2, windowSeconds: 60 };
    const full = { level: 120_000, at: START };
    expect(drained(full, limit, START - 3_600_000)).toBe(120_000);
    expect(drained({ ...full, at: START - 3_600_000 }, limit, START - 3_600_000 + 30_000)).toBe(60_000);
    expect(emptyInMs(120_000, limit)).toBe(60_000);
  });

  it('caps a cost at the quota and at zero', () => {
    const limit = { quota: 5, windowSeconds: 1 };
    expect([6, 5, 0.5, 0, -1].map((cost) => clampCost(cost, limit))).toEqual([5, 5, 1, 0, 0]);
  });
});

/** The same bucket in exact fractions, by the time at which each granted request is refilled. */
function exactly({ quota, windowSeconds }: Policy) {
  const windowMs = BigInt(windowSeconds * 1000);
  /** The theoretical arrival time of GCRA, in ms times quota. */
  let arrival = 0n;
  return (at: number, cost: number): boolean => {
    const now = BigInt(at) * BigInt(quota);
    const next = (arrival > now ? arrival : now) + BigInt(cost) * windowMs;
    if (next - now > windowMs * BigInt(quota)) return false;
    arrival = next;
    return true;
  };
}
