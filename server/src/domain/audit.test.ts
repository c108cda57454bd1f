// Which automatic approvals are drawn: the same ones whoever asks, as many as the rate says, and none that a lower rate would not add to.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDrawn } from './audit.ts';

const rate = fc.double({ min: 0, max: 1, noNaN: true });

describe('AU1: what is drawn for an audit', () => {
  it('is nothing at 0 and everything at 1', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(isDrawn(id, 0)).toBe(false);
        expect(isDrawn(id, 1)).toBe(true);
      }),
    );
  });

  it('is told by the id alone, and stays drawn at every higher rate', () => {
    fc.assert(
      fc.property(fc.uuid(), rate, rate, (id, one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(isDrawn(id, low)).toBe(isDrawn(id, low));
        if (isDrawn(id, low)) expect(isDrawn(id, high)).toBe(true);
      }),
    );
  });

  // Ids of one moment differ in few places: those are the ones that have to scatter.
  const NEIGHBOURS = Array.from(
    { length: 20_000 },
    (_, n) => `0192f3a4-b5c6-7d8e-8000-${n.toString(16).padStart(12, '0')}`,
  );

  it.each([0.02, 0.1, 0.5, 0.9])('of neighbouring ids the rate %d takes its share', (share) => {
    const drawn = NEIGHBOURS.filter((id) => isDrawn(id, share)).length;
    // Four standard deviations of a fair draw.
    expect(Math.abs(drawn - share * NEIGHBOURS.length)).toBeLessThan(
      4 * Math.sqrt(NEIGHBOURS.length * share * (1 - share)),
    );
  });
});
