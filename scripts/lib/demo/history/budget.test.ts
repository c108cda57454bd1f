// The budget of the demo’s history on machines of every speed.
import { describe, expect, it } from 'vitest';
import { TimeBudget } from './budget.ts';

/** Simulates a machine that makes `perSecond(ms)` items a second: 100 equal rounds, planned as 3,000 items in 10 s. */
function runHistory(perSecond: (spentMs: number) => number) {
  const budget = new TimeBudget({ items: 3000, budgetMs: 10_000 });
  const densities: number[] = [];
  let [items, spentMs, density] = [0, 0, 1];
  for (let round = 1; round <= 100; round += 1) {
    const made = Math.round(30 * density);
    items += made;
    spentMs += (made / perSecond(spentMs)) * 1000;
    density = budget.recordRound({ items, plannedShare: round / 100, spentMs });
    densities.push(density);
  }
  return { items, spentMs, densities };
}

describe('the time budget of the demo’s history', () => {
  it('makes every planned item on a fast machine', () => {
    const { items, spentMs, densities } = runHistory(() => 600);
    expect([items, spentMs]).toEqual([3000, 5000]);
    for (const density of densities) expect(density).toBeCloseTo(1, 6);
  });

  it('makes up for a slow start', () => {
    const { items, spentMs } = runHistory((ms) => (ms < 2000 ? 150 : 450));
    expect(items).toBeGreaterThan(2900);
    expect(spentMs).toBeLessThan(10_000);
  });

  it('follows the pace of the last second, not that of the whole history', () => {
    // 2,234 where the slow seconds count until the end.
    expect(runHistory((ms) => (ms < 4000 ? 100 : 600)).items).toBeGreaterThan(2600);
  });

  it('makes at most 1.3 times the planned items of a round', () => {
    // Without the limit 2.2 times.
    expect(Math.max(...runHistory((ms) => (ms < 5000 ? 60 : 1500)).densities)).toBe(1.3);
  });

  it.each([60, 100, 200])('makes fewer at %i items a second, and ends in time', (perSecond) => {
    const { items, spentMs } = runHistory(() => perSecond);
    expect(items).toBeGreaterThan(perSecond * 8);
    expect(spentMs).toBeLessThan(10_100);
  });

  it('makes the fewest once the time is over, also after a single round', () => {
    const budget = new TimeBudget({ items: 3000, budgetMs: 10_000 });
    expect(budget.recordRound({ items: 30, plannedShare: 0.01, spentMs: 19_000 })).toBe(0.15);
  });

  it('makes at least 15 % of the planned items on a machine that is far too slow', () => {
    const { items, densities } = runHistory(() => 10);
    expect(items).toBeGreaterThan(400);
    expect(Math.min(...densities)).toBe(0.15);
  });
});
