// Batches of deliveries for the database: complete, in order, and limited in size.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf } from './write.ts';

const of = (...lengths: number[]) => lengths.map((length) => ({ body: 'x'.repeat(length) }));
const sizes = (batches: { body: string }[][]) => batches.map((each) => each.map(({ body }) => body.length));

it.each([
  ['nothing', [], []],
  ['several that fit together', [4, 6], [[4, 6]]],
  ['several that do not fit', [4, 7, 3], [[4], [7, 3]]],
  ['a single one that is too long', [1, 11, 1], [[1], [11], [1]]],
])('I5: splits deliveries into batches of at most ten units: %s', (_, lengths, batches) => {
  expect(sizes(batchesOf(of(...lengths), 10))).toEqual(batches);
});

it('I5: loses, duplicates and reorders none, and exceeds the limit only for a single delivery', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (lengths) => {
      const batches = sizes(batchesOf(of(...lengths), 20));
      expect(batches.flat()).toEqual(lengths);
      for (const each of batches)
        if (each.length > 1) expect(each.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(20);
    }),
  );
});
