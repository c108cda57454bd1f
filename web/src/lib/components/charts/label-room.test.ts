// The room for plot labels suffices for figures of any size.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { count } from '#lib/format/format.ts';
import { roomFor, widthOf } from './label-room.ts';

/** Widths in Inter at 12 px with tabular digits, measured in a browser. */
const MEASURED: [label: string, pixels: number][] = [
  ['0', 7.5],
  ['999', 22.4],
  ['2,397', 33.6],
  ['12,000', 41.1],
  ['1,000,000', 59.8],
];

it.each(MEASURED)('AN30: %s is not wider than estimated', (label, pixels) => {
  expect(widthOf(label)).toBeGreaterThanOrEqual(pixels);
});

it('AN30: the widest label has room, with its gap, for every possible count', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 1 }), (counts) => {
      const labels = counts.map((each) => count(each));
      const room = roomFor(labels, { gap: 8, least: 36 });
      for (const label of labels) expect(room).toBeGreaterThanOrEqual(widthOf(label) + 8);
      expect(room).toBeGreaterThanOrEqual(36);
    }),
  );
});
