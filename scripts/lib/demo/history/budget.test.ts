// The budget of the demo’s history on machines of every speed.
import { describe, expect, it } from 'vitest';
import { TimeBudget } from './budget.ts';

/** A machine that makes `perSecond(ms)` items a second, over 100 equal rounds of a plan of 3,000 items in 10 s. */
function history(perSecond: (spentMs: number) => number) {
  const budget = new TimeBudget({ items: 3000, budgetMs: 10_000 });
  const densities: number[] = [];
  let [items, spentMs, density] = [0, 0, 1];
  for (let round = 1; round <= 100; round += 1) {
    const made = Math.round(30 * density);
    items += made;
    spentMs += (made / perSecond(spentMs)) * 1000;
    density = budget.density({ items, planned: round / 100, spentMs });
    densities.push(density);
  }
  return { items, spentMs, densities };
}

describe('the time budget of the demo’s history', () => {
  it('makes all items on a machine that is fast enough, in its own time', () => {
    const { items, spentMs, densities } = history(() => 600);
    expect([items, spentMs]).toEqual([3000, 5000]);
    expect([Math.min(...densities), Math.max(...densities)].map((density) => density.toFixed(6))).toEqual([
      '1.000000',
      '1.000000',
    ]);
  });

  it('makes up for a slow start', () => {
    const { items, spentMs, densities } = history((ms) => (ms < 2000 ? 150 : 450));
    expect(items).toBeGreaterThan(2900);
    expect(spentMs).toBeLessThan(10_000);
    expect(Math.max(...densities)).toBeLessThanOrEqual(1.3);
  });

  it.each([60, 100, 200])('makes fewer at %i items a second, and ends in time', (perSecond) => {
    const { items, spentMs } = history(() => perSecond);
    expect(items).toBeGreaterThan(perSecond * 8);
    expect(spentMs).toBeLessThan(11_500);
  });

  it('shows something on a machine that is far too slow', () => {
    const { items, densities } = history(() => 10);
    expect(items).toBeGreaterThan(400);
    expect(Math.min(...densities)).toBe(0.15);
  });
});
