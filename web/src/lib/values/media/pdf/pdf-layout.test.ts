// Where pages of a PDF stand, which are drawn, and that no page of any size costs too much (MP7).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitScale, GAP, MOST_PIXELS, pageAt, pagesNear, pixelRatio, placed, turned } from './pdf-layout.ts';

const A4 = { width: 595, height: 842 };

describe('MP7: a page', () => {
  it.each([
    ['as wide as the room', A4, 595, 1],
    ['half of it in half the room', A4, 297.5, 0.5],
    ['enlarged by half at most', A4, 4000, 1.5],
    ['a strip, no taller than 4000 pixels', { width: 10, height: 100_000 }, 800, 0.04],
    ['without any extent', { width: 0, height: 0 }, 800, 1.5],
  ])('is fitted: %s', (_, page, room, scale) => expect(fitScale(page, room)).toBeCloseTo(scale, 5));

  it('lies down after a quarter turn', () => {
    expect(turned(A4, 1)).toEqual({ width: 842, height: 595 });
    expect(turned(A4, 2)).toEqual(A4);
  });

  it('has the pixels of the screen on its canvas, but never more than the limit', () => {
    expect(pixelRatio(A4, 2)).toBe(2);
    const side = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const ratio = pixelRatio({ width, height }, 3);
        expect(Math.floor(width * ratio) * Math.floor(height * ratio)).toBeLessThanOrEqual(MOST_PIXELS);
      }),
    );
  });
});

describe('MP7: of many pages', () => {
  const thousand = placed(Array.from({ length: 1000 }, () => 800));

  it('those in view and one on each side are drawn', () => {
    expect(pagesNear(thousand.tops, { top: 0, height: 600 })).toEqual({ from: 0, to: 1 });
    expect(pagesNear(thousand.tops, { top: 500 * (800 + GAP), height: 600 })).toEqual({ from: 499, to: 501 });
    expect(pagesNear(thousand.tops, { top: 1e9, height: 600 })).toEqual({ from: 998, to: 999 });
  });

  it('few are drawn even if each is thinner than a line', () => {
    const { tops } = placed(Array.from({ length: 2000 }, () => 0.001));
    const { from, to } = pagesNear(tops, { top: 300, height: 600 });
    expect(to - from).toBeLessThan(25);
  });

  it('the one at a place is found, also where there is none', () => {
    expect(pageAt(thousand.tops, 800 + GAP)).toBe(1);
    expect(pageAt(thousand.tops, 800 + GAP - 1)).toBe(0);
    expect(pageAt([], 5)).toBe(0);
  });
});
