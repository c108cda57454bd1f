// How deliveries travel to the database: all of them, in order, and never too much text at once.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf } from './fan-out.ts';

const of = (...lengths: number[]) => lengths.map((length) => ({ body: 'x'.repeat(length) }));
const sizes = (batches: { body: string }[][]) => batches.map((each) => each.map(({ body }) => body.length));

it.each([
  ['nothing', [], []],
  ['what fits together', [4, 6], [[4, 6]]],
  ['what does not', [4, 7, 3], [[4], [7, 3]]],
  ['one that is too long alone', [1, 11, 1], [[1], [11], [1]]],
])('I5: deliveries of ten units at the most: %s', (_, lengths, batches) => {
  expect(sizes(batchesOf(of(...lengths), 10))).toEqual(batches);
});

it('I5: none is lost, doubled or moved, and a batch is too long only where one delivery is', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (lengths) => {
      const batches = sizes(batchesOf(of(...lengths), 20));
      expect(batches.flat()).toEqual(lengths);
      for (const each of batches)
        if (each.length > 1) expect(each.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(20);
    }),
  );
});
