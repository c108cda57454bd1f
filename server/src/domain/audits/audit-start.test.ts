// AU6: the start of the counted audits is constant between two steps, and all audits since then exist.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditStart, WINDOW_MS } from './audit-start.ts';

const DAY = 24 * 60 * 60_000;
const moments = fc.integer({ min: 2 * WINDOW_MS, max: 4e12 });

describe('AU6: the start of the counted audits', () => {
  it('is 30 to 60 days ago, and the same at every look within one step', () => {
    fc.assert(
      fc.property(moments, fc.nat(WINDOW_MS), (now, later) => {
        const start = auditStart(new Date(now), null).getTime();
        expect(now - start).toBeGreaterThanOrEqual(WINDOW_MS);
        expect(now - start).toBeLessThan(2 * WINDOW_MS);
        const next = auditStart(new Date(now + later), null).getTime();
        expect([start, start + WINDOW_MS]).toContain(next);
      }),
    );
  });

  it('is later than the last moment with deleted items, in steps that are still constant', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 3 * DAY, max: 90 * DAY }), (now, kept) => {
        const start = auditStart(new Date(now), new Date(now - kept)).getTime();
        expect(start).toBeGreaterThan(now - kept);
        expect(now - start).toBeGreaterThanOrEqual(Math.min(WINDOW_MS, kept / 4) - 1);
      }),
    );
  });

  it('moves only a few times while the retained period moves every day', () => {
    const begin = 1000 * WINDOW_MS;
    const starts = Array.from({ length: 60 }, (_, day) =>
      auditStart(new Date(begin + day * DAY), new Date(begin + (day - 31) * DAY)),
    );
    expect(new Set(starts.map((start) => start.getTime())).size).toBeLessThanOrEqual(6);
  });

  it('is that moment itself where all audits are younger than a step', () => {
    const now = new Date(1000 * WINDOW_MS);
    expect(auditStart(now, now)).toEqual(now);
  });
});
